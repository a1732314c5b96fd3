# SPDX-License-Identifier: BSD-3-Clause
"""A table of times, as a benchmark has printed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ONE_WAY = "one-way"
"""The operation of ping-pongs, whose time is half of a round trip."""
BANDWIDTH = "bandwidth"
"""The operation of streams of messages in one direction."""
SPLIT = ("allgather", "alltoall", "gather", "scatter")
"""Collectives whose size NVIDIA's benchmarks give for all ranks together, and Orrery for a block."""


@dataclass(frozen=True, kw_only=True)
class LogRow:
    """One size."""

    line: int
    """In the file; 0: in a file that has none, as JSON."""
    bytes: int
    """As the table says it."""
    us: float | None = None
    """Mean over the ranks of the mean over the calls, microseconds; None in tables of rates."""
    least_us: float | None = None
    """Mean over the calls of the fastest rank."""
    longest_us: float | None = None
    """Mean over the calls of the slowest rank."""
    megabytes_per_s: float | None = None
    """Rate, in 10^6 bytes per second, in tables of rates."""
    calls: int | None = None
    """How many calls were timed."""


@dataclass(kw_only=True)
class LogTable:
    """A table, and what its text, or the text before it, says about it. Readers fill it in."""

    file: Path
    line: int
    """Line of its title."""
    program: str
    """OSU, IMB or nccl-tests."""
    version: str = ""
    title: str
    """The benchmark's own name for what it timed."""
    operation: str = ""
    """A collective by Orrery's name, `ONE_WAY` or `BANDWIDTH`; empty: another one."""
    of_all_ranks: bool = False
    """Sizes of `SPLIT` collectives are those of all ranks together."""
    library: str = ""
    """The communication library, where the text names one."""
    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    """Ranks on each node."""
    left_out: str = ""
    """Why it cannot be used; empty: it can."""
    remarks: list[str] = field(default_factory=list)
    """Sentences on what its times are, where they differ from those of others."""
    rows: list[LogRow] = field(default_factory=list)

    @property
    def where(self) -> str:
        """For messages: where it is, and what it is."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}: {self.program} {self.title}"
