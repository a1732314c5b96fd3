# SPDX-License-Identifier: BSD-3-Clause
"""Who sends what to whom in a collective call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

from orrery import _core, units
from orrery.errors import InputError

_REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
_NUMBER_BYTES = 8

Message = tuple[int, int, int, int]
"""Source, number among the messages of its source, destination, bytes."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How algorithms are found, and what is shown."""

    selector: str = "default"
    coll: str = ""
    algorithm: str | None = None
    segment: str = "0"
    fanout: int = 0
    root: int = 0
    sequence: bool = False


@dataclass(frozen=True)
class Call:
    """One collective call of `ranks` ranks; `size` in bytes, as `orrery collective --help` explains."""

    kind: str
    size: int
    ranks: int


def calls(kinds: Iterable[str], ranks: str, sizes: str, request: Request) -> list[Call]:
    """All combinations, in the order in which they were given. Raises InputError for what is no number or size."""
    known = sorted({algorithm.collective for algorithm in _core.algorithms()})
    found = []
    for kind in kinds:
        if kind not in known or kind.startswith("neighbor"):
            usable = ", ".join(name for name in known if not name.startswith("neighbor"))
            raise InputError(f'"{kind}" is not a collective that can be shown; there are: {usable}')
        for size in sizes.split(","):
            found += [Call(kind, _bytes(size, "-s"), _ranks(count, request.root)) for count in ranks.split(",")]
    return found


def messages(call: Call, request: Request) -> tuple[str, list[Message]]:
    """The algorithm's name and the messages, by source. Raises InputError if no algorithm serves the call."""
    element = _NUMBER_BYTES if call.kind in _REDUCTIONS else 1
    if call.size % element != 0:
        raise InputError(f"-s {call.size}: {call.kind} is of numbers of {element} bytes")
    if request.algorithm is not None:
        segment = _bytes(request.segment, "--segment")
        return _core.collective_messages_by(
            call.kind, call.ranks, call.size, request.root, element, request.algorithm, segment, request.fanout
        )
    selector = _core.Selector(request.selector, request.coll)
    return _core.collective_messages(call.kind, call.ranks, call.size, request.root, element, selector)


def write_messages(all_calls: Iterable[Call], request: Request, file: TextIO) -> None:
    """CSV with the columns of recorded messages: one line per pair of ranks, or per message."""
    if request.sequence:
        file.write("collective,bytes,nprocs,src,seq,dst,msg_bytes\n")
    else:
        file.write("collective,bytes,nprocs,src,dst,count,bytes_total\n")
    for call in all_calls:
        _, found = messages(call, request)
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


def _bytes(text: str, option: str) -> int:
    try:
        size = units.byte_count(text)
    except ValueError:
        size = -1
    if size < 0:
        raise InputError(f'{option} "{text}": expected a size such as 8, 1024 or 64KiB')
    return size


def _ranks(text: str, root: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise InputError(f'-n "{text}": expected whole numbers above 0')
    if not 0 <= root < int(text):
        raise InputError(f"--root {root}: there is no such rank among {text}")
    return int(text)
