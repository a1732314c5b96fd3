# SPDX-License-Identifier: BSD-3-Clause
"""What a library has chosen for one collective on one number of ranks, size by size: a hidden Markov model.

Hidden at size i are the algorithm a and the shift z of the simulation, which all algorithms share. With the measured time t and the
simulated one t_a,

    ln t = ln t_a + s (z sqrt(w) + e sqrt(1 - w))

where s is the spread of the simulation's error at that size (`error.py`), z an autoregressive process of variance 1 whose correlation
is c over a factor of 4 in size, and e has Student's distribution with 4 degrees of freedom, scaled so that nine of ten lie as close
as with the normal distribution. A choice is constant over sizes but for a few limits: from one size to the next it is another one with
the probability 1 - exp(-r d), d being the steps of a factor of 4, and then any algorithm is equally probable, whatever the number of
its segment sizes. Forward and backward sums over a grid of z are exact up to the grid's step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.tune.discover.error import CORRELATION, SHARED

Floats = NDArray[np.float64]

CHANGES = 0.2
"""Limits per factor of 4 in size, expected beforehand: libraries have about two between 4 bytes and 1 MiB."""
_FREEDOM = 4
_SCALE = 1.645 / 2.132
"""From a spread to the scale of Student's distribution with 4 degrees of freedom: 0.95 quantiles, normal over Student's."""
_GRID = np.arange(-4.0, 4.01, 0.25)


class SizeTimes(NamedTuple):
    """What is known at one size."""

    bytes: int
    log_time: float
    """ln of the measured seconds."""
    log_times: Floats
    """ln of the simulated seconds of each algorithm, shape (k,); NaN: it does not serve the call, or is excluded."""
    spread: float
    """Spread of the simulation's error and the measurement's, in ln of time."""


@dataclass(frozen=True)
class Posterior:
    """What follows from the times."""

    evidence: float
    """ln of the probability density of the measured times."""
    shares: Floats
    """Probability of each algorithm at each size, shape (n, k)."""
    shifts: Floats
    """Mean of z at each size, shape (n,)."""


def posterior(sizes: Sequence[SizeTimes], prior: Floats) -> Posterior:
    """By forward and backward sums.

    Args:
        sizes: by bytes; at least one, each with an algorithm that `prior` allows.
        prior: probability of each algorithm where nothing is known, shape (k,); 0: excluded.
    """
    emissions, scales = _emissions(sizes)
    priors = [_prior(size, prior) for size in sizes]
    steps = [_Step(before, after, prior_) for before, after, prior_ in zip(sizes, sizes[1:], priors[1:], strict=False)]
    forward = [priors[0][:, None] * _stationary()[None, :] * emissions[0]]
    evidence = float(scales.sum())
    for step, emission in zip(steps, emissions[1:], strict=True):
        total = forward[-1].sum()
        evidence += float(np.log(total))
        forward[-1] /= total
        forward.append(step.onward(forward[-1]) * emission)
    evidence += float(np.log(forward[-1].sum()))
    backward = [np.ones_like(forward[-1])]
    for step, emission in zip(reversed(steps), reversed(emissions[1:]), strict=True):
        back = step.back(backward[0] * emission)
        backward.insert(0, back / back.max())
    whole = np.array([f * b for f, b in zip(forward, backward, strict=True)])
    whole /= whole.sum(axis=(1, 2), keepdims=True)
    return Posterior(evidence, whole.sum(axis=2), whole.sum(axis=1) @ _GRID)


def _emissions(sizes: Sequence[SizeTimes]) -> tuple[list[Floats], Floats]:
    """Densities of the measured times, shape (k, grid) each, over their largest, and the ln of those."""
    found, scales = [], []
    for size in sizes:
        away = (size.log_time - size.log_times)[:, None] - size.spread * sqrt(SHARED) * _GRID[None, :]
        width = size.spread * sqrt(1 - SHARED) * _SCALE
        logs = -(_FREEDOM + 1) / 2 * np.log1p((away / width) ** 2 / _FREEDOM) - np.log(width)
        logs = np.where(np.isnan(logs), -np.inf, logs)
        most = float(logs.max())
        found.append(np.exp(logs - most))
        scales.append(most)
    return found, np.array(scales)


def _prior(size: SizeTimes, prior: Floats) -> Floats:
    there: Floats = np.where(np.isnan(size.log_times), 0.0, prior)
    there /= there.sum()
    return there


def _stationary() -> Floats:
    density: Floats = np.exp(-(_GRID**2) / 2)
    density /= density.sum()
    return density


class _Step:
    """From one size to the next."""

    def __init__(self, before: SizeTimes, after: SizeTimes, prior: Floats) -> None:
        steps = np.log(max(after.bytes, 1) / max(before.bytes, 1)) / np.log(4)
        self._prior = prior
        self._stay = np.where(prior > 0, exp(-CHANGES * steps), 0.0)
        mean = CORRELATION**steps
        moved = np.exp(-((_GRID[None, :] - mean * _GRID[:, None]) ** 2) / (2 * (1 - mean**2)))
        self._shifts = moved / moved.sum(axis=1, keepdims=True)

    def onward(self, state: Floats) -> Floats:
        """Shape (k, grid): before to after."""
        leaving = ((1 - self._stay)[:, None] * state).sum(axis=0)
        moved: Floats = (self._stay[:, None] * state + self._prior[:, None] * leaving[None, :]) @ self._shifts
        return moved

    def back(self, state: Floats) -> Floats:
        """What `onward` is the transpose of."""
        shifted = state @ self._shifts.T
        entered = (self._prior[:, None] * shifted).sum(axis=0)
        back: Floats = self._stay[:, None] * shifted + (1 - self._stay)[:, None] * entered[None, :]
        return back


def decoded(masses: Floats, price: float) -> list[int]:
    """The path over sizes of the largest sum of `masses`, shape (n, k), less a price for each change."""
    best, came = masses[0].copy(), []
    for mass in masses[1:]:
        top = int(best.argmax())
        stays = best >= best[top] - price
        came.append(np.where(stays, np.arange(len(best)), top))
        best = np.where(stays, best, best[top] - price) + mass
    path = [int(best.argmax())]
    for origin in reversed(came):
        path.insert(0, int(origin[path[0]]))
    return path
