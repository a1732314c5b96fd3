# SPDX-License-Identifier: BSD-3-Clause
"""How many measured times lie in expected intervals, as part of the page `docs/accuracy.md`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp
from statistics import fmean

from orrery.evidence.coverage import (
    IntervalCoverage,
    covered_by_hand,
    covered_calls,
    covered_programs,
    covered_ratios_by_hand,
)
from orrery.evidence.residuals import LEVEL, Residuals
from orrery.report.markdown import markdown_table

_HEADING = ("measured", "cluster", "the calibration says", "cases", "inside", "half-width", f"error, {LEVEL:.0%}")


def coverage_section(residuals: Residuals) -> Iterator[str]:
    """Lines in Markdown: coverage of intervals that were made without the cluster in question, by hours, groups and machines."""
    calls = list(covered_calls(residuals))
    yield "## Intervals"
    yield ""
    yield (
        f"Intervals are to hold {LEVEL:.0%} of real times ([how](design/expected.md)). Here those of each hour are made without its "
        f"cluster, from the other {len(residuals.clusters) - 1} of {len(residuals.clusters)}. So few clusters promise no coverage on "
        "any one of them: this is what it was. Half-width (median) and error are of ln(measured / predicted)."
    )
    yield ""
    yield from markdown_table(_HEADING, map(_row, calls))
    yield ""
    yield from markdown_table(("calibrations", "clusters", "hours", "cases", "inside"), _groups(calls))
    yield ""
    yield (
        "Programs: each hour by the other hours of its cluster, as no other has programs. Half-width and error are relative to the time "
        "in MPI."
    )
    yield ""
    yield from markdown_table(_HEADING, map(_row, covered_programs(residuals)))
    yield ""
    yield (
        "Platforms that were written by hand: each machine in the interval that the others give. First single calls, then ratios of two "
        "algorithms for one call. Both are factors: 2 is from a half to twice the prediction."
    )
    yield ""
    by_hand = (("single calls", covered_by_hand), ("ratios", covered_ratios_by_hand))
    heading = ("machine", "of", "cases", "inside", "half-width", f"error, {LEVEL:.0%}")
    yield from markdown_table(heading, [row for of, covered in by_hand for row in _factors(of, covered, residuals)])


def _row(coverage: IntervalCoverage) -> tuple[str, ...]:
    return (
        coverage.name,
        coverage.cluster,
        coverage.about,
        str(coverage.cases),
        f"{coverage.inside:.0%}",
        f"{coverage.reach:.2f}",
        f"{coverage.error:.2f}",
    )


def _factors(
    of: str, covered: Callable[[Residuals], Iterable[IntervalCoverage]], residuals: Residuals
) -> Iterator[tuple[str, ...]]:
    for machine in covered(residuals):
        yield (
            machine.name,
            of,
            str(machine.cases),
            f"{machine.inside:.0%}",
            f"{exp(machine.reach):.1f}",
            f"{exp(machine.error):.1f}",
        )


def _groups(hours: Sequence[IntervalCoverage]) -> Iterator[tuple[str, ...]]:
    """By what calibrations say, and all; `inside` is a mean over hours."""
    groups: dict[str, list[IntervalCoverage]] = defaultdict(list)
    for hour in hours:
        groups[hour.about].append(hour)
    groups["all"] = list(hours)
    for about, here in groups.items():
        clusters = len({hour.cluster for hour in here})
        cases = sum(hour.cases for hour in here)
        yield (about, str(clusters), str(len(here)), str(cases), f"{fmean(hour.inside for hour in here):.0%}")
