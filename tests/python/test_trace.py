# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery import _core
from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.prepared import prepare
from orrery.trace.reading import operations

_PROGRAMS = [
    ("ring", 8),
    ("collectives", 6),
    ("one_sided", 4),
    ("wildcard", 5),
    ("files", 4),
    ("phases", 3),
    ("spawn", 2),
    ("intercomms", 6),
    ("polling", 4),
    ("threads", 4),
    ("window_polling", 2),
    ("sessions", 4),
    ("captured", 4),
    ("captured_windows", 4),
    ("captured_files", 4),
    ("captured_parts", 3),
    ("seldom", 5),
]
_NOT_OF_RANKS = {
    "reduce",  # in collective algorithms
    "copy",
}


def _record(sandbox: Sandbox, program: str, ranks: int, *options: str) -> dict[str, Any]:
    trace = sandbox.folder / f"{program}.trace"
    ended = sandbox.run(ranks, program, options=("-o", str(trace), *options))
    assert ended.code == 0, ended.err
    return ended.record


@pytest.mark.parametrize(("program", "ranks"), _PROGRAMS)
def test_a_replay_takes_the_time_of_its_run_to_the_last_bit(sandbox: Sandbox, program: str, ranks: int) -> None:
    run = _record(sandbox, program, ranks)
    replay = sandbox.replayed(f"{program}.trace")
    assert replay["simulated_s"] == run["simulated_s"]
    assert replay["messages"] == run["messages"]
    assert replay["profile"] == run["profile"]


def test_every_kind_of_operation_is_in_a_trace_that_is_replayed_so(sandbox: Sandbox) -> None:
    found, algorithms = set[str](), set[tuple[str, bool]]()
    for program, ranks in (("seldom", 5), ("captured_windows", 4), ("captured_parts", 3), ("captured_files", 4),
                           ("captured", 4), ("polling", 4), ("phases", 3), ("spawn", 2), ("window_polling", 2)):  # fmt: skip
        assert (program, ranks) in _PROGRAMS
        _record(sandbox, program, ranks)
        file = _core.TraceFile(str(sandbox.folder / f"{program}.trace"))
        for operation in (operation for rank in range(file.streams) for operation in operations(file, rank)):
            found.add(operation.kind)
            algorithms.add((operation.collective, operation.blocking))
    assert set(_core.operation_kinds()) - found - {"compute"} == _NOT_OF_RANKS
    assert len([kind for kind, blocking in algorithms if kind and blocking]) >= 14
    assert len([kind for kind, blocking in algorithms if kind and not blocking]) >= 9


@pytest.mark.parametrize("selector", ["mpich-4.0", "openmpi-5.0", "best"])
def test_recorded_algorithms_are_those_of_the_run(sandbox: Sandbox, selector: str) -> None:
    options = ("--selector", selector, "--coll", "bcast=chain:segment=1KiB:fanout=2", "--map", "node")
    run = _record(sandbox, "collectives", 6, *options)
    replay = sandbox.replayed("collectives.trace", "--selector", "recorded", "--map", "node")
    assert replay["selector"] == "recorded"
    assert replay["algorithms"] == run["algorithms"]
    assert (replay["simulated_s"], replay["profile"]) == (run["simulated_s"], run["profile"])


def test_what_ran_for_a_thread_is_not_said_of_another_thread_s_call(sandbox: Sandbox) -> None:
    run = _record(sandbox, "threads", 4, "--selector", "mpich-4.0")
    replay = sandbox.replayed("threads.trace", "--selector", "recorded")
    assert (replay["algorithms"], replay["simulated_s"]) == (run["algorithms"], run["simulated_s"])


def test_what_is_fixed_overrules_what_is_recorded(sandbox: Sandbox) -> None:
    run = _record(sandbox, "collectives", 6, "--selector", "mpich-4.0")
    replay = sandbox.replayed("collectives.trace", "--selector", "recorded", "--coll", "allreduce=ring")
    allreduce = {use["algorithm"] for use in replay["algorithms"] if use["routine"] == "MPI_Allreduce"}
    others = [use for use in run["algorithms"] if use["routine"] == "MPI_Bcast"]
    assert "ring" in allreduce
    assert others == [use for use in replay["algorithms"] if use["routine"] == "MPI_Bcast"]


