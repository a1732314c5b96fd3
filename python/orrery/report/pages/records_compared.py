# SPDX-License-Identifier: BSD-3-Clause
"""The page of two results compared."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.comparison.records import Compared, Line
from orrery.page.document import Page
from orrery.page.parts import Bars, BarSeries, Part, Table, TableColumn
from orrery.record.document import Record
from orrery.report.records_compared import settings_that_differ
from orrery.report.summary import summary_lines

_MOST_SERIES = 7
_NAMED = {"equal": "equal", "apart": "", "within noise": "within noise", "unknown": "not known"}


def page_of_comparison(found: Compared, records: tuple[Record, Record], names: tuple[str, str]) -> Page:
    """The verdict, bars of both, routines with their differences, and what both rest on.

    Args:
        found: what `compare` says of the records.
        records: both.
        names: what they are called, such as their files.
    """
    return Page(
        title=f"{names[0]} and {names[1]}",
        verdict=found.sentence(*names),
        facts=settings_that_differ(found),
        cautions=_cautions(records, names),
        parts=list(_parts(found, records, names)),
    )


def _cautions(records: tuple[Record, Record], names: tuple[str, str]) -> list[str]:
    """Of both, those that hold for one with its name."""
    first, second = (record.cautions for record in records)
    return [
        *(caution for caution in first if caution in second),
        *(f"{names[0]}: {caution}" for caution in first if caution not in second),
        *(f"{names[1]}: {caution}" for caution in second if caution not in first),
    ]


def _parts(found: Compared, records: tuple[Record, Record], names: tuple[str, str]) -> Iterator[Part]:
    yield _bars(found, names)
    yield _routines(found, names)
    yield _results(records, names)


def _bars(found: Compared, names: tuple[str, str]) -> Bars:
    """Time of both, by the routines that take most."""
    there = [line for line in found.lines if line.first_s > 0 or line.second_s > 0]
    longest = sorted(there, key=lambda line: -max(line.first_s, line.second_s))
    kept, rest = longest[:_MOST_SERIES], longest[_MOST_SERIES:]
    if rest:
        first_s, second_s = sum(line.first_s for line in rest), sum(line.second_s for line in rest)
        kept = [*kept, Line("other", first_s, second_s, "unknown")]
    return Bars(
        title="Where the time goes",
        note="Mean over ranks, by routine without what it calls; .application is the program's own computation.",
        unit="s",
        of="result",
        labels=list(names),
        series=[
            BarSeries(name=line.routine, colour=f"--series-{number}", values=[line.first_s, line.second_s])
            for number, line in enumerate(kept, start=1)
        ],
    )


def _routines(found: Compared, names: tuple[str, str]) -> Table:
    noise = {
        "apart": "Differences that are not more than noise are marked.",
        "equal": "Nothing differs.",
        "within noise": "Differences that are not more than noise are marked.",
        "unknown": "Whether any difference is more than noise is not known.",
    }[found.verdict]
    whole_s = found.first_s or 1.0
    return Table(
        title="Routines",
        note=f"Seconds, mean over ranks, without what a routine calls. {noise}",
        columns=[
            TableColumn(name="routine"),
            TableColumn(name=names[0], unit="s"),
            TableColumn(name=names[1], unit="s"),
            TableColumn(name="difference", unit="s"),
            TableColumn(name="of the first", unit="share", help="Difference, of the simulated time of the first"),
            TableColumn(name="noise"),
        ],
        rows=[
            [line.routine, line.first_s, line.second_s, line.change_s, line.change_s / whole_s, _NAMED[line.verdict]]
            for line in found.lines
            if line.first_s > 0 or line.second_s > 0
        ],
    )


def _results(records: tuple[Record, Record], names: tuple[str, str]) -> Table:
    """What is known of both, side by side."""
    first, second = (dict(_alone(record)) for record in records)
    rows = [[name, first.get(name, ""), second.get(name, "")] for name in dict.fromkeys([*first, *second])]
    return Table(
        title="Both results",
        columns=[TableColumn(name=""), TableColumn(name=names[0]), TableColumn(name=names[1])],
        rows=rows,
        most=40,
    )


def _alone(record: Record) -> Iterator[tuple[str, str]]:
    yield "command", " ".join(record.command)
    yield from ((name, text) for name, text in summary_lines(record) if name != "caution")
    yield "date", record.date
    yield "Orrery", record.orrery
