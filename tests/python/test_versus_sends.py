# SPDX-License-Identifier: BSD-3-Clause
"""Collectives beside the sends that would do the same (Khan 2011, tables 4.1 to 4.5)."""

from __future__ import annotations

import csv
import io

import pytest

from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.versus import COLUMNS, Scenario, SendsComparison, compare, scenarios


@pytest.mark.parametrize(
    ("kind", "sends"), [("bcast", 3), ("reduce", 3), ("gather", 3), ("scatter", 3), ("alltoall", 12), ("allreduce", 6)]
)
def test_as_many_sends_are_counted_as_the_paper_does(plain: str, kind: str, sends: int) -> None:
    # "calling MPI_Bcast with four processes is equivalent to calling MPI_Send three times", MPI_Alltoall twelve times.
    with Laboratory(plain, None, "slot").open() as laboratory:
        found = compare([Call(kind, 1000, 4)], _core.Selector(), laboratory).comparisons[0]
    assert found.sends == sends
    assert found.sends_s == pytest.approx(sends * 2e-6)


def test_ranks_of_one_node_send_through_its_memory() -> None:
    with Laboratory("default", None, "slot").open() as near, Laboratory("default", None, "node").open() as far:
        times = [compare([Call("bcast", 8, 8)], _core.Selector(), lab).comparisons[0].sends_s for lab in (near, far)]
    assert times[0] < times[1]


def test_a_barrier_is_counted_where_it_is_asked_for(plain: str) -> None:
    call = Call("bcast", 1000, 4)
    with Laboratory(plain, None, "slot").open() as laboratory:
        without, after = (
            compare([call], _core.Selector(), laboratory, barrier=b).comparisons[0] for b in (False, True)
        )
    assert after.collective_s == pytest.approx(without.collective_s + 2e-6)  # two rounds of 1 us


def row(sides: str) -> list[SendsComparison]:
    return [
        SendsComparison(Call("bcast", 4 << i, 4), "binomial", 1.0 if side == "L" else 3.0, 3, 2.0)
        for i, side in enumerate(sides)
    ]


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ("LLL", "always lower"),
        ("HHH", "always higher"),
        ("HHL", "higher, crossover at 16 B, then lower"),
        ("LHH", "lower, crossover at 8 B, then higher"),
        ("LHL", "lower at first, changes at 8 B, 16 B"),
    ],
)
def test_scenarios_are_named(sides: str, words: str) -> None:
    (found,) = scenarios(row(sides))
    assert isinstance(found, Scenario)
    assert found.words == words
    assert (found.short_message, found.long_message) == (sides[0], sides[-1])


def test_what_is_lower_for_all_sizes_without_contention_is_named_so(plain: str) -> None:
    # An alltoall has all its messages at the same time: 12 of them, one after the other, take longer at any size.
    with Laboratory(plain, None, "slot").open() as laboratory:
        found = compare([Call("alltoall", 4 << i, 4) for i in range(0, 19, 3)], _core.Selector(), laboratory)
    assert [scenario.words for scenario in found.scenarios] == ["always lower"]


def test_the_csv_has_the_columns_of_the_published_table(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "collective", "bcast", "alltoall", "-n", "4,8", "-s", "4:64KiB", "--map", "node", "--versus-sends", "--csv"
    )
    assert ended.code == 0, ended.err
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert list(rows[0]) == list(COLUMNS)
    assert [(r["collective"], r["ranks"]) for r in rows] == [
        ("alltoall", "4"),
        ("alltoall", "8"),
        ("bcast", "4"),
        ("bcast", "8"),
    ]
    assert {r["short_message"] for r in rows} <= {"L", "H"}


def test_a_collective_that_no_sends_replace_is_refused(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("collective", "scan", "-n", "4", "-s", "8", "--versus-sends")
    assert ended.code == 2
    assert "no row of sends does what scan does" in ended.err
