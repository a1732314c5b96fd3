# SPDX-License-Identifier: BSD-3-Clause
"""Time inside of MPI_Init and MPI_Finalize stays what it is, from whatever tool a trace comes and to whichever it goes."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.trace.contents import contents_of
from orrery.trace.start_up import StartUp
from orrery.trace.usage import UsageReport, read_usage
from paraver_traces import END_NS, INIT_NS, write_trace

needs_otf2 = pytest.mark.skipif(importlib.util.find_spec("_otf2") is None, reason="otf2 is not installed")
# Of both ranks: from MPI_Init to the message, and from there to MPI_Finalize.
COMPUTED_S = 2 * (1e-3 + 1e-3)


def _seconds(report: UsageReport) -> dict[str, float]:
    return {row.name: row.exclusive_s for row in report.profile.summed}


def _check(path: Path) -> None:
    """What the trace of `write_trace` says, as itself or after any conversion that keeps times."""
    assert contents_of(path).compute_s == pytest.approx(COMPUTED_S, abs=1e-9)
    found = read_usage(path)
    assert _seconds(found) == pytest.approx(
        {
            ".application": COMPUTED_S,
            "MPI_Init()": 2 * INIT_NS * 1e-9,
            "MPI_Send()": 1e-3,
            "MPI_Recv()": 1e-3,
            "MPI_Finalize()": 2 * 0.1e-3,
        },
        abs=1e-9,
    )
    for rank in found.ranks:  # between MPI_Init and MPI_Finalize: 3 ms, 1 of it in the message's call
        assert [rank.total_s, rank.mpi_s] == pytest.approx([3e-3, 1e-3], abs=1e-9)


def test_mpi_init_of_paraver_is_start_up_and_no_computation(tmp_path: Path) -> None:
    _check(write_trace(tmp_path))


@needs_otf2
def test_mpi_init_stays_as_long_as_it_was_on_the_way_to_otf2_and_back(sandbox: Sandbox) -> None:
    prv = write_trace(sandbox.folder)
    for source, target in ((str(prv), "a.otf2"), ("a.otf2", "b.otf2")):
        ended = sandbox.orrery("trace", "convert", source, "-o", target)
        assert ended.code == 0, ended.err
        _check(sandbox.folder / target)
    assert sandbox.orrery("trace", "diff", str(prv), "b.otf2").code == 0


def test_a_replay_computes_what_the_program_did_between_its_calls(sandbox: Sandbox) -> None:
    record = sandbox.replayed(str(write_trace(sandbox.folder)), "--ideal")
    # A network that costs nothing: rank 1 takes what rank 0 sends at 1 ms, and both compute another.
    assert record["simulated_s"] == pytest.approx(2e-3, abs=1e-9)


def test_mpi_init_is_a_call_of_its_length_in_all_timelines(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder))
    for ending in ("json", "pftrace", "paje", "csv", "ctf"):
        assert sandbox.orrery("trace", "convert", prv, "-o", f"a.{ending}").code == 0
    events = json.loads((sandbox.folder / "a.json").read_text())["traceEvents"]
    init = [(event["ts"], event["dur"]) for event in events if event["name"] == "MPI_Init"]
    assert init == [(0, INIT_NS / 1000)] * 2
    paje = [line.split() for line in (sandbox.folder / "a.paje").read_text().splitlines()]
    begins = [(float(line[1]), line[4]) for line in paje if line[0] == "4" and line[3] == "r0"]
    ends = [float(line[1]) for line in paje if line[0] == "5" and line[3] == "r0"]
    assert begins == [(0, '"MPI_Init"'), (0.101, '"MPI_Send"'), (0.103, '"MPI_Finalize"')]
    assert ends == [INIT_NS / 1e9, 0.102, END_NS / 1e9]
    rows = list(csv.DictReader((sandbox.folder / "a.csv").read_text().splitlines()))
    assert [(row["begin_s"], row["end_s"]) for row in rows if row["routine"] == "MPI_Init"] == [
        ("0.000000000", "0.100000000")
    ] * 2


def _captured(path: Path) -> _core.TraceFile:
    """A trace as `orrery capture` has it: times begin when the last rank has left MPI_Init, which took 80 and 50 ms until then."""
    routines = _core.routine_names()
    kinds = _core.operation_kinds()
    writer = _core.TraceWriter(str(path), 2)
    writer.names(1, 0, routines)
    starts, ends = routines.index("MPI_Init"), routines.index("MPI_Finalize")
    for rank, init_ns in enumerate((80_000_000, 50_000_000)):
        writer.operation(rank, kinds.index("compute"), routine=starts, flags=2, begin_ns=0, end_ns=4000)
        writer.operation(rank, kinds.index("finalize"), routine=ends, flags=2, begin_ns=1_004_000, end_ns=1_004_000,
                         compute_s=1e-3)  # fmt: skip
        outside = [(routines.index("MPI_Init"), 0, init_ns), (routines.index("MPI_Finalize"), 0, 7_000_000)]
        writer.local_calls(rank, [*outside, (routines.index("MPI_Comm_rank"), 3, 90)])
        writer.end(rank)
    writer.close()
    return _core.TraceFile(str(path))


def test_what_a_captured_trace_has_outside_of_its_times_is_inside_of_those_of_other_tools(tmp_path: Path) -> None:
    start_up = StartUp.of(_captured(tmp_path / "it.trace"))
    # Everything is later by the longest MPI_Init; the other rank entered 30 ms later.
    assert start_up.shift_ns == 80_000_000
    assert start_up.times(0, "MPI_Init", 0, 4000) == (0, 80_004_000)
    assert start_up.times(1, "MPI_Init", 0, 4000) == (30_000_000, 80_004_000)
    assert start_up.times(1, "MPI_Send", 10, 20) == (80_000_010, 80_000_020)
    assert start_up.times(1, "MPI_Finalize", 10, 20) == (80_000_010, 87_000_020)


@needs_otf2
def test_mpi_init_of_a_capture_is_as_long_in_an_archive_and_read_back(sandbox: Sandbox) -> None:
    _captured(sandbox.folder / "it.trace")
    before = _seconds(read_usage(sandbox.folder / "it.trace"))
    assert before["MPI_Init()"] == pytest.approx(2 * 4e-6 + 0.130)
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2")
    assert ended.code == 0, ended.err
    assert "such as MPI_Comm_rank, 6 times: the trace does not say when they were" in ended.err
    after = _seconds(read_usage(sandbox.folder / "it.otf2"))
    assert after["MPI_Init()"] == pytest.approx(before["MPI_Init()"], abs=1e-8)
    assert after["MPI_Finalize()"] == pytest.approx(0.014, abs=1e-8)
    assert contents_of(sandbox.folder / "it.otf2").compute_s == pytest.approx(2e-3, abs=1e-8)


def test_a_table_of_operations_says_that_it_lacks_what_is_outside_of_them(sandbox: Sandbox) -> None:
    _captured(sandbox.folder / "it.trace")
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.csv")
    assert ended.code == 0, ended.err
    for what in (
        "time in MPI_Init before the start of the run, 2 times",
        "time in MPI_Finalize",
        "such as MPI_Comm_rank",
    ):
        assert f"left out: {what}" in ended.err or what in ended.err
