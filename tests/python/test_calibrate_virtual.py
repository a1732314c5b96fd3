# SPDX-License-Identifier: BSD-3-Clause
"""Virtual machines: what is stolen from ranks, and what the machines of one host share, from samples that are known."""

from __future__ import annotations

import math
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest

import orrery
from harness import HUNG_S, ORRERY, Sandbox
from orrery.calibrate.fit.network.hosts import host_link_of
from orrery.calibrate.fit.network.uplinks import uplink_of
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.fit.node.stolen import stolen_of
from orrery.calibrate.measure.plan import PlanRequest, plan
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, read
from orrery.calibrate.measure.session import _request_of
from orrery.calibrate.measure.speed import Speed
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError
from orrery.platform.load import load

FAST = Speed((1.0, 1e3, 1e6), (2e-6, 3e-6, 1e-4))  # 80 Gbit/s


_CLUSTER = """[[cluster]]
name = "virtual"
nodes = 6
cores = 1
bandwidth_bytes_per_s = "100MB/s"
latency_s = "30us"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "0us"

[cluster.virtual]
per_host = 3
bandwidth_bytes_per_s = "50MB/s"
latency_s = "20us"

"""


def _steal(
    rank: int, pieces: list[float], window_s: float = 1.0, late: tuple[float, ...] = ()
) -> CalibrationExperiment:
    ranks = range(4) if rank < 0 else [rank]
    samples = [CalibrationSample("window", victim, victim, 0, 0, window_s) for victim in ranks]
    samples += [
        CalibrationSample("stolen", victim, victim, 0, number, value)
        for victim in ranks
        for number, value in enumerate(pieces)
    ]
    samples += [
        CalibrationSample("late", victim, victim, 0, number, value)
        for victim in ranks
        for number, value in enumerate(late)
    ]
    return CalibrationExperiment(f"steal{rank}", "steal", {"rank": str(rank)}, samples, done=True)


def test_what_is_stolen_from_one_rank_is_a_share_in_pieces() -> None:
    found = stolen_of(CalibrationResults([_steal(0, [0.002] * 25), _steal(-1, [0.002] * 25)]))
    assert found is not None
    assert found.share == pytest.approx(0.05)  # 25 pieces of 2 ms in a second
    assert found.piece_s == pytest.approx(0.002)
    assert (found.crowding, found.slice_s) == (1.0, 0.0)


def test_short_interruptions_do_not_count_as_pieces() -> None:
    # 20 slices of 100 ms, and as many interrupts of 0.1 ms: 99.9 % of what is stolen is in pieces of 100 ms.
    found = stolen_of(CalibrationResults([_steal(0, [0.1] * 20 + [1e-4] * 20, window_s=4.0), _steal(-1, [])]))
    assert found is not None
    assert found.share == pytest.approx(0.5, rel=0.01)
    assert found.piece_s == pytest.approx(0.1, rel=0.01)


def test_ranks_that_share_cores_compute_longer_together_than_alone() -> None:
    # Together each has a core for 30 ms of 90 ms: three virtual processors of one core.
    found = stolen_of(CalibrationResults([_steal(0, []), _steal(-1, [0.06] * 11, window_s=0.99)]))
    assert found is not None
    assert found.share == 0.0
    assert found.crowding == pytest.approx(3)
    assert found.slice_s == pytest.approx(0.03)


@pytest.mark.parametrize(
    "pieces",
    [[], [60e-6] * 50, [0.01] * 4],  # nothing; 0.3 % as on an idle node; too few to tell
)
def test_what_cannot_be_told_from_an_idle_node_is_none(pieces: list[float]) -> None:
    found = stolen_of(CalibrationResults([_steal(0, pieces), _steal(-1, pieces)]))
    assert found is not None
    assert not found.seen


def test_pauses_that_are_longer_than_usual_are_delays() -> None:
    # 60 us, and an exponential delay with mean 80 us besides, at 400 even quantiles; a tenth end in what is stolen.
    late = tuple(60e-6 - 80e-6 * math.log(1 - (number + 0.5) / 400) for number in range(400))
    found = stolen_of(CalibrationResults([_steal(0, [], late=late), _steal(-1, [])]))
    assert found is not None
    assert found.wake_delay_s == pytest.approx(80e-6, rel=0.01)
    usual, stolen = (60e-6,) * 90, (560e-6,) * 10
    quiet = stolen_of(CalibrationResults([_steal(0, [], late=usual + stolen), _steal(-1, [])]))
    assert quiet is not None
    assert quiet.wake_delay_s == 0.0


