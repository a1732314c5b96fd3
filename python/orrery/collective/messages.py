# SPDX-License-Identifier: BSD-3-Clause
"""Who sends what to whom in a collective call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.named import named_choices
from orrery.collective.parameters import cautions_of_parameters
from orrery.collective.selector import selector_named
from orrery.collective.settings import CollectiveRequest
from orrery.experiment.mapping import place

Message = tuple[int, int, int, int]
"""Source, number among the messages of its source, destination, bytes."""


def messages(call: Call, request: CollectiveRequest, per_node: int | None = None) -> tuple[str, list[Message]]:
    """The algorithm's name and the messages, by source.

    Args:
        call: of which.
        request: says which algorithm serves it, and how ranks are laid on nodes.
        per_node: ranks on each node; None: nobody knows where ranks are, which libraries take for one rank per node, or for one node.
    Raises:
        InputError: no algorithm serves the call.
    """
    whole = _whole(call, request, per_node)
    if request.algorithm:
        choice = named_choices(call, whole, request.algorithm[0], request)[0]
    else:
        choice = _selector(request.selector, request.coll, request.rules).choose(whole)
    return choice.algorithm, _core.collective_messages(whole, choice)


def _whole(call: Call, request: CollectiveRequest, per_node: int | None) -> _core.CollectiveCall:
    return call.core(request.root, _places(call.ranks, per_node, request.mapping))


@lru_cache(maxsize=8)
def _places(ranks: int, per_node: int | None, mapping: str) -> _core.Places | None:
    """Which ranks share a node."""
    if per_node is None:
        return None
    nodes = -(-ranks // per_node)
    return _core.Places.of_nodes(place(ranks, [per_node] * nodes, mapping).host_of_rank)


@lru_cache(maxsize=8)
def _selector(name: str, coll: str, rules: Path | None) -> _core.Selector:
    """One for all calls: rules are read once."""
    return selector_named(name, coll, rules)


def write_messages(
    request: CollectiveRequest, file: TextIO, *, per_node: int | None = None, sequence: bool = False
) -> list[str]:
    """CSV with the columns of recorded messages: one line per pair of ranks, or with `sequence` per message.

    Returns a sentence for each option that acts on some of the collectives only.
    Raises InputError for what acts on none, and where no algorithm serves a call.
    """
    calls = request.calls
    cautions = cautions_of_parameters([(call, _whole(call, request, per_node)) for call in calls], request)
    columns = "collective,bytes,nprocs,src," + ("seq,dst,msg_bytes" if sequence else "dst,count,bytes_total")
    for number, call in enumerate(calls):
        _, found = messages(call, request, per_node)
        if number == 0:  # what is wrong with the request has been said by now
            file.write(columns + "\n")
        lines = found if sequence else _totals(found)
        file.writelines(f"{call.kind},{call.size},{call.ranks},{a},{b},{c},{d}\n" for a, b, c, d in lines)
    return cautions


def _totals(found: Iterable[Message]) -> Iterator[tuple[int, int, int, int]]:
    """Source, destination, number of messages, bytes; in this order."""
    totals: dict[tuple[int, int], tuple[int, int]] = {}
    for source, _, destination, size in found:
        count, total = totals.get((source, destination), (0, 0))
        totals[source, destination] = (count + 1, total + size)
    for (source, destination), (count, total) in sorted(totals.items()):
        yield source, destination, count, total
