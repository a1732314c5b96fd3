# SPDX-License-Identifier: BSD-3-Clause
"""Ranks whose streams in a trace end too early, and the damaged blocks at which they do."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery import _core

_SHOWN = 8


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


def broken_streams(file: _core.TraceFile) -> BrokenStreams:
    """Find them. All blocks of the trace are read for it, and none is decoded."""
    damaged = dict(file.damaged_blocks())
    return BrokenStreams(file.streams, [rank for rank in file.cut_off if rank not in damaged], damaged)
