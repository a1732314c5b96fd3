# SPDX-License-Identifier: BSD-3-Clause
"""Connection setup: extra time of the first message between two processes."""

from __future__ import annotations

import numpy as np

from orrery.calibrate.measure import CalibrationResults


def first_message_of(results: CalibrationResults) -> float:
    """Extra time of the first round trip between two processes over later ones, in seconds, at least 0; median over pairs.

    A sample `half` is half of a round trip; the extra time is counted for the whole of it. 0 where it was not measured.
    """
    more = []
    for experiment in results.of("pingpong", group="first"):
        halves = experiment.values("half")
        more.append(2 * (halves[0] - np.median(halves[2:])))
    return max(0.0, float(np.median(more))) if more else 0.0
