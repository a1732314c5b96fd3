# SPDX-License-Identifier: BSD-3-Clause
"""Fits on made-up times whose truth is known, and on recorded ones whose links are known."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.fit.changes import MedianCurve, change_points
from orrery.calibrate.fit.lines import fit
from orrery.calibrate.fit.network.limits import ProtocolLimits, limits_of
from orrery.calibrate.fit.network.regimes import Curves, FittedRegime, fit_regimes
from orrery.calibrate.fit.network.wire import TcpFraming, Wire, way_of, wire_of
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, Curve, Floats

RECORDED = Path(__file__).parent.parent / "data" / "testbed" / "ping.csv"
NOTHING = Curve(np.array([]), np.array([]))
PLAIN = Wire(None, 1e8, 0.0)
ETHERNET = TcpFraming(header_bytes=40, payload_bytes=1448, overhead_bytes=90)

# First size, latency (s), rate (bytes/s): three regimes, not continuous at their ends.
TRUTH = ((0, 20e-6, 4e7), (1421, 60e-6, 9e7), (65_537, 300e-6, 1e8))
LIMITS = ProtocolLimits(asynchronous=65_536, detached=65_536, tried=1 << 22)


def _sizes(count: int, generator: np.random.Generator) -> Floats:
    return np.unique(np.round(np.exp(generator.uniform(0, np.log(1 << 23), count))))


def _truth(sizes: Floats) -> Floats:
    out = np.zeros(len(sizes))
    for start, latency, rate in TRUTH:
        out = np.where(sizes >= start, latency + sizes / rate, out)
    return out


def _measured(seed: int, *, scale: float = 1.0, disturbed: float = 0.0, repeats: int = 8) -> Curve:
    """One-sided noise of 2 %, and a share of samples that took two to ten times as long."""
    generator = np.random.default_rng(seed)
    sizes = np.repeat(_sizes(90, generator), repeats)
    times = _truth(sizes) * (1 + generator.exponential(0.02, len(sizes)))
    hit = generator.random(len(sizes)) < disturbed
    times = np.where(hit, times * generator.uniform(2, 10, len(sizes)), times)
    return Curve(sizes, times * scale)


def _fit(curve: Curve, rate: float = 1e8) -> list[FittedRegime]:
    return fit_regimes(Curves(curve, NOTHING, NOTHING, NOTHING), LIMITS, Wire(None, rate, 0.0))


def _bracket(curve: Curve, end: float) -> tuple[float, float]:
    """Neighbouring sizes on either side: an end between them cannot be told more exactly."""
    sizes = np.unique(curve.sizes)
    at = int(np.searchsorted(sizes, end))
    return float(sizes[max(0, at - 2)]), float(sizes[min(len(sizes) - 1, at + 1)])


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("disturbed", [0.0, 0.15])
def test_regimes_are_recovered_though_samples_are_disturbed(seed: int, disturbed: float) -> None:
    curve = _measured(seed, disturbed=disturbed)
    regimes = _fit(curve)
    low, high = _bracket(curve, 1421)
    assert any(low <= regime.start <= high for regime in regimes)
    assert 65_537 in [regime.start for regime in regimes]  # a change of protocol is an end in any case
    for probe, (_, latency, rate) in zip((200, 30_000, 2_000_000), TRUTH, strict=True):
        regime = next(r for r in regimes if r.end is None or probe < r.end)
        time = regime.fit.latency_s + probe / regime.fit.rate_bytes_per_s
        # The lower quartile of the noise is 0.6 % above the truth.
        assert time == pytest.approx((latency + probe / rate) * 1.006, rel=0.02)


@settings(max_examples=8, deadline=None)
@given(st.floats(min_value=1e-3, max_value=1e3))
def test_scaling_all_times_scales_the_fit_and_moves_no_end(scale: float) -> None:
    curve = _measured(5)
    base, scaled = _fit(curve), _fit(Curve(curve.sizes, curve.times * scale), 1e8 / scale)
    assert [regime.start for regime in scaled] == [regime.start for regime in base]
    for original, rescaled in zip(base, scaled, strict=True):
        assert rescaled.fit.latency_s == pytest.approx(
            original.fit.latency_s * scale, rel=1e-3, abs=1e-9 * max(1, scale)
        )
        assert rescaled.fit.rate_bytes_per_s == pytest.approx(original.fit.rate_bytes_per_s / scale, rel=1e-3)


def test_one_straight_line_is_one_regime() -> None:
    generator = np.random.default_rng(3)
    sizes = _sizes(80, generator)
    times = (1e-5 + sizes / 1e8) * (1 + 0.02 * generator.standard_normal(len(sizes)))
    assert change_points([MedianCurve(sizes, sizes, times)]) == []


def test_a_change_that_only_one_of_two_curves_shows_is_found() -> None:
    sizes = np.unique(np.round(np.geomspace(1, 1e6, 80)))
    smooth = 1e-5 + sizes / 1e8
    jumps = np.where(sizes < 10_000, 1e-6 + sizes * 1e-10, 5e-6 + sizes * 1e-10)
    ends = change_points([MedianCurve(sizes, sizes, smooth), MedianCurve(sizes, sizes, jumps)])
    assert ends == [float(sizes[sizes >= 10_000][0])]


def test_a_line_follows_the_lower_quartile_and_is_never_negative() -> None:
    x = np.repeat(np.arange(1.0, 101.0), 4)
    y = np.tile([1.0, 1.0, 1.5, 3.0], 100) * (2.0 + 3.0 * x)  # a quarter and more lie on 2 + 3 x
    line = fit(x, y)
    assert (line.base, line.slope) == pytest.approx((2.0, 3.0), rel=1e-3)
    falling = fit(x, 100.0 - 0.5 * x)
    assert falling.slope == 0.0
    through = fit(x, 3.0 * x - 1.0)
    assert through.base == 0.0


def _probes(limit: int, wrong: set[int]) -> CalibrationResults:
    """A search for S_d that `wrong` probes contradict."""
    experiment = CalibrationExperiment("l", "limit", {"group": "net"}, done=True)
    for size in [1 << power for power in range(8, 18)] + list(range(limit - 20, limit + 20)):
        blocked = (size > limit) != (size in wrong)
        experiment.samples.append(CalibrationSample("blocked", 0, 1, size, 0, 1.0 if blocked else 0.01))
        experiment.samples.append(CalibrationSample("recv_late", 0, 1, size, 0, 1e-3 if blocked else 1e-5))
        experiment.samples.append(CalibrationSample("oneway", 0, 1, size, 0, 1e-3))
    return CalibrationResults([experiment])


@pytest.mark.parametrize("step_s", [0.0, 1e-9])
def test_a_few_sizes_of_a_few_bytes_do_not_tell_what_a_byte_costs(step_s: float) -> None:
    """Calls that differ by 2 us have a slope of some 0.1 us per byte over 20 of them: that says nothing."""
    generator = np.random.default_rng(7)
    sizes = np.repeat(np.arange(1.0, 20.0, 2.0), 5)
    sent = Curve(sizes, 8e-6 + sizes * 3e-8 + generator.exponential(2e-6, len(sizes)))
    long = np.repeat(np.linspace(2_000.0, 60_000.0, 20), 5)
    way = Curve(np.concatenate([sizes, long]), 2e-5 + np.concatenate([sizes, long]) / 1e8)
    copied = Curve(long, 8e-6 + long * step_s + generator.exponential(2e-6, len(long)))
    regimes = fit_regimes(Curves(way.within(0, 1000), sent, sent, NOTHING), LIMITS, PLAIN)
    assert {regime.fit.send_s_per_byte for regime in regimes} == {0.0}
    assert regimes[0].fit.send_s == pytest.approx(9e-6, rel=0.1)
    over_many = fit_regimes(Curves(way.within(1000, 1e9), copied, copied, NOTHING), LIMITS, PLAIN)
    assert over_many[-1].fit.send_s_per_byte == pytest.approx(step_s, rel=0.2)


def test_a_protocol_limit_is_found_to_the_byte_though_some_probes_contradict_it() -> None:
    limits = limits_of(_probes(65_480, {256, 65_475, 65_490, 1 << 17}), "net")
    assert (limits.asynchronous, limits.detached) == (65_480, 65_480)


def test_a_network_without_rendezvous_has_no_limit() -> None:
    experiment = CalibrationExperiment("l", "limit", {"group": "net"}, done=True)
    experiment.samples = [CalibrationSample("blocked", 0, 1, 1 << power, 0, 0.01) for power in range(20)]
    limits = limits_of(CalibrationResults([experiment]), "net")
    assert (limits.asynchronous, limits.detached) == (None, None)


def _bucket(sizes: Floats, rate: float, burst: float, handling: float) -> Floats:
    return handling + np.maximum(0.0, ETHERNET.wire(sizes) - burst) / rate


def test_rate_and_burst_of_a_token_bucket_are_found_from_lone_messages() -> None:
    sizes = np.repeat(np.unique(np.round(np.geomspace(1, 1 << 22, 60))), 5)
    generator = np.random.default_rng(1)
    times = _bucket(sizes, 6.25e6, 3200, 30e-6) * (1 + generator.exponential(0.002, len(sizes)))
    wire = wire_of(Curve(sizes, times), ETHERNET, 65_536)
    assert wire.rate_bytes_per_s == pytest.approx(6.25e6, rel=0.003)
    assert wire.burst_bytes == pytest.approx(3200, abs=60)
    assert wire_of(Curve(sizes, times), None, 65_536).rate_bytes_per_s == pytest.approx(6.25e6 * 1448 / 1538, rel=0.003)


def test_a_link_without_a_bucket_has_no_burst() -> None:
    sizes = np.repeat(np.unique(np.round(np.geomspace(1, 1 << 22, 60))), 5)
    assert wire_of(Curve(sizes, 30e-6 + ETHERNET.wire(sizes) / 1.25e8), ETHERNET, 65_536).burst_bytes == 0


def test_a_switch_that_stores_and_forwards_is_told_by_messages_of_one_frame() -> None:
    sizes = np.repeat(np.unique(np.round(np.geomspace(1, 1 << 22, 60))), 5)
    rate, on_wire = 3.125e6, ETHERNET.wire(sizes)
    generator = np.random.default_rng(1)
    passing = (50e-6 + on_wire / rate) * (1 + generator.exponential(0.003, len(sizes)))
    assert not wire_of(Curve(sizes, passing), ETHERNET, 65_536).store_and_forward
    stored = Curve(sizes, passing + np.minimum(on_wire, 1538) / rate)
    wire = wire_of(stored, ETHERNET, 65_536)
    assert wire.store_and_forward
    assert wire.burst_bytes == 0
    # What a byte takes twice is then neither a lower rate nor a latency of its own.
    limits = ProtocolLimits(asynchronous=65_536, detached=65_536, tried=1 << 22)
    for regime in fit_regimes(Curves(stored, NOTHING, NOTHING, NOTHING), limits, wire)[:-1]:
        assert regime.fit.rate_bytes_per_s == pytest.approx(rate, rel=0.02)
        assert regime.fit.latency_s == pytest.approx(50e-6, abs=15e-6)
    # Without a count of frames nothing can be told.
    assert not wire_of(stored, None, 65_536).store_and_forward


def test_a_rendezvous_takes_the_three_ways_at_least_that_it_consists_of() -> None:
    """Above 64 KiB nothing but the rate shows: 20 us more or less of 20 ms are lost in the noise."""
    sizes = np.repeat(_sizes(60, np.random.default_rng(3)), 4)
    curve = Curve(sizes, np.where(sizes > 65_536, 1e-6, 40e-6) + sizes / 1e8)
    small, *_, large = _fit(curve)
    assert small.fit.latency_s == pytest.approx(40e-6, rel=0.02)
    assert large.protocol == "synchronous"
    assert large.fit.latency_s == pytest.approx(120e-6, rel=0.02)


def test_ping_pongs_that_do_not_let_the_bucket_fill_are_replaced_by_lone_messages() -> None:
    sizes = np.repeat(np.unique(np.round(np.geomspace(1, 1 << 20, 80))), 3)
    rate, burst, handling = 6.25e6, 3200.0, 20e-6
    lone = _bucket(sizes, rate, burst, handling + 15e-6)  # waking up takes 15 us
    starved = np.maximum(_bucket(sizes, rate, burst, handling), ETHERNET.wire(sizes) / (2 * rate))
    way = way_of(Curve(sizes, starved), Curve(sizes, lone), Wire(ETHERNET, rate, burst))
    kept, times = way.typical()
    assert len(kept) == len(np.unique(sizes))
    np.testing.assert_allclose(times, _bucket(kept, rate, burst, handling), rtol=0.02)


def test_what_waking_took_is_not_taken_from_lone_messages_that_were_awake() -> None:
    # On a busy host small lone messages woke in 80 us, and one of the others in nothing: it is not there before it left.
    sizes = np.repeat([1.0, 16.0, 64.0, 1024.0], 8)
    ping_pongs, lone = np.where(sizes < 100, 40e-6, 200e-6), np.where(sizes < 100, 120e-6, 130e-6)
    lone[-1] = 60e-6
    way = way_of(Curve(sizes, ping_pongs), Curve(sizes, lone), Wire(ETHERNET, 2.5e6, 3000.0)).within(1000, 2000)
    assert len(way) == 8
    assert way.times.min() == pytest.approx(40e-6)
    assert np.median(way.times) == pytest.approx(50e-6)


def _recorded(implementation: str, variant: str, column: str) -> Curve:
    with RECORDED.open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["impl"] == implementation and r["variant"] == variant]
    rows.sort(key=lambda row: int(row["bytes"]))
    return Curve(np.array([float(r["bytes"]) for r in rows]), np.array([float(r[column]) * 1e-6 for r in rows]))


@pytest.mark.parametrize(("implementation", "eager"), [("openmpi", 65_000), ("mpich", 19_000)])
def test_recorded_pings_of_real_mpis_give_the_rate_and_the_bucket_that_their_links_had(
    implementation: str, eager: int
) -> None:
    wire = wire_of(_recorded(implementation, "recvfirst", "oneway_med"), ETHERNET, eager)
    assert wire.rate_bytes_per_s == pytest.approx(100e6 / 8, rel=0.005)  # tc: 100 Mbit/s of frames with their gaps
    assert wire.burst_bytes == pytest.approx(3200, rel=0.1)  # tc: burst 3200


@pytest.mark.parametrize(("implementation", "low", "high"), [("openmpi", 32_768, 65_536), ("mpich", 16_384, 32_768)])
def test_recorded_sends_without_a_receive_show_where_rendezvous_begins(
    implementation: str, low: int, high: int
) -> None:
    send = _recorded(implementation, "sendfirst", "send_med")
    experiment = CalibrationExperiment("p", "ping", {"group": "net"}, done=True)
    pairs = zip(send.sizes, send.times, strict=True)
    experiment.samples = [CalibrationSample("blocked", 0, 1, int(size), 0, float(time) / 5e-3) for size, time in pairs]
    limits = limits_of(CalibrationResults([experiment]), "net")
    assert limits.detached is not None
    assert low <= limits.detached < high


def test_a_curve_without_samples_has_no_sizes() -> None:
    # On a slow link no message above four times the eager limit fits into the budget.
    assert list(NOTHING.groups()) == []
    assert [len(part) for part in NOTHING.typical()] == [0, 0]


def test_small_messages_alone_tell_no_rate() -> None:
    """Such as those of a draw of few samples: before, the rate was not a number, and intervals with it."""
    sizes = np.repeat(np.array([4.0, 64.0, 1024.0]), 5)
    with pytest.raises(CalibrationError, match="no rate can be told"):
        wire_of(Curve(sizes, 30e-6 + sizes / 1e8), None, 65_536)
