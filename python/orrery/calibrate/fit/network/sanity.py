# SPDX-License-Identifier: BSD-3-Clause
"""Checks of measurements: times that cannot be fitted, and times in two groups, which no fit describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.errors import CalibrationError
from orrery.calibrate.measure import Curve, Floats
from orrery.units import show_bytes

_LEAST_SIZES = 10
_LEAST_SPAN = 1024.0
_LEAST_SAMPLES = 5
_LEAST_PART = 0.2
"""Part of the samples of a size that its smaller group has at least."""
_APART = 1.4
"""Time of the slower group over that of the faster one, at least ..."""
_CLEAR = 4.0
"""... and the gap between the groups over the spread within them, at least."""
_LEAST_TWOFOLD = 0.4
"""Part of the sizes that have two groups, at least."""


@dataclass(frozen=True)
class BimodalPingPong:
    """A ping-pong whose times fall into two groups; a fit describes neither."""

    sizes: int
    """Number of sizes with two groups."""
    judged: int
    """Number of sizes with enough samples to decide."""
    bytes: float
    """The median of the sizes with two groups, as an example."""
    quick_s: float
    slow_s: float
    """Typical times of the two groups of the example."""
    slow_share: float
    """Part of the samples of the example that are in the slower group."""


def check_ping_pong(curve: Curve) -> None:
    """Refuse times through which no line can be fitted. Raises CalibrationError, which says what to do."""
    sizes = np.unique(curve.sizes)
    if len(sizes) < _LEAST_SIZES or sizes.max() < _LEAST_SPAN * max(1.0, sizes.min()):
        span = f", {show_bytes(sizes.min())} to {show_bytes(sizes.max())}" if len(sizes) else ""
        raise CalibrationError(
            f"too little for a fit: ping-pongs of {len(sizes)} sizes{span}; it needs {_LEAST_SIZES} over a factor of "
            f"{_LEAST_SPAN:g} at least. Give it more time (--budget), or run the same command again: it goes on where it was"
        )
    if (curve.times <= 0).any():
        raise CalibrationError(
            "a ping-pong took no time at all: the clock of this MPI (MPI_Wtime) is too coarse or broken"
        )


def twofold_of(curve: Curve) -> BimodalPingPong | None:
    """The two groups, if times fall into two groups at so many sizes that it is no accident."""
    twofold = list(_twofold(curve))
    judged = sum(len(times) >= _LEAST_SAMPLES for _, times in curve.groups())
    if judged < _LEAST_SIZES // 2 or len(twofold) <= _LEAST_TWOFOLD * judged:
        return None
    return BimodalPingPong(len(twofold), judged, *twofold[len(twofold) // 2])


def _twofold(curve: Curve) -> Iterator[tuple[float, float, float, float]]:
    """Sizes with two groups: size, typical time of each, share of the slower."""
    for size, times in curve.groups():
        if len(times) >= _LEAST_SAMPLES and (found := split(times)) is not None:
            yield (size, *found)


def split(times: Floats) -> tuple[float, float, float] | None:
    """Typical times of two clearly separate groups and the share of the slower one; None if there is one group."""
    ordered = np.sort(np.log(times))
    least = max(2, int(np.ceil(_LEAST_PART * len(ordered))))
    gaps = np.diff(ordered)[least - 1 : len(ordered) - least]
    if len(gaps) == 0:
        return None
    at = int(np.argmax(gaps)) + least
    low, high = ordered[:at], ordered[at:]
    spread = max(np.std(low), np.std(high), 1e-3)
    apart = float(np.median(high) - np.median(low))
    if apart < np.log(_APART) or float(gaps.max()) < _CLEAR * spread:
        return None
    return float(np.exp(np.median(low))), float(np.exp(np.median(high))), len(high) / len(ordered)
