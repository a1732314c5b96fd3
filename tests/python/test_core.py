# SPDX-License-Identifier: BSD-3-Clause
"""The module `orrery._core`, without MPI programs: those are in test_run.py."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import FrameType

import pytest

from harness import HUNG_S, until
from orrery import _core
from orrery.errors import InputError


def platform_of(*names: str, **keys: object) -> _core.Platform:
    """Clusters of four nodes, which nothing joins."""
    cluster = {
        "nodes": 4,
        "cores": 1,
        "bandwidth_bytes_per_s": 1e9,
        "latency_s": 1e-6,
        "memory_bandwidth_bytes_per_s": 1e10,
        "memory_latency_s": 1e-7,
    }
    clusters = [{"name": name, **cluster, **keys} for name in names]
    return _core.Platform({"name": "test", "clusters": clusters, "wan": [], "broker": None})


def new_run(*command: str, ranks: int = 2) -> _core.Run:
    return _core.Run(
        platform_of("c"),
        _core.Fluid(),
        _core.Selector(),
        command=command,
        environment=[f"PATH={os.environ['PATH']}"],
        host_of_rank=[0] * ranks,
    )


def test_a_platform_gives_its_hosts_links_and_routes() -> None:
    platform = platform_of("c", nodes=3)
    assert [host.name for host in platform.hosts] == ["c-1", "c-2", "c-3"]
    route = platform.route(0, 2)
    assert route.latency_s == pytest.approx(2e-6)  # an uplink and a downlink
    assert route.bandwidth_bytes_per_s == 1e9
    assert sum(platform.links[link].latency_s for link in route.links) == pytest.approx(route.latency_s)
    with pytest.raises(IndexError):
        platform.route(0, 3)


def test_a_mistake_in_a_platform_is_the_users() -> None:
    with pytest.raises(InputError):
        platform_of("a", "b")  # no link joins them


def test_a_platform_refuses_what_its_tables_do_not_allow() -> None:
    with pytest.raises(InputError, match=r'cluster "c"\.cores is 0, but must be more than 0'):
        platform_of("c", cores=0)
    with pytest.raises(InputError, match='Cluster has no "colour"'):
        platform_of("c", colour="blue")
    with pytest.raises(InputError, match='RailUse has no "all"'):
        platform_of("c", rail_use="all")


def test_a_mistake_in_a_selector_is_the_users() -> None:
    with pytest.raises(InputError, match="allreduce"):
        _core.Selector("default", "allreduce=no-such-algorithm")


def test_the_module_lists_algorithms_and_routines() -> None:
    assert ("allreduce", "ring") in {(a.collective, a.name) for a in _core.algorithms()}
    assert "MPI_Allreduce" in _core.routine_names()


def test_output_arrives_as_whole_lines_before_run_returns() -> None:
    heard: list[tuple[int, bool, bytes]] = []
    outcome = new_run("sh", "-c", "echo out; echo err >&2; exit 3").run(
        lambda rank, error, text: heard.append((rank, error, text))
    )
    assert outcome.end == _core.End.NOT_MPI
    assert outcome.exit_code == 3
    assert sorted(heard) == [(-1, False, b"out\n"), (-1, True, b"err\n")]


def test_a_program_that_is_not_there_is_not_started() -> None:
    outcome = new_run("no-such-program-anywhere").run()
    assert (outcome.end, outcome.exit_code) == (_core.End.NOT_STARTED, 127)
    assert outcome.rank is None
    assert outcome.signal is None
    assert outcome.deadlock is None


def test_what_the_consumer_of_output_raises_ends_the_run_and_is_raised() -> None:
    def consume(_rank: int, _error: bool, _text: bytes) -> None:  # noqa: FBT001  the core calls it by position
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        new_run("sh", "-c", "echo; exec sleep 100").run(consume)


def test_stop_from_another_thread_ends_the_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    run = new_run("sh", "-c", f"touch {mark}; exec sleep {2 * HUNG_S}")

    def stop() -> None:
        until(mark.exists)
        run.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    outcome = run.run()
    stopper.join()
    assert (outcome.end, outcome.exit_code) == (_core.End.INTERRUPTED, 130)


def test_ctrl_c_ends_the_run() -> None:
    run = new_run("sh", "-c", f"kill -INT {os.getpid()}; exec sleep {2 * HUNG_S}")
    assert run.run().end == _core.End.INTERRUPTED


def test_what_a_signal_handler_raises_ends_the_run_and_is_raised() -> None:
    def handler(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(TimeoutError):
            new_run("sh", "-c", f"kill -ALRM {os.getpid()}; exec sleep {2 * HUNG_S}").run()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_progress_can_be_read_while_the_run_lasts(tmp_path: Path) -> None:
    begun, seen = tmp_path / "begun", tmp_path / "seen"
    run = new_run("sh", "-c", f"touch {begun}; while [ ! -e {seen} ]; do sleep 0.01; done")
    alive: list[int] = []

    def look() -> None:
        until(begun.exists)
        alive.append(run.progress().ranks_alive)
        seen.touch()

    looking = threading.Thread(target=look)
    looking.start()
    run.run()
    looking.join()
    assert alive == [2]


def test_a_run_that_did_nothing_has_an_empty_profile() -> None:
    run = new_run("true")
    run.run()
    assert run.simulated_s == 0
    assert run.messages_sent == 0
    assert run.bytes_per_idle_rank > 0
    profile = run.profile()
    assert len(profile) == len(profile.rank) == len(profile.time_s)
    assert sum(profile.calls.tolist()) == 0
