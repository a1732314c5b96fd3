# SPDX-License-Identifier: BSD-3-Clause
"""The page of two runs compared, or of several of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orrery.comparison.runs_result import GroupLine, RunsCompared
from orrery.comparison.turns import turns_said
from orrery.errors import InputError
from orrery.page.document import Page
from orrery.page.parts import Part, Table, TableColumn
from orrery.report.pages.both_timelines import both_timelines
from orrery.report.pages.two_bars import bars_of_routines
from orrery.report.runs_compared import facts, name_of, tables


def page_of_runs(found: RunsCompared, traces: tuple[Path, Path] | None) -> Page:
    """The verdict, both timelines on one axis, bars, and tables of what makes the difference.

    Args:
        found: the comparison.
        traces: of both, for the timelines; None: at least one side has none, or several.
    """
    cautions, parts = list(found.cautions), []
    if traces is not None:
        try:
            parts.append(both_timelines(*traces, found.names))
        except InputError as error:
            cautions.append(f"there is no timeline: {error}")
    return Page(
        title=" and ".join(found.names),
        verdict=found.sentence,
        facts=[*turns_said(found.turns), *facts(found)],
        cautions=cautions,
        parts=[*parts, *_parts(found)],
    )


def _parts(found: RunsCompared) -> Iterator[Part]:
    yield bars_of_routines([(line.names[0], line.first_s, line.second_s) for line in found.routines], found.names)
    for title, lines, most in tables(found):
        yield _table(title, lines, most, found.names)


def _table(title: str, lines: list[GroupLine], most: int, names: tuple[str, str]) -> Table:
    known = any(line.low_s is not None and line.low_s != line.high_s for line in lines)
    reach = [
        TableColumn(name="from", unit="s", help="Interval of 95 % of the difference"),
        TableColumn(name="to", unit="s"),
    ]
    return Table(
        title=f"By {title.split(':', maxsplit=1)[0].split(',', maxsplit=1)[0]}",
        note="Seconds in MPI of each rank." if title.startswith("rank") else "Seconds, mean over ranks.",
        columns=[
            TableColumn(name=title.split(":", maxsplit=1)[0].split(",", maxsplit=1)[0]),
            TableColumn(name=f"calls, {names[0]}", unit="count"),
            TableColumn(name=f"calls, {names[1]}", unit="count"),
            TableColumn(name=names[0], unit="s"),
            TableColumn(name=names[1], unit="s"),
            TableColumn(name="difference", unit="s"),
            *(reach if known else []),
        ],
        rows=[
            [
                name_of(title, line),
                line.first_calls,
                line.second_calls,
                line.first_s,
                line.second_s,
                line.change_s,
                *([line.low_s, line.high_s] if known else []),
            ]
            for line in lines
        ],
        most=most,
    )
