# SPDX-License-Identifier: BSD-3-Clause
"""The page of a validation suite: which groups hold their bounds, and the errors behind that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.page.document import Page
from orrery.page.parts import Part, Strips, Table, TableColumn
from orrery.report.pages.bounds import tone_of
from orrery.report.pages.programs import program_table
from orrery.validate.comparison import Comparison
from orrery.validate.programs import Program
from orrery.validate.suite import SuiteResult
from orrery.validate.suite_file import Group
from orrery.validate.summaries import GroupSummary

_MOST_CASES = 5000
"""Rows of the table of all cases: the worst."""


def page_of_suite(name: str, found: SuiteResult) -> Page:
    """Groups with their bounds, entries, programs, and all cases. `name`: of the suite."""
    worse = [one.name for one in found.entries if one.grew]
    above = [*found.above, *(f"{one.name}: {line}" for one in found.entries for line in one.above)]
    worse_said = f" Worse than the stored reports: {', '.join(worse)}." if worse else ""
    return Page(
        title=f"validation suite {name}",
        verdict=_verdict(found, above) + worse_said,
        tone=tone_of([*above, *worse], bounded=bool(found.bounds)),
        facts=[
            ("groups", f"{len(found.summaries):,}"),
            ("cases of collectives", f"{sum(one.cases for one in found.summaries):,}"),
            ("programs", f"{sum(one.programs for one in found.summaries):,}"),
        ],
        cautions=above,
        parts=list(_parts(found)),
    )


def _verdict(found: SuiteResult, above: Sequence[str]) -> str:
    bounded = [one for one in found.summaries if _bounds_of(one, found.bounds) is not None]
    held = [one for one in bounded if not one.exceeded(_bounds_of(one, found.bounds) or Group(name=one.group))]
    if not bounded:
        return "No group has bounds." if not above else f"{len(above)} bounds of entries are exceeded."
    if len(held) < len(bounded):
        return f"{len(bounded) - len(held)} of {len(bounded)} groups with bounds exceed them."
    return f"All {len(bounded)} groups with bounds hold them." if len(bounded) > 1 else "The group holds its bounds."


def _parts(found: SuiteResult) -> Iterator[Part]:
    yield _groups(found)
    collectives = [(one.name, one.found) for one in found.entries if isinstance(one.found, Comparison)]
    programs = [(one.name, one.found) for one in found.entries if isinstance(one.found, Program)]
    if collectives:
        yield Strips(
            title="Errors of collectives",
            note="Each point is a case: predicted over measured median, less 1, by the first model.",
            unit="share",
            axis="error",
            labels=[name for name, _ in collectives],
            values=[[case.error(one.models[0]) for case in one.cases] for _, one in collectives],
            mark=0.0,
        )
        yield _entries(collectives)
    if programs:
        yield _errors_of_programs(found)
        yield program_table(programs, title="Programs")
    if collectives:
        yield _cases(collectives)
    if changed := [[one.name, line] for one in found.entries for line in one.changes]:
        yield Table(
            title="Since the stored reports",
            columns=[TableColumn(name="entry"), TableColumn(name="what changed")],
            rows=changed,
        )


def _bounds_of(one: GroupSummary, bounds: Sequence[Group]) -> Group | None:
    return next((group for group in bounds if group.name == one.group), None)


def _groups(found: SuiteResult) -> Table:
    rows: list[list[object]] = []
    for one in found.summaries:
        bounds = _bounds_of(one, found.bounds)
        exceeded = bounds is not None and bool(one.exceeded(bounds))
        rows.append(
            [
                one.group,
                "no bounds" if bounds is None else "exceeded" if exceeded else "held",
                one.cases or None,
                one.median,
                bounds and bounds.most_median,
                one.p90,
                bounds and bounds.most_p90,
                one.programs or None,
                one.mean,
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


def _entries(collectives: Sequence[tuple[str, Comparison]]) -> Table:
    rows: list[list[object]] = []
    for name, one in collectives:
        summary = one.summary(one.models[0])
        rows.append(
            [
                name,
                one.platform,
                one.selector,
                one.models[0],
                summary.cases,
                summary.median,
                summary.p90,
                summary.worst,
                one.coverage and one.coverage.inside,
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
    for one in found.entries:
        if isinstance(one.found, Program):
            errors.setdefault(one.group, []).append(one.found.error)
    return Strips(
        title="Errors of programs",
        note="Each point is a program: predicted over measured total time, less 1.",
        unit="share",
        axis="error",
        labels=list(errors),
        values=list(errors.values()),
        mark=0.0,
    )


def _cases(collectives: Sequence[tuple[str, Comparison]]) -> Table:
    rows: list[list[object]] = [
        [
            name,
            case.measured.call.kind,
            case.measured.call.ranks,
            case.measured.call.size,
            case.measured.median_s,
            case.predicted[one.models[0]].median_s,
            case.error(one.models[0]),
        ]
        for name, one in collectives
        for case in one.cases
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
