# SPDX-License-Identifier: BSD-3-Clause
"""Processor time that a hypervisor, or what else runs on the nodes, takes from ranks: fixed work, again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import UNDISTURBED, CalibrationExperiment, CalibrationResults, Floats

_LEAST_SHARE = 0.005
"""Share of time; interrupts and daemons of an idle node take less, and cannot be told from a hypervisor."""
_LEAST_PIECES = 5
"""Fewer pieces say nothing about how much is stolen."""
_CROWDED = 1.1
"""Time of work of all ranks at once over that of one alone, from which on they share cores."""
_MEDIAN_OF_DELAY = float(np.log((1 - UNDISTURBED) / 0.5))
"""Distance of the undisturbed quantile and the median of an exponential delay, in means of the delay."""
_LEAST_DELAY_S = 2e-5
"""Timers of an idle node are less uneven than this."""


@dataclass(frozen=True)
class StolenTime:
    """What is taken from ranks, as far as it can be seen; 0: nothing."""

    share: float = 0.0
    """Share of the time of a rank that computes while all others sleep, in [0, 1)."""
    piece_s: float = 0.0
    """Length of what is taken at once, in seconds: of the piece in which a moment lies that is stolen, on average, since short
    interruptions may be many and take little."""
    crowding: float = 1.0
    """How many times as long work takes when all ranks compute: virtual processors over cores, where they share cores."""
    slice_s: float = 0.0
    """Computation of a rank before another one has its core; 0: they share none."""
    wake_delay_s: float = 0.0
    """Mean time, beyond the usual, until a rank that slept goes on."""

    @property
    def seen(self) -> bool:
        """Whether anything is taken at all."""
        return self.share > 0 or self.crowding > 1 or self.wake_delay_s > 0


def stolen_of(results: CalibrationResults) -> StolenTime | None:
    """Evaluate the experiments `steal`; None if they were not made, or work takes no time there."""
    alone, together = (
        [experiment for experiment in results.of("steal") if (experiment.keys["rank"] == "-1") is all_]
        for all_ in (False, True)
    )
    if not _seconds(alone, "window") or not _seconds(together, "window"):
        return None
    share, piece_s = _taken(alone)
    of_all, piece_of_all_s = _taken(together)
    crowding = (1 - share) / (1 - of_all)
    crowded = crowding >= _CROWDED
    return StolenTime(
        share=share,
        piece_s=piece_s,
        crowding=crowding if crowded else 1.0,
        slice_s=piece_of_all_s / (crowding - 1) if crowded else 0.0,
        wake_delay_s=_delay(alone),
    )


def _taken(experiments: list[CalibrationExperiment]) -> tuple[float, float]:
    """Share of time, and length of a piece in seconds, weighted by itself; zeros if it is too little to be told from an idle node."""
    pieces = np.concatenate([experiment.values("stolen") for experiment in experiments])
    share = float(pieces.sum()) / _seconds(experiments, "window")
    if share < _LEAST_SHARE or len(pieces) < _LEAST_PIECES:
        return 0.0, 0.0
    return share, float((pieces**2).sum() / pieces.sum())


def _seconds(experiments: list[CalibrationExperiment], what: str) -> float:
    return float(sum(experiment.values(what).sum() for experiment in experiments))


def _delay(experiments: list[CalibrationExperiment]) -> float:
    """Mean of an exponential delay, from the quartile and the median: pauses that end in what is stolen are beyond these."""
    late: Floats = np.concatenate([experiment.values("late") for experiment in experiments])
    if len(late) == 0:
        return 0.0
    more = float(np.quantile(late, 0.5) - np.quantile(late, UNDISTURBED)) / _MEDIAN_OF_DELAY
    return more if more >= _LEAST_DELAY_S else 0.0
