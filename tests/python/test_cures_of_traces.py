# SPDX-License-Identifier: BSD-3-Clause
"""Messages about traces that say what helps are right: what they say is done here, and it helps."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
import shlex

import pytest

from harness import Sandbox
from paraver_traces import call, write_trace

needs_otf2 = pytest.mark.skipif(importlib.util.find_spec("_otf2") is None, reason="otf2 is not installed")

_GOAL = """num_ranks 2
rank 0 {
l1: calc 1000
l2: send 4096b to 1 tag 1
l2 requires l1
}
rank 1 {
l1: recv 4096b from 0 tag 1
l2: calc 2000
l2 requires l1
}
"""
_TI = "0 init\n0 compute 1e6\n0 send 1 0 4096\n0 finalize\n1 init\n1 recv 0 0 4096\n1 compute 2e6\n1 finalize\n"
_WORKLOAD = 'ranks = 2\n[[phase]]\nkind = "allreduce"\nbytes = 8\ncompute_s = 1e-3\n'
_SCHEDULES = {"a.goal": _GOAL, "a.ti.txt": _TI, "a.toml": _WORKLOAD}


def _followed(sandbox: Sandbox, message: str, code: int = 0) -> None:
    """Do what the message has between backquotes, word by word, which ends with `code`."""
    command = re.search(r"`orrery ([^`]*)`", message)
    assert command is not None, message
    ended = sandbox.orrery(*shlex.split(command[1]))
    assert ended.code == code, ended.err


def _looking(command: str, trace: str) -> tuple[str, ...]:
    """What a command that looks into a trace is given."""
    return {
        "info": ("trace", "info", trace),
        "dump": ("trace", "dump", trace),
        "convert": ("trace", "convert", trace, "-o", "out.json"),
        "profile": ("profile", trace),
        "import": ("trace", "import", trace, "-o", "own.trace"),
        "compare": ("compare", trace, trace),
    }[command]


@pytest.mark.parametrize("name", list(_SCHEDULES))
@pytest.mark.parametrize("command", ["info", "dump", "convert", "profile", "import", "compare"])
def test_what_says_nothing_of_times_is_refused_with_the_command_that_simulates_it(
    sandbox: Sandbox, name: str, command: str
) -> None:
    (sandbox.folder / name).write_text(_SCHEDULES[name])
    if command == "compare" and name == "a.toml":
        return  # a platform, as far as its name goes
    refused = sandbox.orrery(*_looking(command, name))
    assert refused.code == 2
    assert refused.out == ""
    assert refused.err.startswith(f"orrery: error: {name}: is ")
    assert "does not say when anything happened" in refused.err
    assert not (sandbox.folder / "out.json").exists()
    _followed(sandbox, refused.err)
    if command != "import":  # it is one of Orrery's already
        assert sandbox.orrery(*_looking(command, "FILE.trace")).code == 0


@pytest.mark.parametrize("name", list(_SCHEDULES))
def test_a_simulated_schedule_is_in_all_timelines(sandbox: Sandbox, name: str) -> None:
    (sandbox.folder / name).write_text(_SCHEDULES[name])
    assert sandbox.orrery("replay", name, "-o", "it.trace").code == 0
    calls = set(json.loads(sandbox.orrery("trace", "info", "it.trace", "--json").out)["calls"])
    expected = {
        "a.goal": {"MPI_Isend", "MPI_Irecv", "MPI_Waitsome", "MPI_Finalize"},
        "a.ti.txt": {"MPI_Send", "MPI_Recv", "MPI_Finalize"},
        "a.toml": {"MPI_Allreduce", "MPI_Finalize"},
    }[name]
    assert calls >= expected
    for ending in ("json", "paje", "pftrace", "ctf"):
        assert sandbox.orrery("trace", "convert", "it.trace", "-o", f"it.{ending}").code == 0
    events = json.loads((sandbox.folder / "it.json").read_text())["traceEvents"]
    assert {event["name"] for event in events if event["ph"] == "X"} >= expected
    paje = (sandbox.folder / "it.paje").read_text()
    assert all(f'"{routine}"' in paje for routine in expected)


@needs_otf2
def test_a_simulated_schedule_is_in_an_archive(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.goal").write_text(_GOAL)
    assert sandbox.orrery("replay", "a.goal", "-o", "it.trace").code == 0
    assert sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2").code == 0
    found = json.loads(sandbox.orrery("profile", "it.otf2", "--json").out)
    assert found["edges"] == [{"source": 0, "destination": 1, "messages": 1, "bytes": 4096}]
    # 1 us before the message and 2 us after it, of which the schedule says so.
    assert sum(rank["computed_s"] for rank in found["ranks"]) == pytest.approx(3e-6, abs=1e-8)


def test_a_trace_without_routines_is_refused_and_not_drawn_empty(sandbox: Sandbox) -> None:
    from orrery import _core

    kinds = _core.operation_kinds()
    writer = _core.TraceWriter(str(sandbox.folder / "old.trace"), 1)  # as GOAL schedules were once recorded
    writer.operation(0, kinds.index("finalize"), begin_ns=0, end_ns=10)
    writer.end(0)
    writer.close()
    for ending in ("json", "paje", "pftrace", "ctf"):
        refused = sandbox.orrery("trace", "convert", "old.trace", "-o", f"out.{ending}")
        assert refused.code == 2
        assert "does not name the routine of any of its operations" in refused.err
        assert "`orrery replay SCHEDULE -o FILE.trace`" in refused.err
        assert not (sandbox.folder / f"out.{ending}").exists()


_NEED_TIMES = (
    *(("trace", "convert", "-o", f"out.{ending}") for ending in ("json", "paje", "pftrace", "ctf")),
    ("compare", "a.trace"),
)
"""Command lines that need the times of calls of the trace that follows."""


def test_a_trace_cut_off_before_its_first_call_is_named_as_such_and_no_replay_is_advised(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.goal").write_text(_GOAL)
    assert sandbox.orrery("replay", "a.goal", "-o", "a.trace").code == 0
    beginning = (sandbox.folder / "a.trace").read_bytes()[:300]
    (sandbox.folder / "cut.trace").write_bytes(beginning)
    (sandbox.folder / "cut.trace.gz").write_bytes(gzip.compress(beginning))
    for name in ("cut.trace", "cut.trace.gz"):
        for arguments in _NEED_TIMES:
            refused = sandbox.orrery(*arguments, name)
            assert refused.code == 2
            assert re.search(
                rf"^orrery: error: {name}: is not complete \(.*the file was cut off", refused.err, re.MULTILINE
            )
            assert "no call of any rank is left of it" in refused.err
            assert refused.err.endswith("record the run again\n")
            assert "orrery replay" not in refused.err
            assert not (sandbox.folder / arguments[-1]).exists() or arguments[0] == "compare"


def test_what_a_replay_makes_of_a_trace_without_calls_is_said_to_have_none(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.goal").write_text(_GOAL)
    assert sandbox.orrery("replay", "a.goal", "-o", "a.trace").code == 0
    (sandbox.folder / "cut.trace").write_bytes((sandbox.folder / "a.trace").read_bytes()[:300])
    assert sandbox.orrery("replay", "cut.trace", "-o", "timed.trace").code == 1
    for arguments in _NEED_TIMES:
        refused = sandbox.orrery(*arguments, "timed.trace")
        assert refused.code == 2
        assert "timed.trace: holds no call of any rank" in refused.err
        assert "orrery replay" not in refused.err
    drawn = sandbox.orrery("profile", "timed.trace", "-o", "out.html")
    assert drawn.code == 2
    assert "the profile is empty: it has no call and no time of any rank" in drawn.err


@pytest.mark.parametrize("closed", [True, False])
def test_calls_without_times_get_them_from_the_replay_that_the_refusal_names(sandbox: Sandbox, *, closed: bool) -> None:
    from orrery import _core

    kinds = _core.operation_kinds()
    writer = _core.TraceWriter(str(sandbox.folder / "old.trace"), 1)
    writer.names(0, 1, ["MPI_Finalize"])
    writer.operation(0, kinds.index("finalize"), routine=1, compute_s=1e-6)
    writer.end(0)
    writer.close()
    if not closed:
        whole = (sandbox.folder / "old.trace").read_bytes()
        (sandbox.folder / "old.trace").write_bytes(whole[:-8])  # the index behind the calls is lost with its place
    table = sandbox.orrery("trace", "convert", "old.trace", "-o", "out.csv")  # which has no need of times
    assert table.code == (0 if closed else 1)  # what is left is written, and the exit code says that it is not all
    assert ",finalize," in (sandbox.folder / "out.csv").read_text()
    refused = sandbox.orrery("trace", "convert", "old.trace", "-o", "out.json")
    assert refused.code == 2
    assert ("is not complete (" in refused.err) is not closed
    assert ("(the replay ends with 1, as its trace is not complete)" in refused.err) is not closed
    _followed(sandbox, refused.err, 0 if closed else 1)
    assert sandbox.orrery("compare", "FILE.trace", "FILE.trace").code == 0


_LIBALLPROF = """# htor's PMPI Tracer 0.9 Output File
# time: Sat Nov 28 20:00:00 2026
# hostname: lyon-1.
# clockdiff: 0.000000 s (relative to rank 0)

