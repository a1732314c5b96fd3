# SPDX-License-Identifier: BSD-3-Clause
"""Processors that change their speed while a calibration runs."""

from __future__ import annotations

import pytest

from orrery.calibrate.fit.node.steadiness import TOLERABLE, interrupted_share, unsteadiness
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample


def _passes(*times: float) -> CalibrationResults:
    """A fixed piece of arithmetic, three times in each pass; the passes take `times`."""
    return CalibrationResults(
        CalibrationExperiment(
            f"compute{n}", "compute", {}, [CalibrationSample("kernel", 0, 0, 0, i, time) for i in range(3)], done=True
        )
        for n, time in enumerate(times)
    )


def test_the_same_arithmetic_tells_whether_the_machine_was_quiet() -> None:
    assert unsteadiness(_passes(3.73e-3, 3.74e-3, 3.75e-3)) < TOLERABLE
    # A neighbour came: 4.4 and 4.9 ms in two passes of one calibration of the testbed.
    assert unsteadiness(_passes(4.4e-3, 4.9e-3)) == pytest.approx(4.9 / 4.4 - 1)


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert unsteadiness(CalibrationResults([])) == 0
    assert interrupted_share(CalibrationResults([])) == 0


def test_one_repetition_that_was_interrupted_does_not_make_a_pass_slow() -> None:
    # Two passes of a calibration at 20 Mbit/s on the testbed, in which another process had the processor for 8 ms.
    times = ((5.87e-3, 5.848e-3, 5.836e-3), (6.255e-3, 6.051e-3, 14.499e-3))
    results = CalibrationResults(
        CalibrationExperiment(
            f"compute{n}",
            "compute",
            {},
            [CalibrationSample("kernel", 0, 0, 0, i, t) for i, t in enumerate(repetitions)],
            done=True,
        )
        for n, repetitions in enumerate(times)
    )
    assert unsteadiness(results) == pytest.approx(6.051 / 5.836 - 1)
    assert interrupted_share(results) == pytest.approx(1 / 6)
