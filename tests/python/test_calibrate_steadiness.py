# SPDX-License-Identifier: BSD-3-Clause
"""Processors that change their speed while a calibration runs."""

from __future__ import annotations

import pytest

from orrery.calibrate.results import Experiment, Results, Sample
from orrery.calibrate.steadiness import TOLERABLE, unsteadiness


def _passes(*times: float) -> Results:
    """A fixed piece of arithmetic, three times in each pass; the passes take `times`."""
    return Results(
        Experiment(f"compute{n}", "compute", {}, [Sample("kernel", 0, 0, 0, i, time) for i in range(3)], done=True)
        for n, time in enumerate(times)
    )


def test_the_same_arithmetic_tells_whether_the_machine_was_quiet() -> None:
    assert unsteadiness(_passes(3.73e-3, 3.74e-3, 3.75e-3)) < TOLERABLE
    # A neighbour came: 4.4 and 4.9 ms in two passes of one calibration of the testbed.
    assert unsteadiness(_passes(4.4e-3, 4.9e-3)) == pytest.approx(4.9 / 4.4 - 1)


def test_nothing_is_said_of_what_was_not_measured() -> None:
    assert unsteadiness(Results([])) == 0
