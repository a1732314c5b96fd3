# SPDX-License-Identifier: BSD-3-Clause
"""`orrery run` from outside: programs that end well, and programs that do not."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import HUNG_S, ORRERY, Ended, Sandbox, until
from orrery.platform.find import BUILTIN


def _failed_within_a_second(ended: Ended, event: Path) -> None:
    assert event.exists(), ended.err
    assert ended.ended_at - event.stat().st_mtime < 1.0
    assert ended.code != 0
    assert "Traceback" not in ended.err
    assert ended.record["exit_code"] == ended.code
    assert ended.record["cause"] in ended.err


# --- runs that end well -----------------------------------------------------------------------------------------------


def test_every_rank_says_hello_and_gets_the_arguments(sandbox: Sandbox) -> None:
    ended = sandbox.run(5, "hello", "-v", "--label", "3")
    assert ended.code == 0, ended.err
    assert sorted(ended.out.splitlines()) == [f"rank {rank} of 5 -v --label 3" for rank in range(5)]


def test_output_that_is_redirected_is_only_the_programs(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "ring")
    assert ended.out == "token 4\n"
    assert ".application" in ended.err
    assert "\x1b" not in ended.err  # no live line where error is no terminal


def test_label_puts_the_rank_before_each_line(sandbox: Sandbox) -> None:
    ended = sandbox.run(3, "hello", options=("--label",))
    assert sorted(ended.out.splitlines()) == [f"[{rank}] rank {rank} of 3" for rank in range(3)]


@pytest.mark.parametrize("start", ["fork", "exec"])
def test_both_ways_to_start_ranks_give_the_same_times(sandbox: Sandbox, start: str) -> None:
    ended = sandbox.run(4, "ring", "1000", "5", options=("--compute", "none", "--launch", start))
    assert ended.code == 0, ended.err
    assert ended.record["start"] == start
    assert ended.record["messages"] == 20
    assert ended.record["bytes"] == 20_000
    # Nodes are shared: 4 ranks fit on one. An eager message of 1000 bytes inside a node takes
    # max(o_s + k O_s, L + k / B) + o_r + k O_r, here 0.2 us + 1000 / 12 GB/s, then 0.1 us + 50 ns; the wait for the
    # sender's overhead of 0.15 us is hidden behind the transfer.
    one_message_s = (200e-9 + 1000 / (0.6 * 20e9)) + (100e-9 + 1000 * 0.05e-9)
    assert ended.record["simulated_s"] == pytest.approx(20 * one_message_s, rel=1e-9)


@pytest.mark.parametrize("model", ["hybrid", "loggps", "fluid"])
def test_every_model_simulates_the_ring(sandbox: Sandbox, model: str) -> None:
    options = ("--model", model, "--platform", "graphene", "--map", "node", "--compute", "none")
    ended = sandbox.run(4, "ring", "100000", options=options)
    assert ended.code == 0, ended.err
    assert ended.record["model"] == model
    # Four messages one after the other at no more than 1 Gb/s, and not slower than half of that.
    at_line_rate = 4 * 100_000 / 1.25e8
    assert at_line_rate < ended.record["simulated_s"] < 2 * at_line_rate


def test_the_record_has_what_a_script_needs(sandbox: Sandbox) -> None:
    record = sandbox.run(4, "ring", "64", "3").record
    assert record["ranks"] == 4
    assert record["platform"] == "default"
    assert record["messages"] == 12
    assert record["bytes"] == 12 * 64
    assert record["exit_code"] == 0
    assert record["end"] == "completed"
    assert record["cause"] is None
    assert record["wall_s"] > 0
    assert record["peak_rss_bytes"] is None or record["peak_rss_bytes"] > 0
    summed, per_rank = record["profile"]["summed"], record["profile"]["per_rank"]
    assert summed[0]["name"] == ".application"
    assert summed[0]["calls"] == 4
    sends = next(row for row in summed if row["name"] == "MPI_Send()")
    assert (sends["calls"], sends["messages"], sends["bytes"]) == (12, 12, 768)
    assert {row["rank"] for row in per_rank} == {0, 1, 2, 3}


def test_the_last_run_is_shown_again(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "ring")
    shown = sandbox.orrery("profile")
    table = ended.err[ended.err.index("%Time") : ended.err.index("4 more took less than 0.05 %")].splitlines()
    assert shown.code == 0
    assert {line for line in table if not line.startswith("-")} <= set(shown.out.splitlines())
    assert shown.out.count("\n  0.0 ") == 4  # which the run counts only
    rows = json.loads(sandbox.orrery("profile", "run.json", "--per-rank", "--json").out)
    assert rows == ended.record["profile"]["per_rank"]


def test_a_home_that_cannot_be_written_does_not_matter(sandbox: Sandbox) -> None:
    sandbox.environment["XDG_STATE_HOME"] = "/proc/nowhere"
    ended = sandbox.run(2, "ring")
    assert ended.code == 0
    assert "nowhere" not in ended.err


def test_phases_have_rows_of_their_own(sandbox: Sandbox) -> None:
    rows = sandbox.run(2, "phases").record["profile"]["summed"]
    inside = {row["name"]: row for row in rows if row["phase"] == 3}
    assert inside["phase 3 => MPI_Send()"]["bytes"] == 1000
    assert "phase 3 => MPI_Barrier()" not in inside


def test_an_hour_of_sleep_takes_no_time_here(sandbox: Sandbox) -> None:
    ended = sandbox.run(1, "sleeper")
    assert float(ended.out) == pytest.approx(3600, abs=0.01)
    assert ended.record["simulated_s"] == pytest.approx(3600, abs=0.1)


def test_more_ranks_than_cores_is_said(sandbox: Sandbox) -> None:
    ended = sandbox.run(70, "hello", options=("--platform", "grid2", "-o", "it.trace"))  # 64 cores
    assert ended.code == 0, ended.err
    assert "more ranks than cores" in ended.err
    said = [[caution for caution in record["cautions"] if "more ranks than cores" in caution]
            for record in (ended.record, sandbox.replayed("it.trace"))]  # fmt: skip
    assert said[0] == said[1]
    assert said[0][0].startswith("more ranks than cores, up to 2 per core: ")
    assert "messages between ranks that wait for their turn are not" in said[0][0]


@pytest.mark.parametrize(
    "options",
    [
        ("--platform", "graphene"),  # every sender goes on at once: up to 320 KiB
        ("--platform", "default"),  # the larger messages, above 8 KiB, hold their sender until they are received
    ],
)
def test_wildcards_are_decided_in_simulated_time(sandbox: Sandbox, options: tuple[str, ...]) -> None:
    def once() -> tuple[str, float, Any]:
        ended = sandbox.run(6, "wildcard", options=(*options, "--compute", "none"))
        assert ended.code == 0, ended.err
        return ended.out, ended.record["simulated_s"], ended.record["profile"]

    assert once() == once()  # to the last bit: JSON keeps every digit of a double


@pytest.mark.parametrize("ranks", [2, 4])
def test_threads_of_a_rank_call_mpi_at_the_same_time(sandbox: Sandbox, ranks: int) -> None:
    ended = sandbox.run(ranks, "threads")
    assert (ended.code, ended.out) == (0, "done\n"), ended.err


def test_a_thread_sleeps_until_a_time_of_the_simulated_clock(sandbox: Sandbox) -> None:
    ended = sandbox.run(1, "thread_sleeps")
    assert (ended.code, ended.out) == (0, ""), ended.err


def test_a_rank_may_wait_for_another_one_outside_of_mpi(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "wait_outside", options=("--timeout", "50"))
    assert (ended.code, ended.out) == (0, "hello, 1\n"), ended.err
    assert any("outside of MPI" in caution for caution in ended.record["cautions"])


@pytest.mark.parametrize(
    ("level", "sizes"),
    [
        ("site", [16, 4]),  # 16 nodes each, a rank on each of the first 20
        ("cluster", [16, 4]),
        ("node", [1] * 20),
        ("cabinet", None),
    ],
)
def test_communicators_are_divided_by_the_levels_of_the_platform(
    sandbox: Sandbox, level: str, sizes: list[int] | None
) -> None:
    ended = sandbox.run(20, "levels", level, options=("--platform", "grid2", "--map", "node"))
    assert ended.code == 0, ended.err
    assert sorted(ended.out.split()) == (["none"] * 20 if sizes is None else sorted(map(str, sizes)))


@pytest.mark.parametrize(
    ("level", "sizes"),
    [
        ("cluster", ["9"]),
        ("node", ["1", "4", "4"]),
        ("socket", ["1", "2", "2", "2", "2"]),  # nodes of 4 cores on 2 sockets; the last one has one rank
    ],
)
def test_communicators_are_divided_by_sockets(sandbox: Sandbox, tmp_path: Path, level: str, sizes: list[str]) -> None:
    platform = tmp_path / "four_cores.toml"
    platform.write_text((BUILTIN / "grid2.toml").read_text(encoding="utf-8").replace("cores = 2", "cores = 4"))
    ended = sandbox.run(9, "levels", level, options=("--platform", str(platform)))
    assert ended.code == 0, ended.err
    assert sorted(ended.out.split()) == sizes


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        ("none", "MPI_Allreduce(MPI_COMM_WORLD) waits"),  # its messages show it
        ("many", "no rank can go on: they wait for data that nobody sends"),
        ("kinds", "no rank can go on: they wait for data that nobody sends"),
    ],
)
def test_members_that_do_not_agree_on_a_collective_end_the_run(sandbox: Sandbox, how: str, cause: str) -> None:
    ended = sandbox.run(3, "disagree", how)
    assert ended.code == 1
    assert cause in ended.err
    assert "MPI_Allreduce" in ended.err


@pytest.mark.parametrize("ranks", [1, 3, 16])
def test_the_heat_equation_has_the_exact_answer(sandbox: Sandbox, ranks: int) -> None:
    ended = sandbox.run(ranks, "heat2d", "50", "40", options=("--platform", "graphene"))
    assert ended.code == 0, ended.out + ended.err
    assert "right" in ended.out


def test_a_terminal_sees_how_far_the_run_is(sandbox: Sandbox, tmp_path: Path) -> None:
    process = sandbox.start_on_terminal("run", "-n", "2", sandbox.program("endless"), str(tmp_path / "mark"))
    process.until("messages/s")
    process.interrupt()
    assert process.finish().code == 130


# --- runs that do not -------------------------------------------------------------------------------------------------


def test_a_crash_names_rank_signal_and_last_call(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = sandbox.run(4, "crash", str(tmp_path / "mark"))
    _failed_within_a_second(ended, tmp_path / "mark")
    assert ended.code == 128 + signal.SIGSEGV
    assert ended.record["end"] == "crashed"
    for word in ("rank 1", "SIGSEGV", "MPI_Send"):
        assert word in ended.record["cause"]


@pytest.mark.parametrize(("status", "code"), [("0", 1), ("3", 3)])
def test_leaving_without_finalize_is_a_failure(sandbox: Sandbox, tmp_path: Path, status: str, code: int) -> None:
    ended = sandbox.run(4, "leave", str(tmp_path / "mark"), status)
    _failed_within_a_second(ended, tmp_path / "mark")
    assert ended.code == code
    assert ended.record["end"] == "left_early"
    for word in ("rank 1", "MPI_Finalize"):
        assert word in ended.record["cause"]


def test_abort_gives_its_code(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = sandbox.run(4, "abort", str(tmp_path / "mark"), "7")
    _failed_within_a_second(ended, tmp_path / "mark")
    assert ended.code == 7
    for word in ("rank 1", "MPI_Abort", "7"):
        assert word in ended.record["cause"]


def test_a_deadlock_names_the_circle(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = sandbox.run(4, "deadlock", str(tmp_path / "mark"))
    _failed_within_a_second(ended, tmp_path / "mark")
    assert ended.code == 1
    assert ended.record["end"] == "deadlocked"
    cause = ended.record["cause"]
    for word in ("rank 0", "rank 1", "MPI_Recv", "MPI_Barrier", "5", "6"):
        assert word in cause


def test_a_run_can_have_a_time_limit(sandbox: Sandbox, tmp_path: Path) -> None:
    ended = sandbox.run(2, "endless", str(tmp_path / "mark"), options=("--timeout", "0.5"))
    assert ended.code == 124
    assert ended.record["end"] == "interrupted"
    assert ended.record["cause"] == "it took longer than its time limit of 0.5 s"
    assert ended.record["wall_s"] >= 0.5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_still_reports(sandbox: Sandbox, tmp_path: Path, number: signal.Signals) -> None:
    process = sandbox.start("run", "-n", "4", "-o", "run.json", sandbox.program("endless"), str(tmp_path / "mark"))
    until((tmp_path / "mark").exists, process)
    process.send_signal(number)
    ended = sandbox.finish(process)
    assert ended.code == 128 + number
    assert ended.record["end"] == "interrupted"
    assert "MPI_Allreduce()" in ended.err
    assert ended.record["messages"] > 0
    assert ended.record["peak_rss_bytes"] > 4 * 100_000  # four processes of a C library each


def test_a_reader_that_goes_away_ends_the_run(sandbox: Sandbox) -> None:
    process = sandbox.start("run", "-n", "2", sandbox.program("chatter"))
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "and on\n"
    process.stdout.close()
    assert process.wait(timeout=HUNG_S) == 128 + signal.SIGPIPE
    assert "output cannot be written: Broken pipe" in process.stderr.read()
    process.stderr.close()


@pytest.mark.parametrize("options", [(), ("--repeat", "2"), ("--label",)])
def test_a_run_whose_output_is_lost_never_looks_well(sandbox: Sandbox, options: tuple[str, ...]) -> None:
    for _ in range(5):  # whether the run has ended when this is found out is chance
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            command = [
                str(ORRERY),
                "run",
                "-n",
                "2",
                "-o",
                "run.json",
                "--overwrite",
                *options,
                sandbox.program("hello"),
            ]
            ended = subprocess.run(
                command,
                stdout=full,
                stderr=subprocess.PIPE,
                cwd=sandbox.folder,
                env=sandbox.environment,
                text=True,
                check=False,
            )
        record = json.loads((sandbox.folder / "run.json").read_text(encoding="utf-8"))
        assert ended.returncode == record["exit_code"] == 1
        assert record["end"] == "interrupted"
        assert record["cause"] == "its output cannot be written: No space left on device"


def test_the_programs_own_exit_code_is_handed_on(sandbox: Sandbox) -> None:
    ended = sandbox.run(3, "status", "42")
    assert ended.code == 42
    assert "rank 1" in ended.record["cause"]


def test_a_program_without_mpi_is_told_how_to_be_built(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", "/bin/true")
    assert ended.code != 0
    assert "mpicc" in ended.err


def test_a_program_that_is_not_there_is_told(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", "./nowhere")
    assert ended.code == 127  # as a shell says it
    assert ended.err == "orrery: error: ./nowhere: no such program\n"


# --- input that cannot be used ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-n", "0"], ["-n", "0"]),
        (["-n", "many"], ["-n", "many"]),
        ([], ["-n"]),
        (["-n", "2", "--platform", "grafene"], ["grafene", "graphene"]),
        (["-n", "2", "--platform", "grid2", "--model", "loggps"], ["grid2", "loggps", "hybrid"]),
        (["-n", "2", "--map", "core"], ["--map", "core", "slot"]),
        (["-n", "2", "--compute", "-1"], ["--compute", "-1", "factor"]),
        (["-n", "2", "--coll", "allreduce=rign"], ["--coll", "rign"]),
        (["-n", "2", "--lable"], ["--lable"]),
    ],
)
def test_bad_options_are_one_line_and_exit_code_2(sandbox: Sandbox, options: list[str], words: list[str]) -> None:
    ended = sandbox.orrery("run", *options, "./program")
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    for word in words:
        assert word in ended.err
