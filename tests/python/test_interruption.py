# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C: what is there is kept and shown, and a line says how to go on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from conftest import PLAIN_HYBRID
from harness import Sandbox, processor_s, until
from orrery.record.document import Record
from orrery.run import repeat
from orrery.run.programs import MpiProgram
from orrery.run.settings import RunSettings
from orrery.trace.timeline import read_timeline


def _interrupt(process: subprocess.Popen[str], mark: Path) -> None:
    """Send SIGINT once the file `mark` is there."""
    until(mark.exists, process)
    process.send_signal(signal.SIGINT)


def test_an_interrupted_run_says_what_is_there(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start("run", "-n", "2", "-o", "it.trace", sandbox.program("endless"), str(mark))
    _interrupt(process, mark)
    ended = sandbox.finish(process)
    assert ended.code == 130
    assert "MPI_Allreduce()" in ended.err
    assert ended.err.splitlines()[-1] == (
        "orrery: interrupted: the figures are of what was simulated by then, and `orrery profile` shows them again; "
        "it.trace has what was done by then; the same command begins anew"
    )
    assert "MPI_Allreduce()" in sandbox.orrery("profile").out
    shown = sandbox.orrery("profile", "it.trace")
    assert shown.code == 1
    assert shown.out.startswith("cut off  the calls of 2 of 2 ranks end before MPI_Finalize: 0, 1\n")


@pytest.mark.parametrize("command", [("capture", "--mpicc"), ("deploy", "--collectives", "rules.toml", "--mpicxx")])
def test_a_compiler_ends_with_the_command_that_alone_was_interrupted(
    sandbox: Sandbox, command: tuple[str, ...]
) -> None:
    mark = sandbox.folder / "mark"
    compiler = sandbox.folder / "compiler"
    # Like the real ones, it starts another program for the work.
    compiler.write_text(f'#!/bin/sh\ncase $1 in -show) echo cc;; *) (touch "{mark}"; exec sleep 1000) & wait;; esac\n')
    compiler.chmod(0o755)
    (sandbox.folder / "rules.toml").write_text('[[rule]]\ncollective = "bcast"\nalgorithm = "binomial"\n')
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.folder / "cache")
    process = sandbox.start(*command, str(compiler), "--", "mpirun", "-n", "1", "true")
    _interrupt(process, mark)
    assert sandbox.finish(process).code == 130
    assert sandbox.orphans() == []


def _repeated(monkeypatch: pytest.MonkeyPatch, ends: list[str]) -> Record:
    """A run that is repeated six times, and ends so; run i takes i + 1 seconds."""
    records = iter(enumerate(ends))

    def simulate(_settings: RunSettings) -> Record:
        number, end = next(records)
        code = {"completed": 0, "interrupted": 130, "timed out": 124}[end]
        return _record(number + 1.0, "interrupted" if code else "completed", code)

    monkeypatch.setattr(repeat, "_no_input", nullcontext)
    settings = RunSettings(programs=[MpiProgram(["./x"], 2)], repeat=6)
    return repeat.repeated(settings, simulate)


def _record(time_s: float, end: str, code: int) -> Record:
    from orrery.record.document import Profile

    return Record(
        command=["./x"], platform="p", platform_file="", platform_source="", model="fluid", selector="default", coll="",
        mapping="slot", hosts=1, ranks=2, start="fork", clock="simulated", compute="cpu", simulated_s=time_s, wall_s=1.0,
        messages=0, bytes=0, events=0, exit_code=code, end=end, cause=None if end == "completed" else "interrupted",
        profile=Profile([], []), cautions=[], peak_rss_bytes=None,
    )  # fmt: skip


def test_a_record_with_a_cause_never_has_exit_code_0() -> None:
    assert _record(1.0, "interrupted", 0).exit_code == 1
    assert _record(1.0, "interrupted", 7).exit_code == 7
    assert _record(1.0, "completed", 0).exit_code == 0


def test_an_interrupted_repetition_gives_the_runs_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _repeated(monkeypatch, ["completed", "completed", "completed", "interrupted"])
    assert (found.simulated_s, found.repeats_s) == (2.0, [1.0, 2.0, 3.0])  # the median, of the three
    assert (found.end, found.exit_code) == ("interrupted", 130)
    assert found.cause == "interrupted in run 4 of 6; the figures are of the 3 that ended"
    single = _repeated(monkeypatch, ["completed", "interrupted"])
    assert (single.simulated_s, single.repeats_s, single.repeats) == (1.0, [1.0], None)


def test_a_repetition_that_is_interrupted_at_once_or_runs_out_of_time_is_given_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert _repeated(monkeypatch, ["interrupted"]).exit_code == 130
    found = _repeated(monkeypatch, ["completed", "timed out"])
    assert (found.simulated_s, found.exit_code, found.repeats_s) == (2.0, 124, [])