def test_recorded_algorithms_need_a_trace_that_says_them(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text('ranks = 2\n[[phase]]\nkind = "barrier"\n')
    ended = sandbox.replay("it.toml", "--selector", "recorded")
    assert ended.code == 2
    assert "no trace says which algorithms ran" in ended.err


def test_a_replay_knows_of_the_gaps_in_datatypes(sandbox: Sandbox) -> None:
    mpich = ("--selector", "mpich-4.0")
    run = _record(sandbox, "gaps", 3, *mpich)
    sent = {use["routine"]: (use["algorithm"], use["messages"], use["bytes"]) for use in run["algorithms"]}
    # Each rank passes on two blocks of 256 KiB. 512 numbers lie in 32 KiB of memory, so that a block makes 64 messages;
    # MPI_Iallgatherv sends whole blocks where the shortest one takes more than that.
    assert sent["MPI_Allgatherv"] == ("pipelined_ring", 3 * 2 * 64, 3 * 2 * 262_144)
    assert sent["MPI_Iallgatherv"] == ("pipelined_ring", 3 * 2, 3 * 2 * 262_144)
    replay = sandbox.replayed("gaps.trace", *mpich)
    assert replay["algorithms"] == run["algorithms"]
    assert replay["simulated_s"] == run["simulated_s"]


@pytest.mark.parametrize("match", ["again", "recorded"])
@pytest.mark.parametrize("program", ["wildcard", "polling", "intercomms", "one_sided"])
def test_a_replay_on_other_platforms_comes_to_its_end(sandbox: Sandbox, program: str, match: str) -> None:
    _record(sandbox, program, 4)
    for options in (
        ["--platform", "graphene", "--map", "node"],
        ["--ideal"],
        ["--model", "fluid"],
        ["--bytes-scale", "100"],
    ):
        replay = sandbox.replayed(f"{program}.trace", "--match", match, *options)
        assert replay["end"] == "completed"


def test_scales_act_on_what_they_name(sandbox: Sandbox) -> None:
    _record(sandbox, "ring", 4)
    same = sandbox.replayed("ring.trace")
    longer = sandbox.replayed("ring.trace", "--bytes-scale", "1000")
    idle = sandbox.replayed("ring.trace", "--compute-scale", "0", "--ideal")
    assert longer["bytes"] == 1000 * same["bytes"]
    assert longer["simulated_s"] > same["simulated_s"]
    assert idle["simulated_s"] == 0


def test_jobs_that_share_a_platform_slow_each_other_down(sandbox: Sandbox) -> None:
    _record(sandbox, "ring", 4)
    alone = sandbox.replayed("ring.trace", "--bytes-scale", "1e6", "--map", "node")
    both = sandbox.replayed("ring.trace", "ring.trace", "--bytes-scale", "1e6", "--map", "node", "--start", "0,3")
    assert [job["ranks"] for job in both["jobs"]] == [4, 4]
    assert both["jobs"][0]["end_s"] >= alone["simulated_s"]
    assert both["jobs"][1]["end_s"] > 3
    assert both["messages"] == 2 * alone["messages"]


def test_a_trace_that_was_cut_off_is_replayed_as_far_as_it_goes(sandbox: Sandbox) -> None:
    _record(sandbox, "collectives", 4)
    whole = (sandbox.folder / "collectives.trace").read_bytes()
    cut = sandbox.folder / "cut.trace"
    cut.write_bytes(whole[: len(whole) - 800])
    ended = sandbox.replay(str(cut))
    assert ended.code in (0, 1)
    assert "cut off" in ended.err + ended.out
    assert ended.record["simulated_s"] > 0


def test_what_is_no_trace_is_refused_in_one_line(sandbox: Sandbox) -> None:
    (sandbox.folder / "text").write_text("nothing of the kind")
    for name in ("text", "missing", "."):
        ended = sandbox.replay(name)
        assert ended.code == 2
        assert ended.err.count("\n") == 1
        assert "Traceback" not in ended.err


def test_a_small_trace_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    path = str(tmp_path / "it.trace")
    writer = _core.TraceWriter(path, 1)
    writer.operation(0, _core.operation_kinds().index("irecv"), request=1 << 27)
    writer.close()
    hardware = core.build(prepare("default"))
    run = _core.Replay(
        hardware,
        _core.Fluid(),
        _core.Selector(),
        sources=[_core.open_trace(path)],
        host_of_rank=[0],
        compute_factor=[1.0],
    )
    with pytest.raises(InputError, match="has a request 134217728, of which a file of"):
        run.run()


def test_a_trace_that_cannot_be_written_is_said_before_the_program_runs(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "ring", options=("-o", "/nonexistent/ring.trace"))
    assert ended.code == 2
    assert "/nonexistent/ring.trace" in ended.err


def test_the_trace_of_a_crash_has_what_was_before_it(sandbox: Sandbox) -> None:
    trace = sandbox.folder / "crash.trace"
    ended = sandbox.run(2, "crash", options=("-o", str(trace)))
    assert ended.code != 0
    ended = sandbox.replay(str(trace))
    assert "cut off" in ended.out + ended.err
