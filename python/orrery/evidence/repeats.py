# SPDX-License-Identifier: BSD-3-Clause
"""By how much runs of one command differ, since their computation is measured on a host that does other things besides.

A score is the distance of a run's time from the median of all runs of its program on that day, over its mean computation and over its *noise*: the
share of what was measured of computation that was taken for noise. The half-width for a new run is its noise times its
computation times the quantile of the known scores, where all programs weigh the same: split conformal prediction, as for collectives
(`orrery.evidence.expectation`).

The runs are six programs on a quiet host and beside endless loops, on three days (`bench/repeat_programs.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from orrery.evidence.residuals import LEVEL, weighted_quantile
from orrery.record.steady import SteadyComputation

_FILE = Path(__file__).with_name("repeats.csv")
SCORE = 1.26
"""The `score_of` all runs, rounded."""
_LEAST_NOISE = 0.2
"""Runs with less noise than this are no nearer to their medians for that."""


class Repeat(NamedTuple):
    """A run of a program that was run several times."""

    date: str
    program: str
    host: str
    """Whether the host was `quiet` or `busy`."""
    ranks: int
    simulated_s: float
    computation_s: float
    """Mean over ranks."""
    noise: float
    """Share of what was measured of computation that was evened out or removed."""


def spread_of(noise: float) -> float:
    """Half-width of the interval of 90 % of a program's time by its computation, over its mean computation.

    Args:
        noise: share of measured computation that was taken for noise.
    """
    return SCORE * max(_LEAST_NOISE, noise)


def computation_spread(steady: SteadyComputation | None) -> float | None:
    """The `spread_of` a run's computation; None: none was measured, or it was charged with its noise (`--compute raw`)."""
    if steady is None or not steady.charged or steady.measured_s <= 0:
        return None
    return spread_of(steady.moved_s / steady.measured_s)


def scores(repeats: Iterable[Repeat]) -> list[tuple[float, float]]:
    """The score of each run with its weight: the runs of each program on each day together weigh the same."""
    from statistics import median  # it takes longer to load than all the rest

    together: dict[tuple[str, str], list[Repeat]] = defaultdict(list)
    for repeat in repeats:
        together[repeat.program, repeat.date].append(repeat)
    found = []
    for runs in together.values():
        usual_s = median(run.simulated_s for run in runs)
        for run in runs:
            distance = abs(run.simulated_s - usual_s) / run.computation_s
            found.append((distance / max(_LEAST_NOISE, run.noise), 1 / len(runs)))
    return found


def score_of(repeats: Iterable[Repeat]) -> float:
    """Quantile of the scores."""
    return weighted_quantile(scores(repeats), LEVEL)


@cache
def repeats() -> tuple[Repeat, ...]:
    """The runs that come with Orrery."""
    import csv

    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Repeat(
                row["date"],
                row["program"],
                row["host"],
                int(row["ranks"]),
                float(row["simulated_s"]),
                float(row["computation_s"]),
                float(row["noise"]),
            )
            for row in csv.DictReader(file)
        )
