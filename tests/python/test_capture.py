# SPDX-License-Identifier: BSD-3-Clause
"""`orrery capture` on the real MPIs that are installed, and what profiles and replays make of its traces."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import ORRERY, Sandbox, next_line
from orrery.real_mpi import starter as launcher
from real_mpis import MPIS, RANKS, RealMpi, needs_mpi
from skips import needs


@pytest.fixture(params=MPIS)
def real(request: pytest.FixtureRequest, sandbox: Sandbox) -> RealMpi:
    return RealMpi(request.param, sandbox)


def calls_of(shown: dict[str, Any]) -> dict[str, int]:
    return {row["name"].removesuffix("()"): row["calls"] for row in shown["profile"]["summed"]}


def test_what_a_c_program_does_is_captured_and_replayed(real: RealMpi) -> None:
    ended, report = real.capture(real.program("captured.c"))
    assert ended.code == 0, ended.err
    assert (report["ranks"], report["cut_off"], report["missing"], report["damage"]) == (RANKS, [], [], [])
    shown = real.profile()
    calls = calls_of(shown)
    # As the program says: 50 rounds on each of 4 ranks, 3 + 4 receives of any source.
    assert (calls["MPI_Isend"], calls["MPI_Allreduce"], calls["MPI_Recv"], calls["MPI_Mrecv"]) == (200, 200, 7, 1)
    to_next = {(e["source"], e["destination"]): e["bytes"] for e in shown["edges"]}
    assert to_next[2, 3] == 50 * 8000 + 80  # and the persistent one: world rank 3 is the merged one's 3 too
    replayed = real.replay()
    assert replayed.code == 0, replayed.err
    record = json.loads((real.sandbox.folder / "replay.json").read_text())
    again = {row["name"].removesuffix("()"): row["calls"] for row in record["profile"]["summed"]}
    assert {name: again[name] for name in calls if name.startswith("MPI_")} == {
        name: count for name, count in calls.items() if name.startswith("MPI_")
    }


def test_computation_is_processor_time_and_stamps_are_the_system_s_clock(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("captured_times.c"), ranks=1)
    assert ended.code == 0, ended.err
    computed_ns, passed_ns = map(int, ended.out.split())
    dumped = real.sandbox.orrery("trace", "dump", "it.trace", "--json").out.splitlines()
    calls = [json.loads(line) for line in dumped]
    first, *barriers = [call for call in calls if call["routine"] == "MPI_Barrier"]
    assert len(barriers) == 20 * 1002
    # What is not computation is calls, and writing them down: a microsecond each at most.
    found_ns = 1e9 * sum(call["compute_s"] for call in barriers)
    assert computed_ns - 1000 * len(barriers) - 0.01 * computed_ns < found_ns < 1.05 * computed_ns
    # The program asked the clock a little later than the first barrier ended, and again after the last one.
    assert barriers[-1]["end_ns"] - first["end_ns"] == pytest.approx(passed_ns, rel=0.01)


@needs("gfortran")
def test_fortran_programs_are_captured_too(real: RealMpi) -> None:
    ended, report = real.capture(real.program("captured.f90", "mpifort"))
    assert ended.code == 0, ended.err
    assert report["cut_off"] == []
    calls = calls_of(real.profile())
    assert (calls["MPI_Isend"], calls["MPI_Waitall"], calls["MPI_Recv"], calls["MPI_Finalize"]) == (4, 4, 1, 4)
    assert real.replay().code == 0


def test_a_crash_leaves_what_was_done_until_then(real: RealMpi) -> None:
    ended, report = real.capture(real.program("captured.c"), "crash")
    assert ended.code != 0
    assert 1 in report["cut_off"]
    calls = calls_of(real.profile(complete=False))
    assert calls["MPI_Isend"] == 200  # nothing of the block under way is lost
    assert "MPI_Finalize" not in calls
    assert "did not come to MPI_Finalize" in ended.err


def test_an_abort_leaves_what_was_done_until_then(real: RealMpi) -> None:
    ended, report = real.capture(real.program("captured.c"), "abort")
    assert ended.code != 0
    assert 1 in report["cut_off"]
    shown = real.profile(complete=False)
    assert calls_of(shown)["MPI_Abort"] == 1
    assert shown["properties"]["aborted"] == "rank 1, code 3"


def test_what_ranks_wrote_is_kept_when_the_trace_cannot_be_written(real: RealMpi) -> None:
    place = real.sandbox.folder / "it.trace"
    # A folder that comes while the program runs is as good as a full disk: the file cannot be made.
    ended, _ = real.capture("sh", "-c", f"mkdir -p it.trace && exec {real.program('captured.c')}")
    assert ended.code == 2
    kept = re.search(r"orrery capture --parts (\S+) -o FILE", ended.err)
    assert kept, ended.err
    place.rmdir()
    again = real.sandbox.orrery("capture", "--parts", kept[1], "-o", "it.trace")
    assert again.code == 0, again.err
    shown = real.profile()
    assert calls_of(shown)["MPI_Isend"] == 200
    assert "mpirun" in shown["properties"]["command"]
    shutil.rmtree(kept[1])


@pytest.mark.parametrize("arguments", [[], ["--parts", "nowhere"], ["--parts", "nowhere", "--", "mpirun"]])
def test_a_capture_of_nothing_is_refused(sandbox: Sandbox, arguments: list[str]) -> None:
    ended = sandbox.orrery("capture", *arguments)
    assert ended.code == 2
    assert ended.err.count("\n") == 1


def test_a_program_that_is_none_of_mpi_is_said_to_be_so(real: RealMpi) -> None:
    ended, _ = real.capture(shutil.which("true") or "true", ranks=1)
    assert ended.code == 1
    assert "no rank was captured" in ended.err
    assert "Traceback" not in ended.err


def test_a_launcher_that_is_not_there_is_said_to_be_so(real: RealMpi) -> None:
    mpicc = real.compiler("mpicc")
    ended = real.sandbox.finish(
        real.sandbox.start("capture", "--mpicc", mpicc, "--", "no-such-launcher", "-n", "2", "./a")
    )
    assert ended.code == 2
    assert 'cannot start "no-such-launcher"' in ended.err


def test_the_compiler_is_the_one_beside_the_launcher(tmp_path: Path) -> None:
    for name in ("mpirun.one", "mpicc.one", "mpicc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert launcher.mpicc_of([str(tmp_path / "mpirun.one"), "./a"]) == str(tmp_path / "mpicc.one")
    assert launcher.mpicc_of(["srun", "./a"]) == "mpicc"


def test_the_page_of_a_trace_stands_for_itself(real: RealMpi) -> None:
    real.capture(real.program("captured.c"))
    ended = real.sandbox.finish(real.sandbox.start("profile", "it.trace", "-o", "it.html"))
    assert ended.code == 0, ended.err
    page = (real.sandbox.folder / "it.html").read_text()
    assert "bytes sent from rank to rank" in page
    assert "<script src=" not in page


def test_threads_that_wait_for_each_other_s_ranks_are_replayed(real: RealMpi) -> None:
    ended, report = real.capture(real.program("threads.c"), ranks=2)
    assert (ended.code, ended.out, report["cut_off"]) == (0, "done\n", []), ended.err
    run = real.sandbox.run(2, "threads").record
    record = real.sandbox.replayed("it.trace", "--selector", "default")
    assert (record["messages"], record["bytes"]) == (run["messages"], run["bytes"])


@needs_mpi("mpich")
def test_partitioned_messages_are_replayed(sandbox: Sandbox) -> None:
    """Three ranks, two pairs of 8 partitions of 8,000 bytes each, three starts; and a barrier."""
    real = RealMpi("mpich", sandbox)
    ended, _ = real.capture(real.program("captured_parts.c"), ranks=3)
    assert ended.code == 0, ended.err
    run = real.sandbox.run(3, "captured_parts", options=("--compute", "none")).record
    record = real.sandbox.replayed("it.trace", "--compute-scale", "0", "--selector", "default")
    assert record["bytes"] == run["bytes"] == 3 * 2 * 3 * 8 * 8000
    assert record["messages"] == run["messages"]


@needs_mpi("openmpi")
def test_a_run_that_spawned_ranks_is_profiled_and_not_replayed(sandbox: Sandbox) -> None:
    real = RealMpi("openmpi", sandbox)
    ended, _ = real.capture(real.program("spawn.c"), "1", ranks=2)
    assert "1 spawned processes are not captured" in ended.err
    # Each of two ranks spawns twice; the second program is not there, at which Open MPI 4 ends the run.
    version = subprocess.run([real.mpirun, "--version"], capture_output=True, text=True, check=True).stdout
    assert calls_of(real.profile())["MPI_Comm_spawn"] == (2 if "(Open MPI) 4" in version else 4)
    replayed = real.replay()
    assert replayed.code == 2
    assert "it.trace: the program called MPI_Comm_spawn" in replayed.err
    assert replayed.err.count("\n") == 1


@pytest.mark.parametrize("end", ["kill", "exit", "_exit", "leave"])
def test_however_a_rank_ends_its_calls_are_there_and_nothing_is_left_behind(real: RealMpi, end: str) -> None:
    ended, report = real.capture(real.program("captured_end.c"), end)
    assert 1 in report["cut_off"]
    assert calls_of(real.profile(complete=False))["MPI_Allreduce"] >= 4 * 100  # all ranks came as far as that
    assert "did not come to MPI_Finalize" in ended.err
    assert real.sandbox.orphans() == []
    assert [path.name for path in real.sandbox.folder.glob("it.trace*")] == ["it.trace"]


def test_ctrl_c_ends_the_program_and_what_was_recorded_is_there(real: RealMpi) -> None:
    more = ["--oversubscribe"] if real.name == "openmpi" else []
    line = [real.mpirun, *more, "-n", "4", real.program("captured_end.c"), "never"]
    process = subprocess.Popen(
        [ORRERY, "capture", "-o", "it.trace", "--", *line],
        env=real.sandbox.environment,
        cwd=real.sandbox.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert next_line(process.stdout) == "ready\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all that is in the foreground
    ended = real.sandbox.finish(process)
    assert ended.code != 0
    assert calls_of(real.profile(complete=False))["MPI_Allreduce"] >= 4 * 100
    assert real.sandbox.orphans() == []


@pytest.mark.parametrize(("program", "within"), [("captured_windows", 0.05), ("captured_files", 1e-3)])
def test_what_is_captured_costs_in_a_replay_what_it_costs_on_line(real: RealMpi, program: str, within: float) -> None:
    """One-sided and file operations too. Polls are not as many, and what ran while others polled is a bit apart."""
    ended, _ = real.capture(real.program(f"{program}.c"))
    assert ended.code == 0, ended.err
    run = real.sandbox.run(RANKS, program, options=("--compute", "none")).record
    record = real.sandbox.replayed("it.trace", "--compute-scale", "0", "--selector", "default")
    for same in ("messages", "bytes", "file_accesses", "file_bytes_read", "file_bytes_written"):
        assert record[same] == run[same], same
    assert record["simulated_s"] == pytest.approx(run["simulated_s"], rel=within)
