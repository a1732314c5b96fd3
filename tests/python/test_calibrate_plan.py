# SPDX-License-Identifier: BSD-3-Clause
"""Plans keep to their budget and miss no subject; what must not be fitted is refused."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit.network.sanity import check_ping_pong, split, twofold_of
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.fit.transport.sharing import sharing_of
from orrery.calibrate.measure.layout import Layout, check_layout, layout_of
from orrery.calibrate.measure.plan import LARGEST, PlanRequest, largest_size, plan, sizes_of_pass, survey
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, Curve, read
from orrery.calibrate.measure.speed import Speed, speed_of
from orrery.errors import InputError
from orrery.real_mpi.launcher import Launcher

SLOW = Speed((1.0, 1e3, 1e4, 1e6), (25e-6, 40e-6, 1.3e-3, 0.17))  # 50 Mbit/s
FAST = Speed((1.0, 1e3, 1e6), (2e-6, 3e-6, 1e-4))  # 80 Gbit/s
SUBJECTS = {
    "clocks",
    "ping",
    "pingpong",
    "limit",
    "flows",
    "queue",
    "overlap",
    "calls",
    "nonblocking",
    "compute",
    "wire",
    "foreign",
    "steal",
    "noise",
}


def _request(nodes: int, budget_s: float, groups: int = 1, local: tuple[int, ...] = ()) -> PlanRequest:
    ranks = list(range(nodes))
    size = nodes // groups
    return PlanRequest(ranks, list(local), [ranks[i * size : (i + 1) * size] for i in range(groups)], budget_s, seed=3)


@pytest.mark.parametrize("speed", [SLOW, FAST])
@pytest.mark.parametrize(("nodes", "budget_s"), [(4, 120.0), (16, 240.0), (16, 540.0), (64, 540.0)])
def test_a_plan_fits_its_budget_and_has_every_subject(speed: Speed, nodes: int, budget_s: float) -> None:
    lines = plan(_request(nodes, budget_s), speed)
    assert {line.kind for line in lines} == SUBJECTS
    assert sum(line.seconds for line in lines) <= budget_s


def test_the_first_pass_has_every_subject_so_that_a_cut_plan_lacks_only_repetitions() -> None:
    lines = plan(_request(16, 540.0), SLOW)
    second = [number for number, line in enumerate(lines) if line.kind == "clocks"][1]
    assert {line.kind for line in lines[:second]} == SUBJECTS


def test_where_nodes_share_processors_each_pass_asks_six_times_what_small_messages_take() -> None:
    ranks = list(range(16))
    plans = [plan(PlanRequest(ranks, [], [ranks], 540.0, 3, kernel), SLOW) for kernel in (False, True)]
    alone, shared = ([line for line in lines if line.keys.get("group") == "work"] for lines in plans)
    assert not alone
    passes = sum(line.kind == "clocks" for line in plans[1])
    assert [sum(line.kind == "slice" for line in lines) for lines in plans] == [0, passes]
    times = 6 * passes
    assert len(shared) == times > 6
    for name in ("small_ring", "held"):  # and once with all others
        assert sum(line.keys.get("name") == name for line in plans[1]) == times + 1
    assert {str(line.keys["pairs"]).count("-") for line in shared} == {8}


def test_each_pass_asks_other_nodes_for_their_queue() -> None:
    lines = plan(_request(16, 540.0), SLOW)
    queues = [line for line in lines if line.kind == "queue"]
    assert len(queues) == sum(line.kind == "clocks" for line in lines) > 2
    assert len({line.keys["a"] for line in queues}) == min(len(queues), 8)


def test_queues_and_shares_are_those_inside_a_site() -> None:
    lines = plan(_request(16, 540.0, groups=4), SLOW)
    queues = [line for line in lines if line.kind == "queue"]
    assert len(queues) > 2
    for line in queues:
        assert len({int(line.keys[name]) // 4 for name in "abc"}) == 1
    fans = [str(line.keys["list"]) for line in lines if line.keys.get("name") == "fan"]
    assert len(fans) == sum(line.kind == "clocks" for line in lines)
    for flows in fans:
        assert len({int(rank) // 4 for flow in flows.split(",") for rank in flow.split(">")}) == 1


def test_a_node_by_itself_is_asked_for_its_memory_and_for_nothing_between_nodes() -> None:
    lines = plan(PlanRequest([0], [0, 1, 2, 3], [[0]], 120.0, 3), FAST)
    assert sum(line.seconds for line in lines) <= 120.0
    assert {line.keys.get("group", "memory") for line in lines} == {"memory", "inside"}
    assert {line.keys["pairs"] for line in lines if line.kind == "pingpong"} == {"0-1", "2-3"}
    together = [str(line.keys["list"]) for line in lines if line.keys.get("name") == "together"]
    assert set(together) == {"0>1", "0>1,2>3"}  # one pair, and both at once


def test_equal_seeds_give_equal_plans_and_others_other_sizes() -> None:
    texts = []
    for seed in (1, 1, 2):
        request = PlanRequest([0, 1, 2, 3], [], [[0, 1, 2, 3]], 100.0, seed)
        texts.append([line.text(number) for number, line in enumerate(plan(request, SLOW))])
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_sizes_of_a_pass_have_one_in_each_step_of_the_logarithm() -> None:
    generator = Random(5)  # noqa: S311  reproducible, not secret
    sizes = sorted(sizes_of_pass(1 << 24, 24, generator))
    assert all((1 << step) <= size <= (2 << step) for step, size in enumerate(sizes))


def test_no_message_is_longer_than_100_mib_or_a_fiftieth_of_the_budget_there_and_back() -> None:
    assert largest_size(600.0, FAST) == LARGEST
    assert 2 * SLOW.time(largest_size(600.0, SLOW)) <= 600.0 / 50


def test_cabinets_and_ranks_of_one_node_get_experiments_of_their_own() -> None:
    lines = plan(_request(8, 300.0, groups=2, local=(0, 1)), SLOW)
    assert any(line.keys.get("name") == "across_both" for line in lines)
    assert any(line.keys.get("group") == "memory" and line.kind == "limit" for line in lines)
    assert not any(line.keys.get("name") == "across" for line in plan(_request(8, 300.0), SLOW))


def test_sites_on_a_slow_link_are_told_apart_before_anything_else() -> None:
    # 3.8 Mbit/s and 8 ms: a transfer of 1 MiB takes 2.3 s, eight of them at once 18 s.
    slow = Speed((1.0, 1e3, 1e6), (8e-3, 10e-3, 2.3))
    lines = plan(_request(16, 180.0, groups=2), slow)
    assert [line.keys["group"] for line in lines[:2]] == ["across", "across"]
    across = [line for line in lines if line.keys.get("name") == "across"]
    assert {line.keys["bytes"] for line in across} == {1 << 18}
    both = next(str(line.keys["list"]) for line in lines if line.keys.get("name") == "across_both")
    assert both == "0>8,1>9,2>10,3>11,12>4,13>5,14>6,15>7"
    # Each has a name of its own in the platform file.
    flows = [line.keys for line in lines if line.kind == "flows"]
    cases = [(keys["name"], str(keys["list"]).count(">"), keys["bytes"], keys.get("late_us")) for keys in flows]
    assert len(cases) == len(set(cases))
    usual = plan(_request(16, 180.0, groups=2), SLOW)
    assert {line.keys["bytes"] for line in usual if line.keys.get("name") == "across"} == {1 << 20}


def test_first_messages_are_measured_between_ranks_that_have_not_met() -> None:
    # Trees and exchanges of collectives have distances of powers of two; these pairs are 3 apart.
    first = [line for line in survey(16) if line.keys.get("group") == "first"]
    assert [line.keys["pairs"] for line in first] == ["1-4", "2-5", "8-11", "9-12"]


def test_the_expected_speed_is_interpolated_and_grows_with_the_size_beyond() -> None:
    curve = Curve(np.array([1.0, 1024.0, 1024.0, 1e6]), np.array([1e-5, 2e-5, 2.2e-5, 1e-2]))
    speed = speed_of(curve)
    assert 1e-5 < speed.time(100) < 2.1e-5
    assert speed.time(4e6) == pytest.approx(4e-2)


def _ping_pong(sizes: int, times: tuple[float, ...], span: float = 1e6) -> Curve:
    each = np.unique(np.round(np.geomspace(1, span, sizes)))
    factors = np.tile(np.array(times), len(each))
    at = np.repeat(each, len(times))
    return Curve(at, (1e-5 + at / 1e8) * factors)


STEADY = (1.0, 1.01, 1.0, 1.02, 1.0, 1.05, 1.01, 1.3, 1.0, 1.02)
TWOFOLD = (1.0, 1.01, 1.0, 1.02, 1.0, 1.01, 3.0, 3.02, 3.01, 3.0)


def test_a_steady_ping_pong_passes_though_single_samples_are_slow() -> None:
    steady = _ping_pong(30, STEADY)
    check_ping_pong(steady)
    assert twofold_of(steady) is None


def test_a_bimodal_ping_pong_is_found_with_both_times() -> None:
    found = twofold_of(_ping_pong(30, TWOFOLD))
    assert found is not None
    assert (found.sizes, found.judged) == (30, 30)
    assert found.slow_share == pytest.approx(0.4)  # four of ten
    assert found.slow_s / found.quick_s == pytest.approx(3.0, rel=0.01)


@pytest.mark.parametrize(("sizes", "span"), [(5, 1e6), (30, 500.0)])
def test_too_few_sizes_are_refused(sizes: int, span: float) -> None:
    with pytest.raises(CalibrationError, match="too little for a fit"):
        check_ping_pong(_ping_pong(sizes, STEADY, span))


def test_two_groups_are_told_from_a_long_tail() -> None:
    tail = 1 + np.random.default_rng(2).exponential(0.5, 60)
    assert split(tail) is None
    found = split(np.array([*[1.0] * 6, *[2.0] * 4]))
    assert found == pytest.approx((1.0, 2.0, 0.4))


def _layout(**nodes: list[int]) -> Layout:
    return Layout(nodes=nodes, kernels=len(nodes), processors=4, mpi="an MPI")


@pytest.mark.parametrize(
    ("layout", "nodes", "ppn", "said"),
    [
        (_layout(n1=[0, 1], n2=[2, 3]), 4, 1, "the ranks share 2: 2 ranks on n1.*--nodes 2 --ppn 2"),
        (_layout(n1=[0], n2=[1, 2]), 3, 1, "the ranks ran on 2 .n1, n2."),
        (_layout(n1=[0, 1, 2], n2=[3]), 2, 2, "3 ranks ran on n1, expected 2"),
    ],
)
def test_ranks_in_other_places_than_expected_are_refused(layout: Layout, nodes: int, ppn: int, said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        check_layout(layout, nodes, ppn)


def test_a_run_that_says_nothing_is_refused() -> None:
    with pytest.raises(CalibrationError, match="ended before its first experiment"):
        layout_of(CalibrationResults([]))


def _files(folder: Path, results: str) -> tuple[Path, Path]:
    (folder / "plan.txt").write_text("h0 hosts\np1 ping group=net a=0 b=1 bytes=8\n", encoding="utf-8")
    (folder / "results.csv").write_text(results, encoding="utf-8")
    return folder / "plan.txt", folder / "results.csv"


def test_samples_of_an_experiment_that_was_cut_are_left_out(tmp_path: Path) -> None:
    text = "p1,send,0,1,8,0,1e-6\np1,se\n# cut: what stands before was not finished\np1,send,0,1,8,0,2e-6\np1,done,0,0,0,0,1\n"
    found = read(*_files(tmp_path, text))
    assert found.experiments["p1"].values("send").tolist() == [2e-6]
    assert not found.experiments["h0"].done


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hello\nworld\n", "results.csv:1: expected 7 fields"),
        ("x9,send,0,1,8,0,1e-6\n", "no experiment x9.*do not belong together"),
        ("p1,send,0,1,eight,0,1e-6\n", "results.csv:1: invalid literal"),
    ],
)
def test_files_that_hold_something_else_are_refused_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(*_files(tmp_path, text))


def test_a_launcher_fills_its_places_and_keeps_words_together() -> None:
    launcher = Launcher("srun -N {nodes} --ntasks-per-node={ppn} sh -c '{program} > log'", nodes=3, ppn=2)
    assert launcher.command(["a", "b"]) == ["srun", "-N", "3", "--ntasks-per-node=2", "sh", "-c", "a b > log"]
    plain = Launcher("mpirun -np {n}", nodes=3, ppn=2)
    assert plain.command(["/x y/z", "1"]) == ["mpirun", "-np", "6", "/x y/z", "1"]


def _flows(name: str, flows: str, times: list[float], size: int = 1 << 20) -> CalibrationExperiment:
    keys = {"group": "share", "name": name, "list": flows, "bytes": str(size), "reps": str(len(times))}
    experiment = CalibrationExperiment(name, "flows", keys, done=True)
    last = flows.rsplit(",", maxsplit=1)[-1].split(">")
    experiment.samples = [
        CalibrationSample("arrived", int(last[0]), int(last[1]), size, n, time) for n, time in enumerate(times)
    ]
    return experiment


def test_the_limiter_is_what_nodes_reach_that_send_to_one_and_receive_from_another() -> None:
    ring = _flows("sendrecv_ring3", "0>1,1>2,2>0", [0.0133, 0.0134, 0.0133, 0.02])
    results = CalibrationResults([_flows("alone", "0>1", [0.01, 0.01, 0.01]), ring])
    sharing = sharing_of(results, Wire(None, 1e8, 0.0))
    assert sharing.limiter_factor == pytest.approx(2 / 1.33, rel=0.01)


def test_exchanges_of_a_pair_that_run_both_ways_are_kept_as_a_share() -> None:
    pair = _flows("sendrecv_pair", "0>1,1>0", [0.0101, 0.0102, 0.0199, 0.02, 0.0201])
    late = _flows("sendrecv_late_inside", "0>1,1>0", [0.0199, 0.02, 0.0201])
    sharing = sharing_of(CalibrationResults([_flows("alone", "0>1", [0.01]), pair, late]), Wire(None, 1e8, 0.0))
    assert sharing.half_duplex_share == pytest.approx(0.6)
    assert sharing.grants_wait
    assert sharing.limiter_factor == 2.0  # a pair's limit is not the node's
