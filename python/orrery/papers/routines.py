# SPDX-License-Identifier: BSD-3-Clause
"""Routines of MPI in a run as rows, as in TAU's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.papers.rows import CALLS, PERCENT, TIME, Row
from orrery.record.document import Profile
from orrery.record.document import Row as Line

_APPLICATION = ".application"


def rows_of_routines(profile: Profile, own: Sequence[str], ranks: Sequence[int]) -> Iterator[Row]:
    """A row for each routine of MPI: `part` is its name.

    `all` is the time of all ranks together, `application` what they spend outside of MPI, `mpi` the rest.

    Args:
        profile: of the run.
        own: routines that count as application.
        ranks: those whose own times are rows besides, with parts such as `MPI_Bcast of rank 0`; those that there are not, are not.
    """
    lines = [line for line in profile.summed if line.phase is None]
    whole = next(line for line in lines if line.name == _APPLICATION)
    outside = [line for line in lines if _name(line) in (_APPLICATION, *own)]
    application_s = sum(line.exclusive_s for line in outside)

    def row(part: str, time_s: float, calls: int) -> Row:
        return {"part": part, TIME: time_s, CALLS: calls, PERCENT: 100 * time_s / whole.inclusive_s}

    yield row("all", whole.inclusive_s, whole.calls)
    yield row("application", application_s, whole.calls)
    inside = [line for line in lines if line not in outside]
    yield row("mpi", whole.inclusive_s - application_s, sum(line.calls for line in inside))
    for line in inside:
        yield row(_name(line), line.exclusive_s, line.calls)
    for line in profile.per_rank:
        if line.rank in ranks and line.phase is None and _name(line) not in (_APPLICATION, *own):
            yield row(f"{_name(line)} of rank {line.rank}", line.exclusive_s, line.calls)


def _name(line: Line) -> str:
    return line.name.removesuffix("()")
