# SPDX-License-Identifier: BSD-3-Clause
"""What MPI_Init and MPI_Finalize took outside of the times of a trace, for formats that have no such outside.

A captured trace begins when the last rank has left MPI_Init. Written for another tool its times begin when the first
rank entered MPI_Init, so that both calls are as long as they were.
"""

from __future__ import annotations

from dataclasses import dataclass

from orrery import _core

STARTS = frozenset(("MPI_Init", "MPI_Init_thread"))
"""Calls before which nothing is a part of the run, and whose time is start-up."""
END = "MPI_Finalize"


@dataclass(frozen=True)
class StartUp:
    """Nanoseconds by rank; ranks that were started later have none."""

    before_ns: list[int]
    """Time in MPI_Init before the start of the run."""
    behind_ns: list[int]
    """Time in MPI_Finalize behind the last operation."""

    @classmethod
    def of(cls, file: _core.TraceFile) -> StartUp:
        """That of a trace; where MPI_Init is among the operations, nothing is outside."""
        routines = file.routines
        before, behind = [0] * file.streams, [0] * file.streams
        for rank in range(file.streams):
            for _, routine, calls, ns in file.local_calls(rank):
                if calls == 0 and routines.get(routine) in STARTS:
                    before[rank] += ns
                elif calls == 0 and routines.get(routine) == END:
                    behind[rank] += ns
        return cls(before, behind)

    @property
    def shift_ns(self) -> int:
        """By how much later everything is, so that nothing begins before 0."""
        return max(self.before_ns, default=0)

    def times(self, rank: int, routine: str, begin_ns: int, end_ns: int) -> tuple[int, int]:
        """Begin and end of a call as another tool has them."""
        begin, end = begin_ns + self.shift_ns, end_ns + self.shift_ns
        if routine in STARTS:
            begin = max(0, self.shift_ns - self.before_ns[rank])
        elif routine == END:
            end += self.behind_ns[rank]
        return begin, end
