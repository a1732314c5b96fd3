# SPDX-License-Identifier: BSD-3-Clause
"""What a rules file of ours can say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field, model_validator

from orrery import _core
from orrery.errors import InputError, did_you_mean
from orrery.platform.tables.quantities import Size, Table

LIBRARY = "library"
"""Instead of an algorithm's name: the MPI library's own choice."""
MOST_RANKS = 2**31 - 1
MOST_BYTES = 2**63 - 1
_UNSIZED = ("barrier", "gatherv", "scatterv", "alltoallv", "alltoallw")
"""Without bytes that all ranks know."""
_NODES = ([0, 1], [0, 0, 1, 1], [0, 0, 0, 1, 1])
"""Nodes of a few ranks: even, powers of two and odd, equally many on each node and not: each algorithm serves some."""
_TEXT = re.compile(r"\w+(\([^()\s]*\))?(:[^,\s()]+)*")


class Rule(Table):
    """One rule; limits are included."""

    collective: str
    """Which routine."""
    min_ranks: int = Field(default=1, ge=1, le=MOST_RANKS)
    """Smallest communicator."""
    max_ranks: int = Field(default=MOST_RANKS, ge=1, le=MOST_RANKS)
    """Largest communicator."""
    min_bytes: Size = 0
    """Shortest vector, or block, as `orrery collective -s` has it."""
    max_bytes: Size = MOST_BYTES
    """Longest one."""
    algorithm: str
    """As `orrery collective --algorithm` has it; `library`: that of the MPI library."""

    @model_validator(mode="after")
    def _check(self) -> Rule:
        if self.min_ranks > self.max_ranks:
            raise ValueError(f"min_ranks {self.min_ranks} is more than max_ranks {self.max_ranks}: no call fits")
        if self.min_bytes > self.max_bytes:
            raise ValueError(f"min_bytes {self.min_bytes} is more than max_bytes {self.max_bytes}: no call fits")
        kinds = sorted(
            {
                algorithm.collective
                for algorithm in _core.algorithms()
                if not algorithm.collective.startswith("neighbor")
            }
        )
        if self.collective not in kinds:
            raise ValueError(
                f'collective "{self.collective}": there are {", ".join(kinds)}{did_you_mean(self.collective, kinds)}'
            )
        if self.collective in _UNSIZED and (self.min_bytes > 0 or "max_bytes" in self.model_fields_set):
            what = (
                "a barrier has no bytes" if self.collective == "barrier" else "its ranks need not have the same bytes"
            )
            raise ValueError(f"{what}: leave min_bytes and max_bytes out")
        if self.algorithm != LIBRARY:
            _check_algorithm(self.collective, self.algorithm)
        return self


class Rules(Table):
    """A rules file: the first rule that fits a call decides; a call that no rule fits is the library's."""

    rules: Sequence[Rule] = Field(alias="rule", min_length=1)


def _check_algorithm(collective: str, algorithm: str) -> None:
    """Raises ValueError for what cannot run on one communicator, or is no algorithm."""
    if not _TEXT.fullmatch(algorithm):
        raise ValueError(
            f'algorithm "{algorithm}": expected NAME, NAME:segment=SIZE or hierarchical(levels=LEVEL+...,inner=NAME) '
            f'without blanks, as `orrery collective --algorithm` has it, or "{LIBRARY}"'
        )
    try:
        _core.Selector("default", f"{collective}={algorithm}", [], None)
    except InputError as error:
        raise ValueError(f'algorithm {error}; "{LIBRARY}" leaves calls to the MPI library') from None
    if not _serves_any(collective, re.split(r"[(:]", algorithm)[0]):
        raise ValueError(
            f'algorithm "{algorithm}": is for communicators between two groups, whose calls the MPI library keeps'
        )


def _serves_any(collective: str, name: str) -> bool:
    """Whether there are ranks on nodes that the algorithm serves."""
    calls = (
        _core.CollectiveCall(collective, size=len(nodes), bytes=0, places=_core.Places.of_nodes(nodes))
        for nodes in _NODES
    )
    return any(choice.algorithm == name for call in calls for choice in _core.accepting_choices(call))