MPI_Init:1795000000100:-:-:1795000000200
MPI_Send:1795000000300:140000:8:1,4:1:7:0,0,2:1795000000400
"""


@pytest.mark.parametrize("head", [True, False])
def test_traces_of_liballprof_are_named_with_two_ways_out(sandbox: Sandbox, *, head: bool) -> None:
    text = _LIBALLPROF if head else "".join(_LIBALLPROF.splitlines(keepends=True)[4:])
    (sandbox.folder / "pmpi-trace-rank-0.txt").write_text(text)
    for arguments in (("replay",), ("profile",), ("trace", "info"), ("trace", "import", "-o", "own.trace")):
        refused = sandbox.orrery(*arguments, "pmpi-trace-rank-0.txt")
        assert refused.code == 2
        assert "pmpi-trace-rank-0.txt: is a trace of liballprof" in refused.err
        assert "`orrery capture`" in refused.err
        assert "schedgen" in refused.err
    (sandbox.folder / "OUT.goal").write_text(_GOAL)  # as schedgen would have written it
    assert sandbox.orrery("replay", "OUT.goal").code == 0


def test_what_cannot_be_imported_is_left_out_with_the_option_that_the_refusal_names(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder, *call(1, 100_500_000, 100_600_000, 50000003, 34)))
    refused = sandbox.orrery("trace", "import", prv, "-o", "own.trace")
    assert refused.code == 2
    assert "--lossy leaves it out" in refused.err
    ended = sandbox.orrery("trace", "import", prv, "-o", "own.trace", "--lossy")
    assert ended.code == 0
    assert "left out: MPI_Win_fence, once" in ended.err


@pytest.mark.parametrize("ending", ["ti", "goal"])
def test_what_a_format_cannot_say_is_left_out_with_the_option_that_the_refusal_names(
    sandbox: Sandbox, ending: str
) -> None:
    assert sandbox.run(4, "one_sided", options=("-o", "it.trace")).code == 0
    refused = sandbox.orrery("trace", "convert", "it.trace", "-o", f"it.{ending}")
    assert refused.code == 2
    assert "--lossy leaves it out" in refused.err
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", f"it.{ending}", "--lossy")
    assert ended.code == 0
    assert "left out: " in ended.err


def test_messages_about_compressed_traces_name_the_file_that_the_user_has(sandbox: Sandbox) -> None:
    assert sandbox.run(2, "ring", options=("-o", "it.trace")).code == 0
    whole = (sandbox.folder / "it.trace").read_bytes()
    (sandbox.folder / "cut.trace.gz").write_bytes(gzip.compress(whole[: len(whole) // 2]))
    (sandbox.folder / "half.trace.gz").write_bytes(gzip.compress(whole)[:-20])
    (sandbox.folder / "no.trace.gz").write_bytes(gzip.compress(b"nothing"))
    for arguments in (("trace", "info"), ("profile",), ("replay",), ("trace", "convert", "-o", "out.csv")):
        for name in ("cut.trace.gz", "half.trace.gz", "no.trace.gz"):
            ended = sandbox.orrery(*arguments, name)
            assert "/orrery-" not in ended.out + ended.err, (arguments, name)
            assert name in ended.out + ended.err
    assert "half.trace.gz: cannot decompress it: it was cut off" in sandbox.orrery("trace", "info", "half.trace.gz").err


@needs_otf2
def test_a_compressed_anchor_says_what_to_decompress(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder))
    assert sandbox.orrery("trace", "convert", prv, "-o", "a.otf2").code == 0
    anchor = sandbox.folder / "a.otf2" / "traces.otf2"
    content = anchor.read_bytes()
    anchor.with_name("traces.otf2.gz").write_bytes(gzip.compress(content))
    anchor.unlink()
    refused = sandbox.orrery("trace", "info", "a.otf2/traces.otf2.gz")
    assert refused.code == 2
    assert "decompress all of them, and name this one" in refused.err
    anchor.write_bytes(content)
    assert sandbox.orrery("trace", "info", "a.otf2/traces.otf2").code == 0


def test_a_profile_of_another_metric_names_the_folder_to_give(sandbox: Sandbox) -> None:
    several = sandbox.folder / "several"
    for folder, head in (("MULTI__PAPI_TOT_INS", "PAPI_TOT_INS"), ("MULTI__TIME", "TIME")):
        (several / folder).mkdir(parents=True)
        text = f'1 templated_functions_MULTI_{head}\n#\n"main" 1 0 1 1 0 GROUP="TAU_DEFAULT"\n0 aggregates\n'
        (several / folder / "profile.0.0.0").write_text(text)
    refused = sandbox.orrery("profile", "several/MULTI__PAPI_TOT_INS")
    assert refused.code == 2
    assert "name the folder of a profile of TIME" in refused.err
    assert sandbox.orrery("profile", "several/MULTI__TIME").code == 0


def test_what_is_no_file_of_ours_is_refused_in_our_words(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.json").write_text("nothing")
    (sandbox.folder / "t.meta").write_text("numprocs=1\nfileprefix=t\n")
    (sandbox.folder / "t-0000.bin").write_bytes(b"")
    for arguments in (("profile", "a.json"), ("trace", "info", "a.json"), ("replay", "a.json"), ("profile", "t.meta")):
        refused = sandbox.orrery(*arguments)
        assert refused.code == 2
        assert not re.search("invalid literal|mmap|Errno|Traceback", refused.err), refused.err
    assert (
        sandbox.run(2, "ring", options=("-o", "it.trace")).code == 0
    )  # and run.json, as `orrery run -o FILE.json` writes it
    assert sandbox.orrery("profile", "run.json").code == 0
    assert sandbox.orrery("trace", "info", "it.trace").code == 0