def test_interrupted_replicas_end_with_130_and_keep_those_that_have_ended(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(
        'ranks = 64\n[[phase]]\nkind = "alltoall"\nbytes = "4KiB"\ncompute_s = "20us"\n'
    )
    (sandbox.folder / "noisy.toml").write_text(PLAIN_HYBRID + "[network]\nrate_noise = 0.1\n")
    process = sandbox.start_on_terminal("replay", "it.toml", "--replicas", "5000", "-p", "noisy.toml", "--map", "node")
    process.until(r"[1-9]\d*/4999")
    process.interrupt()
    ended = process.finish()
    assert ended.code == 130, ended.out + ended.err
    assert "replicas: interrupted, " in ended.out
    assert "orrery: interrupted: the figures are of what was simulated by then" in ended.err


def test_a_collective_of_which_nothing_is_there_says_what_to_ask(sandbox: Sandbox) -> None:
    process = sandbox.start_on_terminal(
        "collective", "alltoall", "-n", "2048", "-s", "64KiB", "--algorithm", "linear", "-p", "graphene", "--force"
    )
    process.until("0/")  # the first and only call is under way
    begun_s = processor_s(process.process.pid)
    until(lambda: processor_s(process.process.pid) > begun_s + 1, process.process)
    process.interrupt()
    ended = process.finish()
    assert (ended.code, ended.out) == (130, "")
    assert ended.err.splitlines()[-1].startswith(
        "orrery: interrupted: none of 1 calls was simulated by then; ask for less"
    )


def test_a_program_to_be_placed_ends_with_130(sandbox: Sandbox) -> None:
    mark = sandbox.folder / "mark"
    process = sandbox.start("place", "-n", "2", sandbox.program("endless"), str(mark))
    _interrupt(process, mark)
    ended = sandbox.finish(process)
    assert (ended.code, ended.out) == (130, "")
    assert ended.err.splitlines()[-1] == "orrery: interrupted: nothing is there yet; the same command begins anew"


def test_a_suite_that_is_interrupted_stores_whole_reports_only(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    from orrery.errors import Interrupt
    from orrery.validate import suite as suites
    from orrery.validate.settings import CollectiveValidation

    head = "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\n"
    (sandbox.folder / "times.csv").write_text(head + "bcast,4,8,barrier,10,9,10,11,10,12\n")
    entry = '[[collectives]]\nname = "{}"\nplatform = "default"\ningest = ["times.csv"]\n'
    (sandbox.folder / "suite.toml").write_text(entry.format("one") + entry.format("two"))
    compare, calls = CollectiveValidation.compare, []

    def interrupted(self: CollectiveValidation) -> object:
        calls.append(self)
        if len(calls) == 2:
            raise Interrupt
        return compare(self)

    monkeypatch.setattr(CollectiveValidation, "compare", interrupted)
    tables = suites.Tables(collectives=lambda *_: None, program=lambda *_: None, groups=lambda *_: None)
    store = sandbox.folder / "kept"
    with pytest.raises(Interrupt, match=r"1 of 2 entries are there, their reports in .*kept; the same command"):
        suites.run_suite(sandbox.folder / "suite.toml", store, io.StringIO(), tables, as_json=False)
    assert [path.name for path in store.iterdir()] == ["one.json"]


def test_an_ablation_that_is_interrupted_keeps_what_is_there_and_names_the_other_keys(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from orrery.cli import app
    from orrery.validate.settings import CollectiveValidation

    head = "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\n"
    (sandbox.folder / "times.csv").write_text(head + "bcast,4,8,barrier,10,9,10,11,10,12\n")
    (sandbox.folder / "suite.toml").write_text(
        '[[collectives]]\nname = "one"\nplatform = "graphene"\ningest = ["times.csv"]\nmodels = ["hybrid"]\n'
    )
    compare, calls = CollectiveValidation.compare, []

    def interrupted(self: CollectiveValidation) -> object:
        calls.append(self)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return compare(self)

    monkeypatch.setattr(CollectiveValidation, "compare", interrupted)
    monkeypatch.chdir(sandbox.folder)
    monkeypatch.setattr(sys, "argv", ["orrery", "validate", "ablate", "suite.toml", "-o", "it.json", "-o", "it.md"])
    code = app.main()
    told = capsys.readouterr()
    assert code == 130
    found = json.loads((sandbox.folder / "it.json").read_text())
    assert len([ablation for ablation in found["ablations"] if not ablation["needed"]]) >= 1
    assert found["missing"]
    assert told.err.splitlines()[-1].endswith(
        f"the others with the same command and {' '.join(f'--key {key}' for key in found['missing'])}"
    )
    assert "left out" in told.out
    page = (sandbox.folder / "it.md").read_text()
    assert page.count("| `") == sum(not ablation["needed"] for ablation in found["ablations"])
    assert f"Ctrl-C came before these: `{found['missing'][0]}`" in page


def test_a_trace_whose_replicas_are_interrupted_is_compared_with_those_that_are_there(sandbox: Sandbox) -> None:
    (sandbox.folder / "noisy.toml").write_text(PLAIN_HYBRID + "[network]\nrate_noise = 0.1\n")
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    process = sandbox.start_on_terminal(
        "validate", "trace", "it.trace", "--replicas", "200000", "-p", "noisy.toml", "-o", "it.json"
    )
    process.until(r"[2-9]\d*/199999")
    process.interrupt()
    ended = process.finish()
    assert ended.code == 130, ended.out + ended.err
    assert "replicas, 5 to 95 %" in ended.out
    there = len(json.loads((sandbox.folder / "it.json").read_text())["total"]["replicas_s"])
    assert 1 < there < 200_000
    assert ended.err.splitlines()[-1] == (
        f"orrery: interrupted: {there} of 200000 replicas are there; the same command simulates all of them"
    )


def test_reading_a_long_trace_ends_with_ctrl_c(sandbox: Sandbox) -> None:
    """The timeline of 3 million operations takes seconds; the signal comes after 0.2 s of the processor's time."""
    (sandbox.folder / "it.toml").write_text(
        'ranks = 64\nsteps = 12000\n[[phase]]\nkind = "halo"\ndimensions = 1\nbytes = "1KiB"\ncompute_s = "1us"\n'
    )
    assert sandbox.orrery("replay", "it.toml", "-o", "it.trace").code == 0
    begun_s = time.process_time()
    before = signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_timeline(sandbox.folder / "it.trace")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - begun_s < 0.7