def test_where_work_takes_no_time_nothing_is_known() -> None:
    silent = [CalibrationExperiment(f"steal{rank}", "steal", {"rank": str(rank)}, [], done=True) for rank in (0, -1)]
    assert stolen_of(CalibrationResults(silent)) is None
    assert stolen_of(CalibrationResults([])) is None


WIRE = Wire(framing=None, rate_bytes_per_s=1e8, burst_bytes=0.0)
"""Between hosts, one pair."""


def _across(pairs: int, time_s: float) -> CalibrationExperiment:
    flows = [(rank, rank + 4) for rank in range(pairs)]
    samples = [
        CalibrationSample("arrived", a, b, 1 << 20, repetition, time_s) for repetition in range(3) for a, b in flows
    ]
    keys = {"group": "share", "name": "across", "list": ",".join(f"{a}>{b}" for a, b in flows), "bytes": str(1 << 20)}
    return CalibrationExperiment(f"across{pairs}", "flows", keys, samples, done=True)


def _small(group: str, half_s: float) -> CalibrationExperiment:
    samples = [CalibrationSample("half", 0, 1, 1, number, half_s) for number in range(8)]
    return CalibrationExperiment(group, "pingpong", {"group": group, "pairs": "0-1", "bytes": "1"}, samples, done=True)


def test_the_link_of_a_host_is_what_its_pairs_reach_together() -> None:
    each_s = (1 << 20) / 1e8
    results = CalibrationResults([_across(1, each_s), _across(2, 2 * each_s), _across(4, 4 * each_s), _small("net", 80e-6),
                       _small("bridge", 50e-6)])  # fmt: skip
    found = host_link_of(results, WIRE, uplink_of(results, WIRE, [4, 4]), 70e-6)
    assert found.full
    assert found.pairs == 4
    assert found.rate_bytes_per_s == pytest.approx(1e8)
    # A small message takes 30 us more between hosts: of 70 us two links of a machine have 40, two of hosts 30.
    assert found.machine_latency_s == pytest.approx(20e-6)
    assert found.latency_s == pytest.approx(15e-6)


def test_pairs_that_do_not_slow_each_other_do_not_fill_the_link_of_their_host() -> None:
    each_s = (1 << 20) / 1e8
    results = CalibrationResults([_across(1, each_s), _across(2, each_s)])
    found = host_link_of(results, WIRE, uplink_of(results, WIRE, [2, 2]), 70e-6)
    assert not found.full
    assert found.rate_bytes_per_s == pytest.approx(2e8)  # at least
    assert found.machine_latency_s == 0.0
    assert found.latency_s == pytest.approx(35e-6)


def test_one_machine_on_a_host_has_the_link_of_the_host() -> None:
    found = host_link_of(CalibrationResults([]), WIRE, None, 70e-6)
    assert (found.rate_bytes_per_s, found.machine_latency_s) == (1e8, 0.0)
    assert found.latency_s == pytest.approx(35e-6)


def _settings(nodes: int, per_host: int | None, cabinets: tuple[int, ...] = ()) -> CalibrationSettings:
    return CalibrationSettings(
        output=Path("c.toml"), nodes=nodes, cabinets=cabinets, budget_s=240.0, vms_per_host=per_host
    )


def test_messages_between_nodes_are_measured_between_hosts() -> None:
    request = _request_of(_settings(6, 2), list(range(6)), [])
    assert request.groups == [[0, 1], [2, 3], [4, 5]]
    assert request.first_ranks == [0, 2, 4, 1, 3, 5]
    lines = plan(request, FAST)
    across = [line.keys["list"] for line in lines if line.keys.get("name") == "across"]
    assert across == ["0>2", "0>2,1>3"]
    assert {line.keys["pairs"] for line in lines if line.keys.get("group") == "bridge"} == {"0-1"}
    pairs = {str(line.keys["pairs"]) for line in lines if line.keys.get("group") == "net" and "pairs" in line.keys}
    assert not {"0-1", "2-3", "4-5"} & pairs


def test_hosts_are_several_and_no_cabinets() -> None:
    with pytest.raises(InputError, match="there is one host"):
        _settings(4, 4)
    with pytest.raises(InputError, match="vms_per_host: not with cabinets"):
        orrery.calibrate(nodes=4, vms_per_host=2, cabinets=(2, 2))
    assert _settings(5, 2).groups == [2, 2, 1]
    assert _settings(4, 1).groups == [4]
    assert _settings(4, None).groups == [4]


