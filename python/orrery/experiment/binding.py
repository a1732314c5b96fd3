# SPDX-License-Identifier: BSD-3-Clause
"""Cores that the ranks of each host are bound to in turn: what stands behind "/" in `--map`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from orrery.errors import InputError
from orrery.experiment.load import Cores

_LIST = re.compile(r"\d{1,6}(?:[+,]\d{1,6})*")


def split(mapping: str) -> tuple[str, list[Cores]]:
    """A policy without its binding, and the binding: cores of the first rank of a host, of the second, and so on in turn.

    Raises InputError for a binding that is no list such as "0,2" or "0+1,2+3".
    """
    if mapping.startswith("file:"):
        return mapping, []
    policy, slash, wanted = mapping.partition("/")
    if slash and not _LIST.fullmatch(wanted):
        raise InputError(
            f'--map "{mapping}": expected cores behind "/", for each rank of a node in turn: 0,2 or, for several, 0+1,2+3'
        )
    return policy, [frozenset(map(int, cores.split("+"))) for cores in wanted.split(",")] if slash else []


def bound_in_turn(mapping: str, host_of_rank: Sequence[int], cores: Sequence[int]) -> dict[int, Cores]:
    """The cores of each rank that the binding of a policy gives it; empty if it has none.

    Raises InputError for a core that a host does not have.
    """
    turns = split(mapping)[1]
    if not turns:
        return {}
    before: Counter[int] = Counter()
    bound = {}
    for rank, host in enumerate(host_of_rank):
        bound[rank] = turns[before[host] % len(turns)]
        before[host] += 1
        if max(bound[rank]) >= cores[host]:
            raise InputError(
                f'--map "{mapping}": there is no core {max(bound[rank])} on a node of {cores[host]} cores, counted from 0'
            )
    return bound
