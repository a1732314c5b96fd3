# SPDX-License-Identifier: BSD-3-Clause
"""The page of two runs compared, or of several of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from orrery.comparison.runs import GroupLine, RunsCompared
from orrery.comparison.sentence import sentence
from orrery.comparison.turns import turns_said
from orrery.errors import InputError
from orrery.page.document import Page
from orrery.page.parts import Part, Table, TableColumn
from orrery.report.pages.both_timelines import both_timelines
from orrery.report.pages.two_bars import bars_of_routines
from orrery.report.runs_compared import facts, name_of, tables


def page_of_runs(found: RunsCompared, names: tuple[str, str], traces: tuple[Path, Path] | None) -> Page:
    """The verdict, both timelines on one axis, bars, and tables of what makes the difference.

    Args:
        found: the comparison.
        names: what the sides are called.
        traces: of both, for the timelines; None: at least one side has none, or several.
    """
    cautions, parts = list(found.cautions), []
    if traces is not None:
        try:
            parts.append(both_timelines(*traces, names))
        except InputError as error:
            cautions.append(f"there is no timeline: {error}")
    return Page(
        title=f"{names[0]} and {names[1]}",
        verdict=sentence(found, names),
        facts=[*turns_said(found.turns), *facts(found, names)],
        cautions=cautions,
        parts=[*parts, *_parts(found, names)],
    )


def _parts(found: RunsCompared, names: tuple[str, str]) -> Iterator[Part]:
    yield bars_of_routines([(line.what[0], line.first_s, line.second_s) for line in found.routines], names)
    for title, lines, most in tables(found):
        yield _table(title, lines, most, names)


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
