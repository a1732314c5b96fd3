# SPDX-License-Identifier: BSD-3-Clause
"""The page of a validation suite: which groups hold their bounds, and the errors behind that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.page.document import Page
from orrery.page.parts import Part, Strips, Table, TableColumn
from orrery.report.pages.bounds import tone_of
from orrery.report.pages.programs import program_table
from orrery.validate.comparison import ValidationComparison
from orrery.validate.programs import ProgramComparison
from orrery.validate.suite import SuiteResult
from orrery.validate.suite_file import SuiteGroup
from orrery.validate.summaries import GroupSummary

_MOST_CASES = 5000
"""Rows of the table of all cases: the worst."""


def page_of_suite(name: str, found: SuiteResult) -> Page:
    """Groups with their bounds, entries, programs, and all cases. `name`: of the suite."""
    worse = [entry.name for entry in found.entries if entry.grew]
    above = [*found.above, *(f"{entry.name}: {line}" for entry in found.entries for line in entry.above)]
    worse_said = f" Worse than the stored reports: {', '.join(worse)}." if worse else ""
    return Page(
        title=f"validation suite {name}",
        verdict=_verdict(found, above) + worse_said,
        tone=tone_of([*above, *worse], bounded=bool(found.bounds)),
        facts=[
            ("groups", f"{len(found.summaries):,}"),
            ("cases of collectives", f"{sum(summary.cases for summary in found.summaries):,}"),
            ("programs", f"{sum(summary.programs for summary in found.summaries):,}"),
        ],
        cautions=above,
        parts=list(_parts(found)),
    )


def _verdict(found: SuiteResult, above: Sequence[str]) -> str:
    bounded = [summary for summary in found.summaries if _bounds_of(summary, found.bounds) is not None]
    held = [
        summary
        for summary in bounded
        if not summary.exceeded(_bounds_of(summary, found.bounds) or SuiteGroup(name=summary.group))
    ]
    if not bounded:
        return "No group has bounds." if not above else f"{len(above)} bounds of entries are exceeded."
    if len(held) < len(bounded):
        return f"{len(bounded) - len(held)} of {len(bounded)} groups with bounds exceed them."
    return f"All {len(bounded)} groups with bounds hold them." if len(bounded) > 1 else "The group holds its bounds."


def _parts(found: SuiteResult) -> Iterator[Part]:
    yield _groups(found)
    collectives = [
        (entry.name, entry.found) for entry in found.entries if isinstance(entry.found, ValidationComparison)
    ]
    programs = [(entry.name, entry.found) for entry in found.entries if isinstance(entry.found, ProgramComparison)]
    if collectives:
        yield Strips(
            title="Errors of collectives",
            note="Each point is a case: predicted over measured median, less 1, by the first model.",
            unit="share",
            axis="error",
            labels=[name for name, _ in collectives],
            values=[
                [case.predicted[comparison.models[0]].error for case in comparison.cases]
                for _, comparison in collectives
            ],
            mark=0.0,
        )
        yield _entries(collectives)
    if programs:
        yield _errors_of_programs(found)
        yield program_table(programs, title="Programs")
    if collectives:
        yield _cases(collectives)
    if changed := [[entry.name, line] for entry in found.entries for line in entry.changes]:
        yield Table(
            title="Since the stored reports",
            columns=[TableColumn(name="entry"), TableColumn(name="what changed")],
            rows=changed,
        )


def _bounds_of(summary: GroupSummary, bounds: Sequence[SuiteGroup]) -> SuiteGroup | None:
    return next((group for group in bounds if group.name == summary.group), None)


def _groups(found: SuiteResult) -> Table:
    rows: list[list[object]] = []
    for summary in found.summaries:
        bounds = _bounds_of(summary, found.bounds)
        exceeded = bounds is not None and bool(summary.exceeded(bounds))
        rows.append(
            [
                summary.group,
                "no bounds" if bounds is None else "exceeded" if exceeded else "held",
                summary.cases or None,
                summary.median,
                bounds and bounds.most_median,
                summary.p90,
                bounds and bounds.most_p90,
                summary.programs or None,
                summary.mean,
                bounds and bounds.most_mean,
            ]
        )
    return Table(
        title="Groups",
        note="Absolute relative errors: of medians of collectives, median and 90th percentile; of total times of programs, mean.",
        columns=[
            TableColumn(name="group"),
            TableColumn(name="bounds"),
            TableColumn(name="cases", unit="count"),
            TableColumn(name="median", unit="share"),
            TableColumn(name="at most", unit="share"),
            TableColumn(name="90 %", unit="share"),
            TableColumn(name="at most", unit="share"),
            TableColumn(name="programs", unit="count"),
            TableColumn(name="mean", unit="share"),
            TableColumn(name="at most", unit="share"),
        ],
        rows=rows,
        most=40,
    )


def _entries(collectives: Sequence[tuple[str, ValidationComparison]]) -> Table:
    rows: list[list[object]] = []
    for name, comparison in collectives:
        summary = comparison.summary[comparison.models[0]]["all"]
        rows.append(
            [
                name,
                comparison.platform,
                comparison.selector,
                comparison.models[0],
                summary.cases,
                summary.median,
                summary.p90,
                summary.worst,
                comparison.expected and comparison.expected.inside,
            ]
        )
    return Table(
        title="Entries of collectives",
        columns=[
            TableColumn(name="entry"),
            TableColumn(name="platform"),
            TableColumn(name="selector"),
            TableColumn(name="model"),
            TableColumn(name="cases", unit="count"),
            TableColumn(name="median", unit="share"),
            TableColumn(name="90 %", unit="share"),
            TableColumn(name="worst", unit="share"),
            TableColumn(
                name="as expected", unit="share", help="Measured medians in intervals in which 90 % are expected"
            ),
        ],
        rows=rows,
        bar=5,
        most=40,
    )


def _errors_of_programs(found: SuiteResult) -> Strips:
    errors: dict[str, list[float]] = {}
    for entry in found.entries:
        if isinstance(entry.found, ProgramComparison):
            errors.setdefault(entry.group, []).append(entry.found.total.error)
    return Strips(
        title="Errors of programs",
        note="Each point is a program: predicted over measured total time, less 1.",
        unit="share",
        axis="error",
        labels=list(errors),
        values=list(errors.values()),
        mark=0.0,
    )


def _cases(collectives: Sequence[tuple[str, ValidationComparison]]) -> Table:
    rows: list[list[object]] = [
        [
            name,
            case.collective,
            case.ranks,
            case.bytes,
            case.measured_median_s,
            case.predicted[comparison.models[0]].median_s,
            case.predicted[comparison.models[0]].error,
        ]
        for name, comparison in collectives
        for case in comparison.cases
    ]
    rows.sort(key=lambda row: -abs(float(str(row[-1]))))
    return Table(
        title="All cases of collectives, the worst first",
        note=None if len(rows) <= _MOST_CASES else f"The {_MOST_CASES:,} worst of {len(rows):,}.",
        columns=[
            TableColumn(name="entry"),
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="measured", unit="s"),
            TableColumn(name="predicted", unit="s"),
            TableColumn(name="error", unit="share"),
        ],
        rows=rows[:_MOST_CASES],
        most=15,
    )
