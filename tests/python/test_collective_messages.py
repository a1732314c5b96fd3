# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls consist of the messages that were recorded from the real library."""

from __future__ import annotations

import csv
import gzip
import io
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import recordings
from orrery.collective.call import Call
from orrery.collective.messages import messages, write_messages
from orrery.collective.settings import CollectiveRequest
from orrery.errors import InputError

RECORDED = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[dict[str, str]]:
    with gzip.open(RECORDED / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def call_of(row: dict[str, str], *, immediate: bool = False) -> Call:
    return Call(row["collective"], int(row["bytes"]), int(row["nprocs"]), immediate)


def total_of(row: dict[str, str]) -> tuple[tuple[int, int], tuple[int, int]]:
    return (int(row["src"]), int(row["dst"])), (int(row["count"]), int(row["bytes_total"]))


@pytest.mark.parametrize(
    ("selector", "name", "number"),
    [
        ("openmpi-4.1", "openmpi-4.1.4/collective-messages", 531),
        ("mpich-4.0", "mpich-4.0.2/collective-messages", 531),
        ("mpich-4.0", "mpich-4.0.2/more-messages", 894),
        ("mpich-4.0", "mpich-4.0.2/immediate-messages", 685),
        ("mpich-5.0", "mpich-5.0.2/collective-messages", 894),
        ("mpich-5.0", "mpich-5.0.2/immediate-messages", 685),
    ],
)
def test_calls_send_what_the_library_was_recorded_to_send(selector: str, name: str, number: int) -> None:
    recorded: dict[Call, dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    for row in rows(name):
        pair, total = total_of(row)
        recorded[call_of(row, immediate="immediate" in name)][pair] = total
    assert len(recorded) == number
    wrong = [
        call
        for call, expected in recorded.items()
        if recordings.totals(call, recordings.asked(selector=selector)) != expected
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("selector", "name", "number"),
    [
        ("openmpi-4.1", "openmpi-4.1.4/collective-sequence", 87),
        ("mpich-4.0", "mpich-4.0.2/collective-sequence", 87),
        ("mpich-5.0", "mpich-5.0.2/collective-sequence", 87),
    ],
)
def test_messages_come_in_the_order_in_which_the_library_was_recorded_to_issue_them(
    selector: str, name: str, number: int
) -> None:
    recorded: dict[Call, dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    for row in rows(name):
        recorded[call_of(row)][int(row["src"]), int(row["seq"])] = (int(row["dst"]), int(row["msg_bytes"]))
    wrong = []
    for call, expected in recorded.items():
        _, found = messages(call, recordings.asked(selector=selector))
        if {(source, sequence): (dest, size) for source, sequence, dest, size in found} != expected:
            wrong.append(call)
    assert len(recorded) == number
    assert wrong == []


@pytest.mark.parametrize(
    ("selector", "name", "number"),
    [("openmpi-4.1", "openmpi-4.1.4/gaps-messages", 1074), ("mpich-4.0", "mpich-4.0.2/gaps-messages", 1212)],
)
def test_calls_with_datatypes_that_have_gaps_send_what_was_recorded(selector: str, name: str, number: int) -> None:
    recorded: dict[Call, dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    for row in rows(name):
        call = replace(
            call_of(row, immediate=row["immediate"] == "1"),
            type_size=int(row["type_size"]),
            type_extent=int(row["type_extent"]),
            operation="commutative" if row["commutative"] == "1" else "not-commutative",
        )
        pair, total = total_of(row)
        recorded[call][pair] = total
    assert len(recorded) == number
    wrong = [
        call
        for call, expected in recorded.items()
        if recordings.totals(call, recordings.asked(selector=selector)) != expected
    ]
    assert wrong == []
    # Only MPICH's ring of long allgathervs looks at more than the bytes of data. Its immediate form does so only where
    # blocks differ in length.
    extent_matters = {
        (call.kind, call.immediate)
        for call, expected in recorded.items()
        if recordings.totals(replace(call, type_extent=0), recordings.asked(selector=selector)) != expected
    }
    assert extent_matters == ({("allgatherv", False)} if selector == "mpich-4.0" else set())


def test_every_algorithm_of_open_mpi_sends_what_was_recorded_when_it_was_forced() -> None:
    recorded: dict[tuple[Call, str, str], dict[tuple[int, int], tuple[int, int]]] = defaultdict(dict)
    for row in rows("openmpi-4.1.4/forced-algorithm-messages"):
        pair, total = total_of(row)
        recorded[call_of(row), row["name"], row["segsize"]][pair] = total
    assert len(recorded) == 675
    wrong = [
        (call, name, segment)
        for (call, name, segment), expected in recorded.items()
        if recordings.totals(call, recordings.asked(algorithm=(name,), segments=(int(segment),))) != expected
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "selector", "calls"),
    [
        ("openmpi-4.1.4/more-sequence.csv.gz", "openmpi-4.1", 1867),
        ("openmpi-5.0.11/collective-sequence.csv.gz", "openmpi-5.0", 3850),
    ],
)
def test_calls_of_many_sizes_and_roots_send_what_was_recorded_in_that_order(
    name: str, selector: str, calls: int
) -> None:
    assert len(recordings.sequences(name)) == calls
    assert recordings.different(name, selector=selector) == []


@pytest.mark.parametrize(
    ("name", "selector", "calls"),
    [
        ("openmpi-4.1.4/immediate-sequence.csv.gz", "openmpi-4.1", 1268),
        ("openmpi-5.0.11/immediate-sequence.csv.gz", "openmpi-5.0", 1371),
    ],
)
def test_non_blocking_calls_send_what_was_recorded_in_that_order(name: str, selector: str, calls: int) -> None:
    assert len(recordings.sequences(name, immediate=True)) == calls
    assert recordings.different(name, immediate=True, selector=selector) == []


def test_every_algorithm_of_libnbc_and_the_new_ones_of_5_0_send_what_was_recorded_when_they_were_forced() -> None:
    recorded: dict[tuple[Call, str], recordings.Sequences] = {}
    for row in rows("openmpi-5.0.11/forced-sequence"):
        call = Call(row["collective"], int(row["bytes"]), int(row["nprocs"]), row["immediate"] == "1")
        sent = recorded.setdefault((call, row["algorithm"]), defaultdict(list))
        if row["src"]:
            sent[int(row["src"])].append((int(row["dst"]), int(row["msg_bytes"])))
    assert len({(call.kind, name) for call, name in recorded}) == 19
    wrong = [
        (call, name)
        for (call, name), expected in recorded.items()
        if recordings.sent_by(call, recordings.asked(algorithm=(name,))) != expected
    ]
    assert wrong == []


def test_the_csv_has_the_columns_of_the_recorded_files() -> None:
    file = io.StringIO()
    request = CollectiveRequest(kinds=["bcast"], ranks="2,3", sizes="8,1KiB", selector="openmpi-4.1")
    write_messages(request, file)
    assert file.getvalue().splitlines() == [
        "collective,bytes,nprocs,src,dst,count,bytes_total",
        "bcast,8,2,0,1,1,8",
        "bcast,8,3,0,1,1,8",
        "bcast,8,3,1,2,1,8",  # Open MPI 4.1 has a pipeline for less than 32 bytes on 3 ranks
        "bcast,1024,2,0,1,1,1024",
        "bcast,1024,3,0,1,1,1024",
        "bcast,1024,3,0,2,1,1024",
    ]


def test_a_request_that_cannot_be_served_prints_no_head_of_a_table() -> None:
    file = io.StringIO()
    with pytest.raises(InputError, match='no algorithm of bcast is named "tree"'):
        write_messages(CollectiveRequest(kinds=["bcast"], ranks="4", sizes="8", coll="bcast=tree"), file)
    assert file.getvalue() == ""


@pytest.mark.parametrize(
    ("kind", "ranks", "sizes", "settings", "said"),
    [
        ("broadcast", "2", "8", {}, '"broadcast" is not a collective'),
        ("bcast", "two", "8", {}, '-n "two": expected whole numbers'),
        ("bcast", "2", "-8", {}, '-s "-8": expected a size'),
        ("bcast", "2", "8", {"root": 2}, "--root 2: there is no such rank among 2"),
        ("allreduce", "2", "9", {}, "-s 9: allreduce is of numbers of 8 bytes"),
        ("bcast", "2", "8", {"algorithm": ("ring",)}, 'no algorithm of bcast is named "ring"; there are: '),
        ("barrier", "3", "0", {"algorithm": ("two_proc",)}, "barrier by two_proc does not serve 3 ranks"),
        (
            "bcast",
            "2",
            "8",
            {"selector": "mpich"},
            'no selector is named "mpich"; there are: default, mpich-4.0',
        ),
    ],
)
def test_what_cannot_be_shown_is_said_with_its_cure(
    kind: str, ranks: str, sizes: str, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as error:
        write_messages(CollectiveRequest(kinds=[kind], ranks=ranks, sizes=sizes, **settings), io.StringIO())
    assert said in str(error.value)
