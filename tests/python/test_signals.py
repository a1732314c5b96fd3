# SPDX-License-Identifier: BSD-3-Clause
"""Signals that come for a run go on to its ranks, as mpiexec passes them on."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness import Sandbox, next_line, until


def _begun(process: subprocess.Popen[str], mark: Path) -> None:
    until(lambda: mark.exists() or process.poll() is not None)
    assert process.poll() is None


def _lines(ranks: int, number: int) -> list[str]:
    return [f"rank {rank} got {number}" for rank in range(ranks)]


@pytest.mark.parametrize("launch", ["fork", "exec"])
@pytest.mark.parametrize("command", [("run",), ("mpiexec",)])
@pytest.mark.usefixtures("hangups_heard")
@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_reaches_the_handlers_of_all_ranks(
    sandbox: Sandbox, command: tuple[str], launch: str, number: signal.Signals
) -> None:
    mark = sandbox.folder / "mark"
    options = ("--launch", launch) if command == ("run",) else ()
    program = sandbox.program("handles")
    process = sandbox.start(*command, "-n", "2", *options, program, str(mark), str(int(number)))
    _begun(process, mark)
    process.send_signal(number)
    ended = sandbox.finish(process)
    assert sorted(ended.out.splitlines()) == _lines(2, number)
    # The program's own, as with mpiexec; Ctrl-C is for what started the run as well.
    assert ended.code == (128 + number if number == signal.SIGINT else 0), ended.err
    assert "simulated time" in ended.err
    if number not in (signal.SIGUSR1, signal.SIGUSR2):
        assert f"orrery: {number.name} is passed on to 2 ranks, with 5 s to end" in ended.err
        assert "the ranks ended by themselves" in ended.err


def test_the_program_of_a_wrapper_gets_the_signal_and_the_wrapper_goes_on(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    wrapper = f"{sandbox.program('handles')} {mark} {int(signal.SIGUSR1)}; echo wrapped"
    process = sandbox.start("run", "-n", "2", "sh", "-c", wrapper)
    _begun(process, mark)
    process.send_signal(signal.SIGUSR1)
    ended = sandbox.finish(process)
    assert sorted(ended.out.splitlines()) == [*_lines(2, signal.SIGUSR1), "wrapped", "wrapped"]
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
def test_a_signal_that_ranks_do_not_handle_ends_them_and_the_run_reports(
    sandbox: Sandbox, number: signal.Signals
) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start("run", "-n", "2", sandbox.program("handles"), str(mark))
    _begun(process, mark)
    process.send_signal(number)
    ended = sandbox.finish(process)
    assert ended.code == 128 + number
    assert f"was killed by {number.name}" in ended.err
    assert "simulated time" in ended.err


def test_a_second_signal_ends_ranks_that_go_on(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start(
        "run", "-n", "2", "sh", "-c", f"trap : TERM; {sandbox.program('endless')} {mark}; sleep 100"
    )
    _begun(process, mark)
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    assert "orrery: SIGTERM is passed on" in next_line(process.stderr)
    process.send_signal(signal.SIGTERM)
    ended = sandbox.finish(process)
    assert ended.code == 128 + signal.SIGTERM
    assert "the run failed: interrupted by SIGTERM" in ended.err
    assert sandbox.left_behind() == []


def test_ranks_that_go_on_are_ended_after_a_while(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start(
        "run", "-n", "2", "sh", "-c", f"trap : TERM; {sandbox.program('endless')} {mark}; sleep 100"
    )
    _begun(process, mark)
    sent = time.monotonic()
    process.send_signal(signal.SIGTERM)
    ended = sandbox.finish(process)
    assert time.monotonic() - sent >= 5
    assert ended.code == 128 + signal.SIGTERM


def test_a_handler_that_leaves_ends_the_run_with_its_status(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start("run", "-n", "2", sandbox.program("handles"), str(mark), str(int(signal.SIGTERM)), "0")
    _begun(process, mark)
    process.send_signal(signal.SIGTERM)
    ended = sandbox.finish(process)
    assert ended.code == 3
    assert "ended with status 3 without MPI_Finalize" in ended.err


def test_a_signal_for_ranks_ends_no_command_that_has_none(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(
        'ranks = 512\n[[phase]]\nkind = "alltoall"\nbytes = "4KiB"\ncompute_s = "20us"\nrepeat = 2\n'
    )
    process = sandbox.start("replay", "it.toml")
    until(lambda: _handles(process.pid, signal.SIGUSR1))
    process.send_signal(signal.SIGUSR1)
    ended = sandbox.finish(process)
    assert ended.code == 0
    assert "orrery: SIGUSR1 came, but there are no ranks to pass it on to" in ended.err


def _handles(process: int, number: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(caught, 16) >> (number - 1) & 1 == 1
