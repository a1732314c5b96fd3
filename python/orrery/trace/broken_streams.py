# SPDX-License-Identifier: BSD-3-Clause
"""Ranks whose streams in a trace end too early, and the damaged blocks at which they do."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from orrery import _core

_FOOT = struct.Struct("<Q8s")
_FOOT_MAGIC = b"\x89ORREND\n"
_HEAD_BYTES = 40
"""Head of a chunk, whose payload follows."""
_LENGTH = struct.Struct("<I")
_LENGTH_AT = 16
"""Where the length of the payload lies in the head."""
_ENTRY = struct.Struct("<QIIII")
"""What the index has of a chunk: place, rank, block, records, kind."""
_BLOCK = 4
_MANY = 65536
_SHOWN = 8


class _BlockEntry(NamedTuple):
    """What the index says of a block."""

    place: int
    records: int


@dataclass(frozen=True)
class BrokenStreams:
    """Streams that end before MPI_Finalize, of a trace of Orrery's."""

    ranks: int
    """All that the trace has."""
    cut_off: list[int] = field(default_factory=list)
    """Ranks whose next block is not there."""
    damaged: dict[int, int] = field(default_factory=dict)
    """Ranks whose next block is damaged, and the byte of the file at which it begins."""

    @property
    def where_damaged(self) -> str:
        """The damaged blocks, as "rank 3 at byte 4096"; empty: there are none."""
        places = [f"rank {rank} at byte {place}" for rank, place in list(self.damaged.items())[:_SHOWN]]
        return ", ".join(places) + (", ..." if len(self.damaged) > _SHOWN else "")

    @property
    def damage(self) -> list[str]:
        """A sentence about the damaged blocks; none: there are none."""
        if not self.damaged:
            return []
        which = f"{len(self.damaged):,} of {self.ranks:,} ranks"
        return [f"the calls of {which} end before MPI_Finalize, at a damaged block: {self.where_damaged}"]


def broken_streams(path: Path, file: _core.TraceFile, usage: _core.TraceUsage | None = None) -> BrokenStreams:
    """Find them. Reads all of the trace, unless `usage` has done so.

    A stream that stops short of what the index says of its blocks ends at the first block of which not all was read. Without an index there is nothing to hold it
    against: what is damaged was found when the file was looked through for its blocks.
    """
    ranks = (_core.TraceUsage(file) if usage is None else usage).ranks
    early = [int(row[0]) for row in ranks if row[-1]]
    if not early:
        return BrokenStreams(len(ranks))
    blocks = _blocks_of(path)
    damaged = {rank: place for rank in early if (place := _damaged_block(file, rank, blocks.get(rank, []))) is not None}
    return BrokenStreams(len(ranks), [rank for rank in early if rank not in damaged], damaged)


def _damaged_block(file: _core.TraceFile, rank: int, blocks: list[_BlockEntry]) -> int | None:
    """Where the block begins at which the stream of a rank ends; None: all of its blocks were read."""
    reader = _core.TraceReader(file, rank)
    left = 0
    while records := reader.read(_MANY):
        left += len(records)
    for block in blocks:
        left -= block.records
        if left < 0:
            return block.place
    return None


def _blocks_of(path: Path) -> dict[int, list[_BlockEntry]]:
    """The blocks of each rank, from its first to where one is missing, as the index has them; empty: there is no index."""
    by_rank: dict[int, dict[int, _BlockEntry]] = defaultdict(dict)
    with path.open("rb") as trace:
        for place, rank, number, records, kind in _index_of(trace):
            if kind == _BLOCK:
                by_rank[rank].setdefault(number, _BlockEntry(place, records))
    return {rank: list(_in_order(blocks)) for rank, blocks in by_rank.items()}


def _in_order(blocks: dict[int, _BlockEntry]) -> Iterator[_BlockEntry]:
    for number in range(len(blocks)):
        if number not in blocks:
            return
        yield blocks[number]


def _index_of(trace: BinaryIO) -> Iterator[tuple[int, int, int, int, int]]:
    size = trace.seek(0, 2)
    if size < _FOOT.size:
        return
    trace.seek(size - _FOOT.size)
    index, magic = _FOOT.unpack(trace.read(_FOOT.size))
    if magic != _FOOT_MAGIC or index + _HEAD_BYTES > size:
        return
    trace.seek(index)
    length = _LENGTH.unpack_from(trace.read(_HEAD_BYTES), _LENGTH_AT)[0]
    entries = trace.read(length)
    yield from _ENTRY.iter_unpack(entries[: len(entries) // _ENTRY.size * _ENTRY.size])
