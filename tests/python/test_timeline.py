# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.errors import InputError
from orrery.trace.timeline import STATES, Timeline, read_communication, read_timeline

WORKLOAD = """
ranks = 8
steps = 5
[[phase]]
kind = "halo"
dimensions = 1
bytes = "1KiB"
compute_s = "1ms"
imbalance = 0.5
[[phase]]
kind = "allreduce"
bytes = 8
"""


def _record(sandbox: Sandbox) -> tuple[Path, float]:
    (sandbox.folder / "workload.toml").write_text(WORKLOAD)
    record = sandbox.replayed("workload.toml", "-o", "out.trace")
    return sandbox.folder / "out.trace", record["simulated_s"]


def test_a_timeline_has_all_messages_and_a_critical_path_as_long_as_the_run(sandbox: Sandbox) -> None:
    trace, simulated_s = _record(sandbox)
    timeline = read_timeline(trace)
    assert timeline.end_ns == pytest.approx(simulated_s * 1e9, abs=1)
    assert timeline.complete
    assert len(timeline.sent.begin_ns) == timeline.messages == 8 * 2 * 5
    assert {message * 8 for message in timeline.sent.bytes} == {8192}
    assert all(begin <= end for begin, end in zip(timeline.sent.begin_ns, timeline.sent.end_ns, strict=True))
    assert not any((timeline.unknown.sends, timeline.unknown.receives, timeline.unknown.collectives))
    assert sum(timeline.path.by_rank_ns) == timeline.end_ns == sum(timeline.path.by_state_ns.values())
    assert list(timeline.path.begin_ns)[1:] == list(timeline.path.end_ns)[:-1]
    assert sum(edge.messages for edge in read_communication(trace)) == timeline.messages


def test_ranks_wait_at_the_allreduce_for_the_one_that_computes_longest(sandbox: Sandbox) -> None:
    timeline = read_timeline(_record(sandbox)[0])
    waited = {(each.routine, each.cause) for each in timeline.wait_sums}
    assert ("MPI_Allreduce", "imbalance") in {(routine.removesuffix("()"), cause) for routine, cause in waited}
    assert sum(each.total_ns for each in timeline.wait_sums) == sum(timeline.caused_ns)
    assert timeline.longest[0].end_ns - timeline.longest[0].begin_ns == max(
        wait.end_ns - wait.begin_ns for wait in timeline.longest
    )
    ran = {timeline.algorithms[number] for number in timeline.intervals.algorithm if number}
    assert ran == {"recursive_doubling"}


def test_states_add_up_to_the_run(sandbox: Sandbox) -> None:
    trace, _ = _record(sandbox)
    levels = read_timeline(trace, cells=8 * 64).levels
    assert [level.buckets for level in levels] == [64, 16, 4]
    assert levels[0].shares(0, 0) == {"compute": 1}
    timeline = read_timeline(trace, cells=8)
    shares = timeline.levels[0].shares(3, 0)
    assert sum(shares.values()) == pytest.approx(1)
    assert _outside(timeline, 3) == pytest.approx(shares["compute"], abs=1 / 15)
    assert set(shares) <= set(STATES)


def test_of_many_events_those_that_matter_are_kept(sandbox: Sandbox) -> None:
    trace, _ = _record(sandbox)
    every, some = read_timeline(trace), read_timeline(trace, events=40, waits=2)
    assert not some.complete
    assert len(some.intervals.rank) <= 30
    assert len(some.sent.tag) <= 10
    assert len(some.longest) == 2
    assert (some.calls, some.messages) == (every.calls, every.messages)
    assert some.path.by_state_ns == every.path.by_state_ns


def test_a_trace_without_times_is_refused(sandbox: Sandbox) -> None:
    path = sandbox.folder / "untimed.trace"
    writer = _core.TraceWriter(str(path), 1)
    writer.operation(0, _core.operation_kinds().index("finalize"))
    writer.end(0)
    writer.close()
    with pytest.raises(InputError, match="does not say when anything happened"):
        read_timeline(path)


def _outside(timeline: Timeline, rank: int) -> float:
    """Which part of the run a rank was outside of MPI."""
    calls = timeline.intervals
    inside = sum(
        end - begin
        for number, begin, end in zip(calls.rank, calls.begin_ns, calls.end_ns, strict=True)
        if number == rank
    )
    return 1 - inside / timeline.end_ns
