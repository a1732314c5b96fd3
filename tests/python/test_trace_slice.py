# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core


def _record(sandbox: Sandbox, program: str, ranks: int) -> tuple[Path, float]:
    trace = sandbox.folder / f"{program}.trace"
    ended = sandbox.run(ranks, program, options=("-o", str(trace), "--compute", "none"))
    assert ended.code == 0, ended.err
    return trace, ended.record["simulated_s"]


@pytest.mark.parametrize(("program", "ranks"), [("ring", 8), ("collectives", 6), ("wildcard", 5), ("polling", 4)])
def test_halves_of_a_trace_replay(sandbox: Sandbox, program: str, ranks: int) -> None:
    trace, simulated_s = _record(sandbox, program, ranks)
    for number, options in enumerate(
        (["--to", f"{simulated_s / 2:.9f}"], ["--from", f"{simulated_s / 2:.9f}"], ["--only", f"0-{ranks // 2}"])
    ):
        part = sandbox.folder / f"part-{number}.trace"
        ended = sandbox.orrery("trace", "slice", str(trace), "-o", str(part), *options)
        assert ended.code == 0, ended.err
        sandbox.replayed(str(part))


def test_a_slice_of_everything_is_the_trace(sandbox: Sandbox) -> None:
    trace, simulated_s = _record(sandbox, "collectives", 6)
    part = sandbox.folder / "part.trace"
    ended = sandbox.orrery("trace", "slice", str(trace), "-o", str(part), "--from", "0", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["messages_left_out"] == 0
    assert json.loads(ended.out)["collectives_left_out"] == 0
    assert sandbox.replayed(str(part))["simulated_s"] == simulated_s
    assert sandbox.orrery("trace", "diff", str(trace), str(part)).code == 0


def test_a_slice_that_cannot_be_replayed_says_so(sandbox: Sandbox) -> None:
    trace, _ = _record(sandbox, "spawn", 2)
    part = sandbox.folder / "part.trace"
    ended = sandbox.orrery("trace", "slice", str(trace), "-o", str(part), "--only", "0")
    assert ended.code == 0, ended.err
    assert "cannot be replayed: ranks are started in it" in ended.out
    ended = sandbox.orrery("replay", str(part))
    assert ended.code == 2
    assert "ranks are started in it" in ended.err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--from", "2", "--to", "1"], "there is no time between them"),
        (["--only", "99"], "the trace has ranks 0 to 7"),
    ],
)
def test_slices_that_cannot_be_are_refused(sandbox: Sandbox, options: list[str], complaint: str) -> None:
    trace, _ = _record(sandbox, "ring", 8)
    ended = sandbox.orrery("trace", "slice", str(trace), "-o", str(sandbox.folder / "part.trace"), *options)
    assert ended.code == 2
    assert complaint in ended.err
    ended = sandbox.orrery("trace", "slice", str(trace), "-o", str(trace))
    assert ended.code == 2
    assert "is what is read" in ended.err


@pytest.mark.parametrize("form", ["goal", "goal-binary"])
@pytest.mark.parametrize(("program", "ranks"), [("ring", 8), ("collectives", 6), ("wildcard", 5), ("intercomms", 6)])
def test_a_schedule_sends_what_the_run_sent(sandbox: Sandbox, program: str, ranks: int, form: str) -> None:
    trace, _ = _record(sandbox, program, ranks)
    run = sandbox.replayed(str(trace))
    schedule = sandbox.folder / "out.goal"
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(schedule), "--format", form)
    assert ended.code == 0, ended.err
    found = sandbox.replayed(str(schedule))
    assert (found["messages"], found["bytes"]) == (run["messages"], run["bytes"])
    model = sandbox.orrery("replay", str(schedule), "--loggops", "", "--json")
    assert model.code == 0, model.err
    assert json.loads(model.out)["unfinished"] == 0


def test_what_a_schedule_cannot_say_is_named_or_left_out(sandbox: Sandbox) -> None:
    trace, _ = _record(sandbox, "one_sided", 4)
    schedule = sandbox.folder / "out.goal"
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(schedule), "--format", "goal")
    assert ended.code == 2
    assert "cannot be said in a GOAL schedule" in ended.err
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(schedule), "--format", "goal", "--lossy")
    assert ended.code == 0
    assert "left out: one-sided communication" in ended.err


