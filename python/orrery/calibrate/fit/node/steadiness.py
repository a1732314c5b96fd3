# SPDX-License-Identifier: BSD-3-Clause
"""Whether the processors had the same speed during the whole calibration."""

from __future__ import annotations

import numpy as np

from orrery.calibrate.measure import CalibrationResults

TOLERABLE = 0.05
"""Seen on 16 namespaces of one machine: 0.3 to 1.3 % in quiet hours, 4 to 25 % while its host was busy."""
_INTERRUPTED = 1.25
"""Factor on the fastest repetition of a pass, above which a repetition waited for its processor."""


def unsteadiness(results: CalibrationResults) -> float:
    """Time of a fixed piece of arithmetic in the slowest pass over that in the fastest, minus 1.

    Of each pass its quickest repetition counts: one that was interrupted tells of a moment, not of the pass, and of the
    few repetitions of a short calibration it would be all that is seen.
    """
    quickest = [min(values) for values in _passes(results)]
    if not quickest or min(quickest) <= 0:
        return 0.0
    return float(max(quickest) / min(quickest) - 1.0)


def interrupted_share(results: CalibrationResults) -> float:
    """Part of the repetitions of that arithmetic that waited for their processor, in [0, 1]."""
    passes = _passes(results)
    late = sum(int(np.sum(np.array(values) > _INTERRUPTED * min(values))) for values in passes)
    return late / max(1, sum(len(values) for values in passes))


def _passes(results: CalibrationResults) -> list[list[float]]:
    """Seconds of each repetition, by pass."""
    found = [experiment.values("kernel").tolist() for experiment in results.of("compute")]
    return [values for values in found if values]
