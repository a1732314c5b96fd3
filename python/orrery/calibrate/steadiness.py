# SPDX-License-Identifier: BSD-3-Clause
"""Whether the processors were as fast at one time as at another while a calibration ran."""

from __future__ import annotations

import numpy as np

from orrery.calibrate.results import Results

TOLERABLE = 0.05
"""Seen on 16 namespaces of one machine: 0.7 to 1.7 % in eight calibrations, 11 and 25 % in two while its host was busy."""


def unsteadiness(results: Results) -> float:
    """How much longer a fixed piece of arithmetic took at times: 90th over 10th percentile, less 1."""
    values = [one.values("kernel") for one in results.of("compute")]
    times = np.concatenate([np.array([]), *values])
    if len(times) == 0:
        return 0.0
    low, high = np.quantile(times, (0.1, 0.9))
    return float(high / low - 1.0) if low > 0 else 0.0