def test_a_refused_time_independent_trace_leaves_no_file(sandbox: Sandbox) -> None:
    trace, _ = _record(sandbox, "one_sided", 4)
    before = set(sandbox.folder.iterdir())
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(sandbox.folder / "out.ti"), "--format", "ti")
    assert ended.code == 2
    assert "cannot be said in a time-independent trace" in ended.err
    assert set(sandbox.folder.iterdir()) == before


@pytest.mark.parametrize(("program", "ranks"), [("ring", 8), ("wildcard", 5)])
def test_a_time_independent_trace_replays_as_its_own(sandbox: Sandbox, program: str, ranks: int) -> None:
    trace, simulated_s = _record(sandbox, program, ranks)
    run = sandbox.replayed(str(trace))
    ti = sandbox.folder / "out.ti"
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(ti), "--format", "ti")
    assert ended.code == 0, ended.err
    found = sandbox.replayed(str(ti))
    assert (found["messages"], found["bytes"]) == (run["messages"], run["bytes"])
    assert found["simulated_s"] == pytest.approx(simulated_s, rel=0.02)


def test_collectives_on_part_of_the_ranks_are_messages_in_a_time_independent_trace(sandbox: Sandbox) -> None:
    trace, ti = sandbox.folder / "own.trace", sandbox.folder / "out.ti"
    writer = _core.TraceWriter(str(trace), 4)
    kinds = _core.operation_kinds()
    writer.communicator(1, [3, 0, 2])
    for rank in range(4):
        if rank != 1:
            writer.operation(
                rank, kinds.index("collective"), collective="allreduce", comm=1, bytes=64, element=8, flags=11
            )
        writer.operation(rank, kinds.index("collective"), collective="barrier", flags=11)
        writer.operation(rank, kinds.index("finalize"), flags=2)
        writer.end(rank)
    writer.close()
    run = sandbox.replayed(str(trace))
    ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(ti), "--format", "ti")
    assert ended.code == 0, ended.err
    found = sandbox.replayed(str(ti))
    assert (found["messages"], found["bytes"]) == (run["messages"], run["bytes"])
    assert found["simulated_s"] == pytest.approx(run["simulated_s"], rel=0.02)


@pytest.mark.parametrize("form", ["goal", "ti"])
def test_parts_of_a_collective_go_on_as_their_messages_come(sandbox: Sandbox, form: str) -> None:
    trace, out = sandbox.folder / "own.trace", sandbox.folder / "out"
    writer = _core.TraceWriter(str(trace), 5)
    kinds = _core.operation_kinds()
    writer.communicator(1, [4, 0, 2, 3])
    for rank in range(5):
        if rank != 1:
            writer.operation(
                rank, kinds.index("collective"), collective="allreduce", comm=1, bytes=1 << 20, element=8, flags=11
            )
        writer.operation(rank, kinds.index("finalize"), flags=2)
        writer.end(rank)
    writer.close()
    run = sandbox.replayed(str(trace), "--coll", "allreduce=pipelined_ring", "--map", "node")
    ended = sandbox.orrery(
        "trace", "convert", str(trace), "-o", str(out), "--format", form, "--coll", "allreduce=pipelined_ring"
    )
    assert ended.code == 0, ended.err
    found = sandbox.replayed(str(out))
    assert (found["messages"], found["bytes"]) == (run["messages"], run["bytes"])


def test_tables_are_parquet_files(sandbox: Sandbox) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    trace, _ = _record(sandbox, "ring", 4)
    for table in ("events", "profile"):
        out = sandbox.folder / f"{table}.parquet"
        ended = sandbox.orrery("trace", "convert", str(trace), "-o", str(out), "--format", "parquet", "--table", table)
        assert ended.code == 0, ended.err
        rows = parquet.read_table(out).to_pylist()
        assert {row["rank"] for row in rows} == {0, 1, 2, 3}
        assert "MPI_Send" in {row["routine"] for row in rows}
    events = parquet.read_table(sandbox.folder / "events.parquet")
    assert events.schema.metadata[b"program"] == b"ring"
    assert sum(row["kind"] == "isend" for row in events.to_pylist()) == 4
