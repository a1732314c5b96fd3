# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of a calibration: from samples that it could have had as well."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery.calibrate.fit.bottleneck import Bottleneck
from orrery.calibrate.fit.network import MessagePath, curves_of
from orrery.calibrate.fit.network.limits import ProtocolLimits
from orrery.calibrate.fit.network.regimes import Curves, fit_regimes, refit
from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.fit.node import calls_of
from orrery.calibrate.fit.node.processors import Noise
from orrery.calibrate.fit.outcome import CalibrationOutcome
from orrery.calibrate.fit.transport.sharing import sharing_of
from orrery.calibrate.measure.layout import Layout
from orrery.calibrate.measure.results import (
    UNDISTURBED,
    CalibrationExperiment,
    CalibrationResults,
    CalibrationSample,
    quantile,
)
from orrery.calibrate.uncertainty.draws import pace_of, with_draws
from orrery.calibrate.uncertainty.resampling import Bootstrap
from orrery.calibrate.write.document import by_key

SIZES = tuple(round(size) for size in np.geomspace(1, 1e6, 24))
PLAIN = Wire(None, 1e8, 0.0)
ONE_PROTOCOL = ProtocolLimits(asynchronous=None, detached=None, tried=1 << 20)


def _session(pair_factors: list[float], *, spread: float, seed: int = 1) -> CalibrationResults:
    """Ping-pongs of pairs, of a network with 50 us and 100 MB/s; each pair takes its factor as long."""
    generator = np.random.default_rng(seed)
    out = []
    for pair, factor in enumerate(pair_factors):
        for number, size in enumerate(SIZES):
            experiment = CalibrationExperiment(f"p{pair}.{number}", "pingpong", {"group": "net"}, done=True)
            times = factor * (50e-6 + size / 1e8) * (1 + generator.exponential(spread, 5))
            for repetition, time in enumerate(times):
                experiment.samples.append(
                    CalibrationSample("half", 2 * pair, 2 * pair + 1, size, repetition, float(time))
                )
            out.append(experiment)
    return CalibrationResults(out)


def _curves(results: CalibrationResults) -> Curves:
    return curves_of(results, "net", results.curve("half", "net"))


def _latency_interval(results: CalibrationResults, draws: int = 120) -> tuple[float, float]:
    regimes = fit_regimes(_curves(results), ONE_PROTOCOL, PLAIN)
    generator = np.random.default_rng(2)
    values = [
        refit(regimes, _curves(Bootstrap(results).draw(generator)), PLAIN, UNDISTURBED)[0].fit.latency_s
        for _ in range(draws)
    ]
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def test_what_is_drawn_of_a_size_is_all_that_was_measured_of_it_by_its_pair() -> None:
    results = _session([1.0, 2.0, 3.0], spread=0.1)
    drawn = Bootstrap(results).draw(np.random.default_rng(3))
    assert len(drawn.curve("half", "net")) == 2 * 23 * 5  # of three pairs two, of 24 sizes 23
    experiment = next(experiment for experiment in drawn.experiments.values() if experiment.samples)
    seen = Counter((sample.source, sample.bytes, sample.repetition) for sample in experiment.samples)
    for (source, size, _), count in seen.items():
        assert {seen[source, size, repetition] for repetition in range(5)} == {count}
    assert max(seen.values()) > 1  # with replacement


def test_repetitions_are_drawn_in_stretches_and_numbered_anew() -> None:
    measured = CalibrationExperiment("load", "pingpong", {"group": "load"}, done=True)
    measured.samples = [CalibrationSample("half", 0, 1, 1, repetition, float(repetition)) for repetition in range(64)]
    every = Bootstrap(CalibrationResults([measured])).draw(np.random.default_rng(1)).experiments.values()
    drawn = next(experiment for experiment in every if experiment.samples)
    assert [sample.repetition for sample in drawn.samples] == list(range(64))
    values = drawn.values("half")
    # Stretches of 4, the third root of 64, which go round the end.
    assert set(np.diff(values)[np.arange(63) % 4 != 3]) <= {1.0, -63.0}
    assert len(set(values)) < 64


