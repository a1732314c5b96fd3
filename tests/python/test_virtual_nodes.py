# SPDX-License-Identifier: BSD-3-Clause
"""Virtual nodes: the links of a host are shared by its machines, its cores by their processors, and machines wake late."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from orrery.errors import InputError
from orrery.platform import core
from orrery.platform.load import load, parse
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.report.platform import describe

_PLATFORM = """
name = "v"
[[cluster]]
name = "c"
prefix = "vm-"
nodes = 5
cores = 1
bandwidth_bytes_per_s = "100MB/s"
latency_s = "10us"
limiter_factor = {limiter}
memory_bandwidth_bytes_per_s = "1GB/s"
memory_latency_s = "1us"
[cluster.virtual]
per_host = 2
{virtual}
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
{more}
"""
_SECOND = 1e9
"""Flop of a time-independent trace that take a second here."""


def _platform(folder: Path, virtual: str = "", more: str = "", limiter: float = 2) -> Path:
    file = folder / "v.toml"
    file.write_text(_PLATFORM.format(virtual=virtual, more=more, limiter=limiter), encoding="utf-8")
    return file


def _time(folder: Path, platform: Path, lines: Sequence[str], seed: int = 1) -> float:
    trace = folder / "it.ti"
    trace.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    settings = ReplaySettings(
        traces=[trace], platform=str(platform), mapping="node", flops_per_s=_SECOND, seed=seed,
        said=frozenset(("platform", "mapping", "flops_per_s", "seed")),
    )  # fmt: skip
    return replay(settings).simulated_s


def _hypervisor(**keys: Any) -> str:
    return "[node.hypervisor]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


_TWO_COMPUTE = ["0 compute 2e9", "1 compute 2e9"]
_PAIR = ["0 send 1 0 1", "1 recv 0 0 1"]


def test_machines_of_a_host_reach_each_other_by_its_bridge_and_others_by_its_uplink(tmp_path: Path) -> None:
    platform = load(str(_platform(tmp_path, 'bandwidth_bytes_per_s = "200MB/s"\nlatency_s = "5us"', limiter=1.5)))
    hardware = core.build(platform.model_dump())

    def names(source: int, target: int) -> list[str]:
        return [hardware.link(link).name for link in hardware.route(source, target).links]

    assert names(0, 0) == names(1, 1) == ["vm-1/memory"]
    assert names(0, 1) == ["vm-1/up", "vm-1/memory", "vm-2/down"]
    assert hardware.route(0, 1).latency_s == pytest.approx(5e-6 + 1e-6 + 5e-6)
    assert hardware.route(0, 1).bandwidth_bytes_per_s == 200e6
    between = ["vm-2/up", "c/host-1/up", "c/host-1/limiter", "c/host-2/limiter", "c/host-2/down", "vm-3/down"]
    assert names(1, 2) == between
    assert hardware.route(1, 2).latency_s == pytest.approx(2 * (5e-6 + 10e-6))
    assert hardware.route(1, 2).bandwidth_bytes_per_s == 100e6
    assert "2 virtual machines a host" in describe(platform, hardware, tmp_path)
    assert hardware.cabinet_count == 3  # the last host has one machine


def test_pairs_between_two_hosts_share_their_uplink(tmp_path: Path) -> None:
    platform = _platform(tmp_path, 'bandwidth_bytes_per_s = "100MB/s"')
    single = ["0 send 2 0 1e8", "2 recv 0 0 1e8", "1 compute 1", "3 compute 1"]
    both = ["0 send 2 0 1e8", "2 recv 0 0 1e8", "1 send 3 0 1e8", "3 recv 1 0 1e8"]
    inside = ["0 send 1 0 1e8", "1 recv 0 0 1e8", "2 send 3 0 1e8", "3 recv 2 0 1e8"]
    assert _time(tmp_path, platform, single) == pytest.approx(1, rel=1e-3)
    assert _time(tmp_path, platform, both) == pytest.approx(2, rel=1e-3)
    assert _time(tmp_path, platform, inside) == pytest.approx(1, rel=1e-3)


def test_machines_that_share_a_core_compute_half_as_fast(tmp_path: Path) -> None:
    platform = _platform(tmp_path, "host_cores = 1", _hypervisor(slice_s=0.01))
    assert _time(tmp_path, platform, _TWO_COMPUTE) == pytest.approx(4, abs=0.011)
    # The other machine of the host has no rank: it wants no core.
    assert _time(tmp_path, platform, ["0 compute 2e9", "1 compute 1"][:1]) == pytest.approx(2)
    others = _platform(tmp_path, "host_cores = 1\nother_cores = 2", _hypervisor(slice_s=0.01))
    assert _time(tmp_path, others, _TWO_COMPUTE) == pytest.approx(8, abs=0.031)


def test_a_share_is_stolen_from_computation(tmp_path: Path) -> None:
    platform = _platform(tmp_path, "", _hypervisor(steal_share=0.2, steal_s=0.001))
    assert _time(tmp_path, platform, _TWO_COMPUTE) == pytest.approx(2.5, rel=0.01)


def test_a_seed_gives_the_same_times_again_and_another_one_others(tmp_path: Path) -> None:
    platform = _platform(
        tmp_path, "host_cores = 1", _hypervisor(slice_s=0.003, wake_delay_s=1e-4, steal_share=0.1, steal_s=1e-3)
    )
    lines = ["0 compute 3e7", "0 send 2 0 1000", "2 recv 0 0 1000", "1 compute 1e7", "1 recv 2 0 1", "2 send 1 0 1"]
    times = [_time(tmp_path, platform, lines, seed) for seed in (1, 1, 2)]
    assert times[0] == times[1]
    assert times[0] != times[2]


def test_a_machine_that_waits_wakes_late_and_one_that_computes_does_not(tmp_path: Path) -> None:
    plain = _platform(tmp_path)
    before = _time(tmp_path, plain, _PAIR)
    late = _platform(tmp_path, "", _hypervisor(wake_delay_s=0.01))
    delays = [_time(tmp_path, late, _PAIR, seed) - before for seed in range(200)]
    # Three standard errors of an exponential: 3 * 10 ms / sqrt(200).
    assert sum(delays) / 200 == pytest.approx(0.01, abs=0.0022)
    assert min(delays) > 0
    busy = ["0 send 1 0 1", "1 compute 1e6", "1 recv 0 0 1"]
    assert _time(tmp_path, late, busy) == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("virtual", "more", "problem"),
    [
        ("host_cores = 1", "", "cluster[0].virtual.host_cores = 1: acts only beside [node.hypervisor]"),
        ("per_host = 0", "", "per_host"),
        ("", "[node.hypervisor]\nsteal_s = 0.1\n", "node.hypervisor.steal_s = 0.1: acts only beside steal_share above 0"),
        ("", "[node.hypervisor]\nsteal_share = 1.0\n", "expected less than 1"),
    ],
)  # fmt: skip
def test_what_would_be_ignored_or_cannot_be_is_refused(tmp_path: Path, virtual: str, more: str, problem: str) -> None:
    text = _PLATFORM.format(virtual=virtual, more=more, limiter=2)
    if virtual.startswith("per_host"):
        text = text.replace("per_host = 2\n", "", 1)
    with pytest.raises(InputError) as refused:
        parse(tmp_path / "v.toml", text)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    "other",
    [
        "rails = 2",
        'node_links = "unshared"',
        "[cluster.torus]\nsizes = [5]\nbandwidth_bytes_per_s = 1e9\nlatency_s = 0.0",
    ],
)
def test_hosts_of_virtual_machines_are_behind_one_switch(tmp_path: Path, other: str) -> None:
    text = _PLATFORM.format(virtual="", more="", limiter=2)
    text = text.replace("[cluster.virtual]\nper_host = 2", f"{other}\n[cluster.virtual]\nper_host = 2")
    with pytest.raises(InputError, match="acts only beside nodes behind one switch"):
        parse(tmp_path / "v.toml", text)
