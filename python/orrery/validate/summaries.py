# SPDX-License-Identifier: BSD-3-Clause
"""Errors of a suite, summarised for each group: all collectives together, and all programs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from orrery.validate.comparison import percentile_90
from orrery.validate.suite_file import SuiteGroup


@dataclass(frozen=True)
class EntryErrors:
    """Absolute relative errors of one entry's cases."""

    group: str
    collectives: tuple[float, ...] = ()
    """Errors of all cases, by the first model."""
    programs: tuple[float, ...] = ()
    """Error of the total time of each program."""


@dataclass(frozen=True)
class GroupSummary:
    """Absolute relative errors of all entries of a group, as fractions; None if it has no such entries."""

    group: str
    cases: int
    """Number of cases of collectives."""
    median: float | None
    """Median error of the collectives."""
    p90: float | None
    """90th percentile of the errors of the collectives."""
    programs: int
    """Number of programs."""
    mean: float | None
    """Mean error of the total times of the programs."""

    def figures(self) -> dict[str, float]:
        """The errors that exist, by name."""
        found = {"median": self.median, "p90": self.p90, "mean": self.mean}
        return {name: value for name, value in found.items() if value is not None}

    def exceeded(self, bounds: SuiteGroup) -> list[str]:
        """A sentence for each bound that is exceeded."""
        names = (("median", bounds.most_median), ("p90", bounds.most_p90), ("mean", bounds.most_mean))
        figures = self.figures()
        return [
            f"group {self.group}: {name} error {figures[name]:.1%} is above {most:.1%}"
            for name, most in names
            if most is not None and figures.get(name, 0.0) > most
        ]


def summarise(errors: Iterable[EntryErrors]) -> list[GroupSummary]:
    """A summary for each group, in the order of their first entries."""
    by_group: dict[str, list[EntryErrors]] = {}
    for entry in errors:
        by_group.setdefault(entry.group, []).append(entry)
    return [_summary(group, found) for group, found in by_group.items()]


def _summary(group: str, found: Sequence[EntryErrors]) -> GroupSummary:
    cases = sorted(error for entry in found for error in entry.collectives)
    programs = [error for entry in found for error in entry.programs]
    return GroupSummary(
        group,
        len(cases),
        median(cases) if cases else None,
        percentile_90(cases) if cases else None,
        len(programs),
        fmean(programs) if programs else None,
    )
