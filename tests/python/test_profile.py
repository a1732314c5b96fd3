# SPDX-License-Identifier: BSD-3-Clause
"""From the core's figures to TAU's table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orrery.record.profile import Entry, rows
from orrery.report.table import figure, per_rank_tables, profile_table

NAMES = [".application", "MPI_Send", "MPI_Recv", "MPI_Allreduce"]

# Two ranks; rank 1 computes for longer and spends part of it, and its receives, in phase 7.
ENTRIES = [
    Entry(rank=0, phase=0, routine=0, calls=0, time_s=0.5, messages=0, bytes=0),
    Entry(rank=0, phase=0, routine=1, calls=1000, time_s=0.0156, messages=1000, bytes=8_000_000),
    Entry(rank=0, phase=0, routine=3, calls=1, time_s=1.4844, messages=1, bytes=8),
    Entry(rank=1, phase=0, routine=0, calls=0, time_s=0.75, messages=0, bytes=0),
    Entry(rank=1, phase=0, routine=3, calls=1, time_s=0.00002, messages=1, bytes=8),
    Entry(rank=1, phase=7, routine=0, calls=0, time_s=1.0, messages=0, bytes=0),
    Entry(rank=1, phase=7, routine=2, calls=1000, time_s=0.24998, messages=0, bytes=0),
]


def test_the_application_includes_everything_and_calls_every_routine() -> None:
    summed = rows(ENTRIES, NAMES).summed
    application = summed[0]
    assert application.name == ".application"
    assert application.percent_time == 100
    assert application.inclusive_s == pytest.approx(4.0)  # 2 s on each of two ranks
    assert application.exclusive_s == pytest.approx(2.25)  # 0.5 + 0.75 + 1.0
    assert (application.calls, application.subrs) == (2, 2002)


def test_routines_come_by_decreasing_time_and_with_all_phases() -> None:
    summed = [row for row in rows(ENTRIES, NAMES).summed if row.phase is None]
    assert [row.name for row in summed] == [".application", "MPI_Allreduce()", "MPI_Recv()", "MPI_Send()"]
    assert [row.exclusive_s for row in summed[1:]] == pytest.approx([1.48442, 0.24998, 0.0156])
    assert sum(row.exclusive_s for row in summed) == pytest.approx(summed[0].inclusive_s)


def test_a_phase_includes_what_was_called_in_it() -> None:
    phase, receive = (row for row in rows(ENTRIES, NAMES).summed if row.phase == 7)
    assert (phase.calls, phase.subrs) == (1, 1000)
    assert phase.inclusive_s == pytest.approx(1.24998)
    assert phase.percent_time == pytest.approx(100 * 1.24998 / 4)
    assert receive.name == "phase 7 => MPI_Recv()"


def test_the_sum_over_ranks_is_the_sum_of_the_ranks() -> None:
    profile = rows(ENTRIES, NAMES)
    for total in profile.summed:
        own = [row for row in profile.per_rank if (row.name, row.phase) == (total.name, total.phase)]
        assert sum(row.exclusive_s for row in own) == pytest.approx(total.exclusive_s)
        assert sum(row.calls for row in own) == total.calls
        assert sum(row.bytes for row in own) == total.bytes


def test_a_run_that_never_started_has_an_empty_table() -> None:
    (application,) = rows([], NAMES).summed
    assert application.percent_time == 0
    assert "0.000" in profile_table([application])


@pytest.mark.parametrize(
    ("value", "text"),
    [  # the first five as in TAU's output, Díaz López de la Llave, table 6, but for the separator
        (691989, "691,989"),
        (59.0, "59.0"),
        (15.8, "15.8"),
        (1.56, "1.56"),
        (0.932, "0.932"),
        (99.96, "100"),
        (9.996, "10.0"),
        (0.00004, "0.000"),
    ],
)
def test_figures_have_three_significant_digits(value: float, text: str) -> None:
    assert figure(value) == text


def test_the_tables_have_the_approved_layout(approved: Callable[[str, str], None]) -> None:
    profile = rows(ENTRIES, NAMES)
    approved("profile-table.txt", profile_table(profile.summed) + "\n" + per_rank_tables(profile.per_rank))