def test_pairs_that_differ_make_the_interval_wider_than_samples_that_do() -> None:
    alike = _latency_interval(_session([1.0] * 6, spread=0.02))
    apart = _latency_interval(_session([0.9, 0.94, 0.98, 1.02, 1.06, 1.1], spread=0.02))
    assert alike[1] - alike[0] < 1e-6
    assert apart[1] - apart[0] > 3e-6  # the pairs have 45 to 55 us
    assert apart[0] < 50e-6 < apart[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_sessions_of_one_cluster_have_intervals_that_overlap(seed: int) -> None:
    generator = np.random.default_rng(seed)
    first, second = (
        _latency_interval(_session(list(generator.uniform(0.95, 1.05, 6)), spread=0.05, seed=seed + 10 * session))
        for session in range(2)
    )
    assert first[0] <= second[1]
    assert second[0] <= first[1]


def test_a_regime_of_which_nothing_was_drawn_keeps_its_values() -> None:
    results = _session([1.0], spread=0.01)
    regimes = fit_regimes(_curves(results), ONE_PROTOCOL, PLAIN)
    nothing = _curves(CalibrationResults([]))
    assert refit(regimes, nothing, PLAIN, UNDISTURBED) == regimes


def test_a_session_of_one_pair_that_seldom_sent_small_messages_still_has_draws() -> None:
    large = [
        experiment
        for experiment in _session([1.0], spread=0.01).experiments.values()
        if experiment.samples[0].bytes > 64
    ]
    small = CalibrationExperiment("small", "pingpong", {"group": "net"}, done=True)
    small.samples = [CalibrationSample("half", 0, 1, 8, repetition, 50e-6) for repetition in range(5)]
    results = CalibrationResults([small, *large])
    wire = Wire(None, 1e8, 0.0)
    curves = _curves(results)
    network = MessagePath(curves, ONE_PROTOCOL, wire, fit_regimes(curves, ONE_PROTOCOL, wire))
    found = with_draws(_outcome(network), results, [2], draws=40)
    # In about exp(-1) of the draws the one small size is missing; those are left out.
    assert 15 < len(found.draws) < 35
    assert found.network.regimes[0].intervals["rate_bytes_per_s"][0] == pytest.approx(1e8, rel=0.05)
    nothing = with_draws(_outcome(network), CalibrationResults(large), [2], draws=3)
    assert nothing.draws == ()


def _outcome(network: MessagePath) -> CalibrationOutcome:
    """The outcome of a session with nothing but ping-pongs."""
    layout = Layout({"a": [0], "b": [1]}, kernels=2, processors=1, mpi="")
    return CalibrationOutcome(
        layout=layout,
        network=network,
        memory=None,
        sharing=sharing_of(CalibrationResults([]), network.wire),
        processors=None,
        noise=Noise(0.0, 0.0),
        bottleneck=Bottleneck(pairs=1, slowdown=1.0, frame_load=0.0),
        uplink=None,
        timeouts=None,
        calls=calls_of(CalibrationResults([])),
        overlaps=[],
        first_message_s=0.0,
        drift_s_per_s=0.0,
        unsteadiness=0.0,
        interrupted_share=0.0,
        samples=1,
    )


def test_the_pace_of_another_moment_is_told_by_the_same_arithmetic() -> None:
    runs = [CalibrationExperiment(f"c{i}", "compute", {}, done=True) for i in range(3)]
    for run, times in zip(runs, ([1.0, 1.1, 1.0], [1.2, 1.2, 1.3], [1.0, 1.0, 9.0]), strict=True):
        run.samples = [CalibrationSample("kernel", 0, 0, 0, repetition, time) for repetition, time in enumerate(times)]
    generator = np.random.default_rng(1)
    found = {round(pace_of(CalibrationResults(runs), generator), 6) for _ in range(100)}
    assert found == {1.0, 1.2, round(1 / 1.2, 6)}
    assert pace_of(CalibrationResults([]), generator) == 1.0


def test_what_one_draw_does_not_have_is_nothing_there() -> None:
    assert by_key([{"a": 1.0}, {"a": 2.0, "b": 3.0}]) == {"a": [1.0, 2.0], "b": [0.0, 3.0]}


def test_how_late_a_non_blocking_collective_is_seen_is_what_it_takes_more_than_a_blocking_one() -> None:
    def samples(what: str, values: list[float]) -> list[CalibrationSample]:
        return [CalibrationSample(what, rank, rank, 4, i, value) for rank in (0, 1) for i, value in enumerate(values)]

    def late_s(blocking: list[float], immediate: list[float]) -> float:
        experiment = CalibrationExperiment("n", "nonblocking", {}, done=True)
        experiment.samples.extend(samples("blocking", blocking) + samples("immediate", immediate))
        return calls_of(CalibrationResults([experiment])).nonblocking_s

    assert late_s([50e-6, 60e-6, 55e-6], [2.06e-3, 2.05e-3, 90e-3]) == pytest.approx(2.005e-3)  # one was disturbed
    assert late_s([50e-6, 60e-6, 55e-6], [40e-6, 50e-6, 45e-6]) == 0  # not before it is over
    assert calls_of(CalibrationResults([])).nonblocking_s == 0  # measured by an earlier version


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=12),
    st.sampled_from([0.0, 0.025, 0.25, 0.45, 0.5, 0.95, 1.0]) | st.floats(0, 1),
)
def test_a_quantile_is_that_of_numpy_to_the_last_bit(values: list[float], share: float) -> None:
    assert quantile(np.array(values), share) == np.quantile(values, share)
