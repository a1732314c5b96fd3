# SPDX-License-Identifier: BSD-3-Clause
"""What the first message of two processes takes more than later ones."""

from __future__ import annotations

import numpy as np

from orrery.calibrate.measure import Results


def first_message_of(results: Results) -> float:
    """Over several pairs: first round trip less a later one. Half of it is on each of the two messages."""
    more = []
    for one in results.of("pingpong", group="first"):
        halves = one.values("half")
        more.append(2 * (halves[0] - np.median(halves[2:])))
    return max(0.0, float(np.median(more))) if more else 0.0
