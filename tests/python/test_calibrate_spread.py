# SPDX-License-Identifier: BSD-3-Clause
"""How unevenly connections share a link, from when messages to one node are there."""

from __future__ import annotations

import numpy as np
import pytest

from orrery.calibrate.results import Experiment, Floats, Results, Sample
from orrery.calibrate.sharing import sharing_of
from orrery.calibrate.spread import share_spread_of, weights
from orrery.calibrate.wire import Framing, Wire

RATE = 6.25e6
SIZE = 65536
WIRE = Wire(Framing(header_bytes=0, payload_bytes=1448, overhead_bytes=0), RATE, 0.0)


def _ends(of: Floats) -> Floats:
    """When flows of one byte each, with these weights, have passed a link of one byte per second."""
    left, ends, now = np.ones(len(of)), np.zeros(len(of)), 0.0
    while (under_way := ends == 0).any():
        rates = np.where(under_way, of, 0.0) / of[under_way].sum()
        step = np.min(left[under_way] / rates[under_way])
        now += step
        left -= rates * step
        ends[under_way & (left < 1e-12)] = now
    return ends


def _incast(logarithms: Floats, *, longer: float = 1.0, repetitions: int = 4) -> Experiment:
    ends = _ends(np.exp(logarithms)) * SIZE / RATE * longer
    samples = [
        Sample("arrived", 1 + sender, 0, SIZE, repetition, float(end))
        for repetition in range(repetitions)
        for sender, end in enumerate(ends)
    ]
    targets = ",".join(f"{1 + sender}>0" for sender in range(len(ends)))
    keys = {"group": "share", "name": "incast", "list": targets, "bytes": str(SIZE)}
    return Experiment(f"incast{len(ends)}", "flows", keys, samples, done=True)


@pytest.mark.parametrize("count", [2, 5, 15])
def test_the_ends_of_flows_tell_their_weights(count: int) -> None:
    of = np.exp(np.random.default_rng(count).normal(0, 0.5, count))
    found = weights(_ends(of))
    assert found / found[0] == pytest.approx(of / of[0])


def test_the_spread_is_that_of_all_connections() -> None:
    generator = np.random.default_rng(3)
    groups = [generator.normal(0, 0.4, count) for count in (8, 15, 31)]
    results = Results([_incast(each) for each in groups])
    square = sum((len(each) - 1) * np.var(each, ddof=1) for each in groups) / sum(len(each) - 1 for each in groups)
    assert share_spread_of(results, WIRE) == pytest.approx(np.sqrt(square), rel=1e-6)
    assert sharing_of(results, WIRE, 65536).share_spread == pytest.approx(np.sqrt(square), rel=1e-6)
    draws = [share_spread_of(results, WIRE, generator) for _ in range(100)]
    assert np.std(draws) == pytest.approx(np.sqrt(square) / np.sqrt(2 * 54), rel=0.5)  # of 54 connections


def test_connections_that_share_evenly_have_no_spread() -> None:
    assert share_spread_of(Results([_incast(np.zeros(8))]), WIRE) == pytest.approx(0, abs=1e-9)


def test_messages_that_waited_for_something_else_tell_nothing() -> None:
    disturbed = _incast(np.linspace(-1, 1, 8), longer=1.3)
    assert share_spread_of(Results([disturbed]), WIRE) == 0
    assert share_spread_of(Results([]), WIRE) == 0
