# SPDX-License-Identifier: BSD-3-Clause
"""Traces of replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox

_ELSEWHERE = ("--platform", "graphene", "--map", "node")
_WORKLOAD = """
ranks = 12
steps = 3
[[phase]]
kind = "halo"
dimensions = 2
bytes = "70KiB"
compute_s = "20us"
imbalance = 0.3
[[phase]]
kind = "master-worker"
tasks = 30
[[phase]]
kind = "allreduce"
bytes = 800
"""
_GOAL = """num_ranks 2
rank 0 {
c: calc 1000
a: send 100000b to 1 tag 1
b: recv 10b from 1 tag 2
a requires c
}
rank 1 {
r: recv 100000b from 0 tag 1
s: send 10b to 0 tag 2
}
"""


def _again(sandbox: Sandbox, *words: str, then: tuple[str, ...] = ()) -> None:
    """What `orrery replay WORDS` records takes the same time, to the last bit, and sends the same."""
    first = sandbox.replayed(*words, "-o", "again.trace")
    second = sandbox.replayed("again.trace", *then)
    for key in ("simulated_s", "messages", "bytes", "profile", "algorithms"):
        assert first[key] == second[key], key


@pytest.mark.parametrize(
    ("program", "ranks"),
    [
        ("ring", 8),
        ("collectives", 6),
        ("wildcard", 5),
        ("polling", 4),
        ("spawn", 2),
        ("intercomms", 6),
        ("threads", 4),
        ("one_sided", 4),
        ("files", 4),
        ("captured_parts", 3),
    ],
)
def test_the_trace_of_a_replay_elsewhere_is_that_of_a_run_there(sandbox: Sandbox, program: str, ranks: int) -> None:
    ended = sandbox.run(ranks, program, options=("-o", "first.trace"))
    assert ended.code == 0, ended.err
    _again(sandbox, "first.trace", *_ELSEWHERE, then=_ELSEWHERE)


def test_workloads_and_traces_of_others_become_traces(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(_WORKLOAD)
    (sandbox.folder / "it.goal").write_text(_GOAL)
    ti = "0 init\n1 init\n0 compute 1e6\n0 send 1 3 5000\n1 recv 0 3 5000\n0 allreduce 8 1 6\n1 allreduce 8 1 6\n0 finalize\n1 finalize\n"
    (sandbox.folder / "it.ti").write_text(ti)
    for name in ("it.toml", "it.goal", "it.ti"):
        _again(sandbox, name, *_ELSEWHERE, then=_ELSEWHERE)
    info = json.loads(sandbox.orrery("trace", "info", "again.trace", "--json").out)
    assert info["properties"]["platform"] == "graphene"
    assert info["properties"]["replayed"] == "orrery replay it.ti"


def test_jobs_become_one_trace(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(_WORKLOAD)
    _again(sandbox, "it.toml", "it.toml", "--start", "0,1e-4")


def test_what_receives_of_any_source_took_is_recorded_anew(sandbox: Sandbox) -> None:
    assert sandbox.run(5, "wildcard", options=("-o", "first.trace")).code == 0
    there = sandbox.replayed("first.trace", "--platform", "graphene", "--map", "node", "-o", "again.trace")
    taken = sandbox.replayed("again.trace", *_ELSEWHERE, "--match", "recorded")
    assert taken["simulated_s"] == there["simulated_s"]


def test_algorithms_that_were_recorded_stay_recorded(sandbox: Sandbox) -> None:
    assert sandbox.run(6, "collectives", options=("-o", "first.trace", "--selector", "mpich-4.0")).code == 0
    recorded = ("--selector", "recorded")
    _again(sandbox, "first.trace", *recorded, then=recorded)
    # Whoever does not want them gets what the selector chooses, as from the first trace.
    assert sandbox.replayed("again.trace")["algorithms"] == sandbox.replayed("first.trace")["algorithms"]


def test_a_replay_that_cannot_go_on_leaves_a_trace_up_to_there(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.ti").write_text(
        "0 init\n1 init\n0 compute 1e6\n0 send 1 3 5000\n1 recv 0 3 5000\n1 recv 0 4 8\n"
    )
    first = sandbox.replay("it.ti", "-o", "again.trace")
    again = sandbox.replay("again.trace")
    assert (first.code, again.code) == (1, 1)
    assert "MPI_Recv" in again.record["cause"]
    assert first.record["simulated_s"] == again.record["simulated_s"] > 1e-3


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("it.trace", "-o", "it.trace"), "is what is read"),
        (("it.goal", "-o", "nowhere/x.trace"), "there is no folder nowhere"),
        (("it.goal", "--loggops", "", "-o", "x.trace"), "not --loggops"),
    ],
)
def test_traces_that_cannot_be_written_are_refused(sandbox: Sandbox, words: tuple[str, ...], complaint: str) -> None:
    path: Path = sandbox.folder / "it.goal"
    path.write_text(_GOAL)
    assert sandbox.orrery("replay", "it.goal", "-o", "it.trace").code == 0
    ended = sandbox.replay(*words)
    assert ended.code == 2
    assert complaint in ended.err
    assert path.read_text() == _GOAL