def test_stolen_time_is_measured_where_nodes_have_kernels_of_their_own() -> None:
    ranks = list(range(4))
    for shared in (False, True):
        request = PlanRequest(ranks, [], [ranks], 240.0, seed=1, shared_kernel=shared)
        who = [line.keys["rank"] for line in plan(request, FAST) if line.kind == "steal"]
        assert bool(who) is not shared
        assert who.count(-1) == len(who) / 2


@pytest.mark.slow
def test_hosts_of_a_simulated_cluster_are_found_again(tmp_path: Path, built: Path) -> None:
    sandbox = Sandbox(tmp_path, built)
    sandbox.environment["XDG_CACHE_HOME"] = str(built)
    text = resources.files("orrery").joinpath("platforms", "graphene.toml").read_text(encoding="utf-8")
    at = text.index("[[network.between_nodes]]")
    text = re.sub(r"(?s)\[\[cluster\]\].*", _CLUSTER, text[:at]) + text[at:]
    (tmp_path / "v.toml").write_text(text, encoding="utf-8")
    prefix = subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True).stdout.strip()
    options = ["--nodes", "6", "--vms-per-host", "3", "--budget", "0.5", "-o", "c.toml"]
    launcher = f"{ORRERY} run -n {{n}} --map node --platform v.toml --compute none"
    command: list[str] = [str(ORRERY), "calibrate", *options, "--mpicc", f"{prefix}/bin/mpicc", "--mpirun", launcher]
    ended = subprocess.run(
        command, env=sandbox.environment, cwd=tmp_path, capture_output=True, text=True, timeout=HUNG_S, check=False
    )
    assert ended.returncode == 0, ended.stderr
    (cluster,) = load(str(tmp_path / "c.toml")).clusters
    assert (cluster.nodes, cluster.cabinets) == (6, [])
    assert cluster.virtual is not None
    assert cluster.virtual.per_host == 3
    assert cluster.virtual.latency_s == pytest.approx(20e-6, rel=0.05)
    assert cluster.latency_s == pytest.approx(30e-6, rel=0.05)
    # One pair reaches what a machine does, three pairs what the host does; the first regimes of graphene reach less.
    assert cluster.bandwidth_bytes_per_s / cluster.virtual.bandwidth_bytes_per_s == pytest.approx(2, rel=0.1)


@pytest.mark.slow
def test_what_a_platform_steals_is_found_again(tmp_path: Path, built: Path) -> None:
    sandbox = Sandbox(tmp_path, built)
    prefix = Path(subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True).stdout.strip())
    sources = [str(source) for source in sorted((prefix / "measure" / "bench").glob("*.c"))]
    bench = tmp_path / "steal"
    subprocess.run([str(prefix / "bin" / "mpicc"), "-O2", *sources, "-o", str(bench), "-lm"], check=True)
    platform = resources.files("orrery").joinpath("platforms", "futuregrid-virtual.toml").read_text(encoding="utf-8")
    stolen = '[node.hypervisor]\nsteal_share = 0.1\nsteal_s = "1ms"\n'
    (tmp_path / "v.toml").write_text(platform.replace("[node.hypervisor]\n", stolen), encoding="utf-8")
    plan_of_two = "".join(f"steal{n} steal rank={rank} window_us=300000 pauses=30\n" for n, rank in ((1, 0), (2, -1)))
    (tmp_path / "plan").write_text(plan_of_two, encoding="utf-8")
    run = [str(ORRERY), "run", "-n", "2", "--platform", "v.toml", "--map", "node", "--compute", "cpu", str(bench)]
    subprocess.run(
        [*run, "plan", "results"],
        env=sandbox.environment,
        cwd=tmp_path,
        capture_output=True,
        timeout=HUNG_S,
        check=True,
    )
    results = read(tmp_path / "plan", tmp_path / "results")
    found = stolen_of(results)
    assert found is not None
    # 300 ms have 30 pieces, one in each 10 ms; the window may cut one off, or have one more. What the host itself takes
    # of the program, if it is busy, comes in smaller pieces on top.
    (alone,) = (experiment for experiment in results.of("steal") if experiment.keys["rank"] == "0")
    pieces_s = alone.values("stolen")
    whole_s = pieces_s[pieces_s > 0.9e-3]
    assert whole_s.sum() / alone.values("window").sum() == pytest.approx(0.1, abs=0.007)
    assert found.share == pytest.approx(pieces_s.sum() / alone.values("window").sum())
    assert found.piece_s == pytest.approx(1e-3, rel=0.1)
    assert found.crowding == 1.0
    assert found.wake_delay_s == 0.0  # a pause is no message
