# SPDX-License-Identifier: BSD-3-Clause
"""The page of two results compared."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.comparison.records import RecordsCompared
from orrery.comparison.turns import turns_said
from orrery.page.document import Page
from orrery.page.parts import Part, Table, TableColumn
from orrery.record.document import Record
from orrery.report.pages.two_bars import bars_of_routines
from orrery.report.records_compared import settings_that_differ
from orrery.report.summary import summary_lines

_NAMED = {"equal": "equal", "apart": "", "within noise": "within noise", "unknown": "not known"}


def page_of_comparison(found: RecordsCompared, records: tuple[Record, Record], names: tuple[str, str]) -> Page:
    """The verdict, bars of both, routines with their differences, and what both rest on.

    Args:
        found: what `compare` says of the records.
        records: both.
        names: what they are called, such as their files.
    """
    return Page(
        title=f"{names[0]} and {names[1]}",
        verdict=found.sentence_on(*names),
        facts=[*turns_said(found.turns), *settings_that_differ(found)],
        cautions=[*found.cautions, *_cautions(records, names)],
        parts=list(_parts(found, records, names)),
    )


def _cautions(records: tuple[Record, Record], names: tuple[str, str]) -> list[str]:
    """Cautions on both records; one that holds for a single record begins with its name."""
    first, second = (record.cautions for record in records)
    return [
        *(caution for caution in first if caution in second),
        *(f"{names[0]}: {caution}" for caution in first if caution not in second),
        *(f"{names[1]}: {caution}" for caution in second if caution not in first),
    ]


def _parts(found: RecordsCompared, records: tuple[Record, Record], names: tuple[str, str]) -> Iterator[Part]:
    yield bars_of_routines([(line.routine, line.first_s, line.second_s) for line in found.lines], names)
    yield _routines(found, names)
    yield _results(records, names)


def _routines(found: RecordsCompared, names: tuple[str, str]) -> Table:
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
