# SPDX-License-Identifier: BSD-3-Clause
"""Who sends what to whom in a collective call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.selector import selector_named
from orrery.collective.sizes import byte_size
from orrery.experiment.mapping import place
from orrery.experiment.settings import DEFAULT_MAPPING

Message = tuple[int, int, int, int]
"""Source, number among the messages of its source, destination, bytes."""


@dataclass(frozen=True, kw_only=True)
class MessagesRequest:
    """How algorithms are found, and what is shown."""

    selector: str = "default"
    coll: str = ""
    rules: Path | None = None
    algorithm: str | None = None
    segment: str = "0"
    fanout: int = 0
    root: int = 0
    sequence: bool = False
    ranks_per_node: int = 0
    """0: nobody knows where ranks are, which libraries take for one rank per node, or for one node."""
    mapping: str = DEFAULT_MAPPING
    """How ranks are laid on nodes of so many."""


def messages(call: Call, request: MessagesRequest) -> tuple[str, list[Message]]:
    """The algorithm's name and the messages, by source. Raises InputError if no algorithm serves the call."""
    whole = call.core(request.root, _places(call.ranks, request.ranks_per_node, request.mapping))
    if request.algorithm is not None:
        segment = byte_size(request.segment, "--segment")
        choice = _core.named_choice(whole, request.algorithm, segment, request.fanout)
    else:
        choice = _selector(request.selector, request.coll, request.rules).choose(whole)
    return choice.algorithm, _core.collective_messages(whole, choice)


@lru_cache(maxsize=8)
def _places(ranks: int, per_node: int, mapping: str) -> _core.Places | None:
    """Which ranks share a node."""
    if per_node == 0:
        return None
    nodes = -(-ranks // per_node)
    return _core.Places.of_nodes(place(ranks, [per_node] * nodes, mapping).host_of_rank)


@lru_cache(maxsize=8)
def _selector(name: str, coll: str, rules: Path | None) -> _core.Selector:
    """One for all calls: rules are read once."""
    return selector_named(name, coll, rules)


def write_messages(all_calls: Iterable[Call], request: MessagesRequest, file: TextIO) -> None:
    """CSV with the columns of recorded messages: one line per pair of ranks, or per message."""
    columns = "collective,bytes,nprocs,src," + ("seq,dst,msg_bytes" if request.sequence else "dst,count,bytes_total")
    for number, call in enumerate(all_calls):
        _, found = messages(call, request)
        if number == 0:  # what is wrong with the request has been said by now
            file.write(columns + "\n")
        lines = found if request.sequence else _totals(found)
        file.writelines(f"{call.kind},{call.size},{call.ranks},{a},{b},{c},{d}\n" for a, b, c, d in lines)


def _totals(found: Iterable[Message]) -> Iterator[tuple[int, int, int, int]]:
    """Source, destination, number of messages, bytes; in this order."""
    totals: dict[tuple[int, int], tuple[int, int]] = {}
    for source, _, destination, size in found:
        count, total = totals.get((source, destination), (0, 0))
        totals[source, destination] = (count + 1, total + size)
    for (source, destination), (count, total) in sorted(totals.items()):
        yield source, destination, count, total
