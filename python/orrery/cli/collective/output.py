# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery collective` prints and writes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from orrery import terminal
from orrery.cli.outputs import figure_of
from orrery.marks import mark_json
from orrery.output import Output
from orrery.words import cell

if TYPE_CHECKING:
    from orrery.collective.study import Study
    from orrery.collective.versus import SendsStudy


def print_found(found: Study | SendsStudy, *, as_json: bool, as_csv: bool) -> None:
    """Tables, or JSON or CSV."""
    if as_json:
        _write_json(found, terminal.styling(sys.stdout))
    elif as_csv:
        _write_csv(found, terminal.styling(sys.stdout))
    else:
        _write_tables(found, sys.stdout)


def write_found(found: Study | SendsStudy, outputs: dict[str, Output]) -> None:
    """By the endings."""
    for ending, write in ((".json", _write_json), (".csv", _write_csv)):
        if ending in outputs:
            text = io.StringIO()
            write(found, text)
            outputs[ending].write(text.getvalue())
    for output in figure_of(outputs):
        _draw(found, output)


def write_report(found: Study | SendsStudy, output: Output) -> None:
    """The page that explains it."""
    from orrery.collective.study import Study
    from orrery.page.document import write_page
    from orrery.report.pages.collective import page_of_study
    from orrery.report.pages.versus import page_of_versus

    write_page(page_of_study(found) if isinstance(found, Study) else page_of_versus(found), output)


def _draw(found: Study | SendsStudy, output: Output) -> None:
    from orrery.collective.study import Study
    from orrery.report import collective_plot, versus_plot

    if isinstance(found, Study):
        collective_plot.write_plot(found, output)
    else:
        versus_plot.write_plot(found, output)


def _write_tables(found: Study | SendsStudy, file: TextIO) -> None:
    from orrery.collective.study import Study

    if isinstance(found, Study):
        from orrery.report.collective import write_tables

        write_tables(found, file)
    else:
        from orrery.report.versus import write_versus

        write_versus(found, file)


def _write_json(found: Study | SendsStudy, file: TextIO) -> None:
    from orrery.collective.study import Study
    from orrery.published import json_of

    if isinstance(found, Study):
        json.dump(mark_json(found.as_json()), file, indent=1)
        file.write("\n")
    else:
        file.write(f"{json_of(found)}\n")


def _write_csv(found: Study | SendsStudy, file: TextIO) -> None:
    import csv

    from orrery.collective import study, versus

    columns: Sequence[str] = study.COLUMNS if isinstance(found, study.Study) else versus.COLUMNS
    rows: Iterable[Sequence[object]] = found.rows()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(cell, row) for row in rows)
