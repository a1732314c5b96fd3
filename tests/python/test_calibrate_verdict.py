# SPDX-License-Identifier: BSD-3-Clause
"""A calibration judges itself: made-up samples with one fault each, and recorded ones of a loopback with busy cores."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from orrery.calibrate.fit.node.host import bindings_of, crowd_of, host_of
from orrery.calibrate.fit.outcome import CalibrationOutcome, evaluate
from orrery.calibrate.measure.layout import layout_of
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, Floats, read
from orrery.calibrate.uncertainty.draws import with_draws
from orrery.calibrate.uncertainty.grading import Bound
from orrery.calibrate.uncertainty.verdict import judge
from orrery.platform.schema import Verdict

RECORDED = Path(__file__).parent.parent / "data" / "loopback"
SIZES = tuple(round(size) for size in np.geomspace(1, 4e6, 24))
PAIRS = ((0, 2), (4, 6), (1, 3))
MPI = "Some MPI 1.0"
Times = Callable[[float, np.random.Generator], Floats]
"""One-way times of a size, in seconds, one for each repetition."""


def _network(size: float, generator: np.random.Generator) -> Floats:
    """20 us and 1 GB/s, with 1 % of noise."""
    return (20e-6 + size / 1e9) * (1 + generator.exponential(0.01, 8))


def _memory(size: float, generator: np.random.Generator) -> Floats:
    """0.5 us and 8 GB/s."""
    return (0.5e-6 + size / 8e9) * (1 + generator.exponential(0.01, 8))


def _ping_pongs(group: str, times: Times, pairs: tuple[tuple[int, int], ...]) -> list[CalibrationExperiment]:
    generator = np.random.default_rng(7)
    out = []
    for pass_, (a, b) in enumerate(pairs):
        for number, size in enumerate(SIZES):
            drawn = round(size * (1 + 0.1 * pass_))
            experiment = CalibrationExperiment(f"{group}{pass_}.{number}", "pingpong", {"group": group}, done=True)
            experiment.samples = [
                CalibrationSample("half", a, b, drawn, n, float(t)) for n, t in enumerate(times(drawn, generator))
            ]
            out.append(experiment)
    return out


def _hosts(nodes: int, ppn: int, bound: list[str] | None = None, mpi: str = MPI) -> CalibrationExperiment:
    """Ranks node by node, each node with a kernel and four processors of its own."""
    experiment = CalibrationExperiment("hosts0", "hosts", {}, done=True)
    for rank in range(nodes * ppn):
        node = rank // ppn
        words = [f"host:n{node}", f"kernel:k{node}", f"bound:{bound[rank] if bound else '0-3'}"]
        experiment.samples += [CalibrationSample(word, rank, rank, 0, 0, 0.0) for word in words]
        experiment.samples.append(CalibrationSample("processors", rank, rank, 0, 0, 4.0))
    experiment.samples.append(CalibrationSample(f"mpi:{mpi}", 0, 0, 0, 0, 0.0))
    return experiment


def _arithmetic(*passes: tuple[float, ...]) -> list[CalibrationExperiment]:
    """Seconds of each repetition, by pass; copies and sums of a tenth of a nanosecond for each byte beside it."""
    out = []
    for number, times in enumerate(passes or [(3e-3, 3e-3, 3.01e-3)] * 3):
        experiment = CalibrationExperiment(f"c{number}", "compute", {}, done=True)
        experiment.samples = [
            CalibrationSample("kernel", 0, 0, 0, repetition, time) for repetition, time in enumerate(times)
        ]
        experiment.samples += [CalibrationSample(what, 0, 0, 65536, 0, 1e-10) for what in ("copy", "reduce")]
        out.append(experiment)
    return out


def _foreign(share: float) -> CalibrationExperiment:
    """On node n1; nothing on the others."""
    samples = [CalibrationSample("foreign", rank, rank, 0, 0, share if rank in {2, 3} else 0.01) for rank in range(8)]
    return CalibrationExperiment("f0", "foreign", {}, samples, done=True)


def _outcome(
    network: Times = _network,
    memory: Times | None = _memory,
    more: list[CalibrationExperiment] | None = None,
    **hosts: object,
) -> CalibrationOutcome:
    """Four nodes with two ranks each, whose network and memory have these times."""
    experiments = [_hosts(4, 2, **hosts), *_ping_pongs("net", network, PAIRS), *(more or _arithmetic())]  # type: ignore[arg-type]
    if memory is not None:
        experiments += _ping_pongs("memory", memory, ((0, 1),))
    results = CalibrationResults(experiments)
    return with_draws(evaluate(results, nodes=4, ppn=2, groups=[4]), results, [4], draws=40)


def _found(verdict: Verdict) -> dict[str, str]:
    return {reason.about: reason.grade for reason in verdict.reasons}


def test_quiet_samples_of_a_plausible_cluster_are_good() -> None:
    verdict = judge(_outcome(more=[*_arithmetic(), _foreign(0.02)]))
    assert (verdict.grade, verdict.reasons) == ("good", [])


def test_what_was_not_measured_inside_a_node_makes_a_calibration_usable() -> None:
    assert _found(judge(_outcome(memory=None))) == {"not measured": "usable"}


def test_a_latency_that_no_network_has_is_poor() -> None:
    # 20 ns from node to node: two interfaces alone take more.
    verdict = judge(_outcome(lambda size, _: np.full(8, 20e-9 + size / 1e9)))
    assert _found(verdict) == {"latency": "poor"}
    assert "a latency of 20" in verdict.reasons[0].found
    assert "--fresh" in verdict.reasons[0].cure


def test_a_rate_that_nothing_has_is_poor() -> None:
    assert _found(judge(_outcome(lambda size, _: np.full(8, 1e-6 + size / 2e12))))["rate"] == "poor"


def test_messages_that_take_less_time_the_larger_they_are_are_told() -> None:
    def falling(size: float, generator: np.random.Generator) -> Floats:
        return _network(size, generator) if size > 2000 else (200e-6 - size * 75e-9) * np.ones(8)

    # From 1 B to 2,000 B the time falls from 200 us to 50 us; what is cut into ranges falls by a fifth in one of them.
    assert _found(judge(_outcome(falling)))["negative slope"] == "usable"


def test_repeated_messages_that_differ_widely_are_poor() -> None:
    # First quartile 1, third quartile 4.5: 350 %, of which 300 % are tolerable.
    def disturbed(size: float, generator: np.random.Generator) -> Floats:
        return (20e-6 + size / 1e9) * np.array([1, 1, 1, 1.5, 2.5, 4, 6, 8]) * (1 + generator.exponential(0.01, 8))

    assert _found(judge(_outcome(disturbed)))["repetitions"] == "poor"


def test_sizes_that_lie_on_no_line_are_poor() -> None:
    # Each size is repeated exactly, but one in two takes three times as long.
    def uneven(size: float, generator: np.random.Generator) -> Floats:
        return np.full(8, (20e-6 + size / 1e9) * (3.0 if generator.random() < 0.5 else 1.0))

    assert _found(judge(_outcome(uneven)))["misfit"] == "poor"


def test_two_groups_of_times_are_poor_unless_the_user_accepts_them() -> None:
    def twofold(size: float, generator: np.random.Generator) -> Floats:
        return (20e-6 + size / 1e9) * np.array([1, 1, 1, 1, 1, 3, 3, 3]) * (1 + generator.exponential(0.01, 8))

    outcome = _outcome(twofold)
    assert _found(judge(outcome))["bimodal"] == "poor"
    assert _found(judge(outcome, accept_bimodal=True))["bimodal"] == "usable"


@pytest.mark.parametrize(("share", "grade"), [(0.05, None), (0.3, "usable"), (0.9, "poor")])
def test_others_that_use_the_processors_of_a_node_are_named(share: float, grade: str | None) -> None:
    verdict = judge(_outcome(more=[*_arithmetic(), _foreign(share)]))
    assert _found(verdict).get("host load") == grade
    if grade:
        assert f"others used {share:.0%} of the processors of n1" in verdict.reasons[0].found


def test_processors_that_change_their_speed_are_judged_by_how_much() -> None:
    for slow, grade in ((1.04, None), (1.3, "usable"), (1.8, "poor")):  # bounds: 5 % and 50 %
        passes = _arithmetic((3e-3, 3e-3), (3e-3 * slow, 3e-3 * slow))
        assert _found(judge(_outcome(more=passes))).get("unsteady processors") == grade


def test_repetitions_that_waited_for_a_processor_are_judged_by_their_share() -> None:
    for late, grade in ((0, None), (1, "usable"), (6, "poor")):  # of ten: bounds are 5 % and 50 %
        times = (*[3e-3] * (10 - late), *[9e-3] * late)
        assert _found(judge(_outcome(more=_arithmetic(times)))).get("interrupted") == grade


def test_ranks_that_have_to_share_a_processor_are_poor() -> None:
    # Both ranks of each node may run on processor 2 alone.
    verdict = judge(_outcome(bound=["2"] * 8))
    assert _found(verdict) == {"shared cores": "poor"}
    assert "2 ranks of one machine share one processor" in verdict.reasons[0].found


@pytest.mark.parametrize(
    ("bound", "crowd"),
    [
        (["0", "1", "2", "3"], (0, 0)),
        (["0-3", "0-3", "0-3", "0-3"], (0, 0)),
        (["0-1", "0-1", "0-1", "3"], (3, 2)),  # three on two
        (["0;8", "0;8", "0;8", "1"], (3, 2)),
        (["0", "0", "0-7", "0-7"], (2, 1)),  # two are bound to one, though the node has eight
    ],
)
def test_ranks_share_processors_where_more_are_bound_to_some_than_these_are(
    bound: list[str], crowd: tuple[int, int]
) -> None:
    assert crowd_of(bindings_of(CalibrationResults([_hosts(1, 4, bound)]))) == crowd


def test_ranks_of_a_simulated_cluster_share_the_host_without_harm() -> None:
    results = CalibrationResults([_hosts(1, 4, ["0"] * 4, mpi="Orrery 0.1.0"), _foreign(0.9)])
    host = host_of(results, layout_of(results))
    assert (host.crowded_ranks, host.foreign_share) == (0, 0.0)


def test_a_plan_that_was_cut_short_is_usable_and_goes_on() -> None:
    left = [CalibrationExperiment(f"left{n}", "pingpong", {"group": "net"}) for n in range(7)]
    verdict = judge(_outcome(more=[*_arithmetic(), *left]))
    assert _found(verdict) == {"unfinished": "usable"}
    assert "7 experiments" in verdict.reasons[0].found


def test_a_regime_of_few_sizes_is_not_trusted_as_one_of_many() -> None:
    outcome = _outcome()
    regimes = outcome.network.regimes
    for sizes, grade in ((5, None), (3, "usable"), (1, "poor")):
        few = replace(
            outcome, network=replace(outcome.network, regimes=[replace(regimes[0], sizes=sizes), *regimes[1:]])
        )
        assert _found(judge(few)).get("few sizes") == grade


def test_poor_reasons_stand_first() -> None:
    verdict = judge(_outcome(memory=None, more=[*_arithmetic(), _foreign(0.9)]))
    assert [reason.grade for reason in verdict.reasons] == ["poor", "usable"]
    assert verdict.grade == "poor"


def test_a_bound_takes_what_is_no_number_for_the_worst() -> None:
    bound = Bound(0.1, 0.5)
    assert [bound.grade(value) for value in (0.1, 0.2, 0.6, float("nan"))] == [None, "usable", "poor", "poor"]


def test_a_loopback_with_busy_cores_is_poor_for_every_reason_that_it_has(tmp_path: Path) -> None:
    for name in ("plan.txt", "results.csv"):
        (tmp_path / name).write_bytes(gzip.decompress((RECORDED / f"{name}.gz").read_bytes()))
    results = read(tmp_path / "plan.txt", tmp_path / "results.csv")
    outcome = with_draws(evaluate(results, nodes=2, ppn=1, groups=[2]), results, [2], draws=40)
    found = _found(judge(outcome))
    # Two endless loops ran on its two processors: times of one size are apart by factors of thousands.
    assert {about for about, grade in found.items() if grade == "poor"} >= {
        "latency",
        "misfit",
        "interval",
        "host load",
    }
    assert outcome.host.foreign_share > 0.95
