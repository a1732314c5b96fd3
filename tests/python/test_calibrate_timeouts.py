# SPDX-License-Identifier: BSD-3-Clause
"""Time-outs of crowded switches, found in messages that many nodes send to one."""

from __future__ import annotations

import random

import pytest

from orrery.calibrate.fit.network.wire import Wire
from orrery.calibrate.fit.transport.timeouts import TimeoutParameters, timeouts_of
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample
from orrery.calibrate.measure.sharing_plan import incasts
from orrery.calibrate.measure.speed import Speed

RATE = 6.25e6
SIZE = 1 << 15
WIRE = Wire(None, RATE, 0.0)


def _incast(senders: int, repetitions: int, *, flows: int, probability: float, wait_s: float) -> CalibrationExperiment:
    """What the model gives: those that find `flows` others wait with that probability, then share the link."""
    generator = random.Random(senders)  # noqa: S311  reproducible, not secret
    samples = []
    for repetition in range(repetitions):
        waits = [others >= flows and generator.random() < probability for others in range(senders)]
        late = sum(waits)
        for sender, waited in enumerate(waits, start=1):
            together = late if waited else senders - late
            time = together * SIZE / RATE * generator.uniform(0.95, 1.1) + (wait_s if waited else 0.0)
            samples.append(CalibrationSample("arrived", sender, 0, SIZE, repetition, time))
    text = ",".join(f"{sender}>0" for sender in range(1, senders + 1))
    keys = {"group": "share", "name": "incast", "list": text, "bytes": str(SIZE)}
    return CalibrationExperiment(f"flows{senders}", "flows", keys, samples, done=True)


def _found(*, flows: int, probability: float, wait_s: float, repetitions: int = 40) -> TimeoutParameters | None:
    counts = (2, 4, 8, 15)
    return timeouts_of(
        CalibrationResults(
            _incast(k, repetitions, flows=flows, probability=probability, wait_s=wait_s) for k in counts
        ),
        WIRE,
    )


def test_the_model_s_parameters_come_back_from_what_it_gives() -> None:
    found = _found(flows=4, probability=0.3, wait_s=0.21)
    assert found is not None
    assert found.flows == 4
    # Of 8 and of 15 messages 4 and 11 are exposed, 40 times each: three standard deviations of 600 draws are 0.056.
    assert found.exposed == 40 * (4 + 11)
    assert found.probability == pytest.approx(0.3, abs=0.056)
    assert found.wait_s == pytest.approx(0.21, rel=0.05)


def test_a_switch_that_drops_nothing_has_no_time_outs() -> None:
    assert _found(flows=4, probability=0.0, wait_s=0.2) is None
    assert timeouts_of(CalibrationResults([]), WIRE) is None


def test_one_or_two_messages_that_were_late_are_no_property_of_the_switch() -> None:
    incast = _incast(8, 10, flows=8, probability=1.0, wait_s=0.2)
    late = [CalibrationSample("arrived", 1, 0, SIZE, 0, 0.4), CalibrationSample("arrived", 2, 0, SIZE, 3, 0.4)]
    disturbed = CalibrationExperiment(incast.id, incast.kind, incast.keys, incast.samples[2:] + late, done=True)
    assert timeouts_of(CalibrationResults([disturbed]), WIRE) is None


def test_a_queue_that_two_senders_overflow_carries_one() -> None:
    found = _found(flows=1, probability=1.0, wait_s=0.2)
    assert found is not None
    assert (found.flows, found.probability) == (1, 1.0)


@pytest.mark.parametrize("rate", [3e6, 6.25e6, 1.25e8, 1.2e9])
def test_all_messages_of_an_incast_take_half_of_a_time_out_at_most(rate: float) -> None:
    speed = Speed((1.0, 4096.0, 1e6), (2e-5, 2e-5 + 4096 / rate, 1e6 / rate))
    lines = list(incasts(range(16), speed))
    assert lines
    for line in lines:
        senders = str(line.keys["list"]).count(">")
        assert senders * float(line.keys["bytes"]) / rate <= 0.1
    assert str(lines[-1].keys["list"]).count(">") == 15


def test_links_too_slow_for_a_burst_of_messages_are_not_asked() -> None:
    assert not list(incasts(range(64), Speed((1.0, 1e6), (1e-3, 10.0))))
