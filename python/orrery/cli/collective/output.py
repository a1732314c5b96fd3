# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery collective` prints and writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from orrery import terminal
from orrery.cli.outputs import figure_of
from orrery.cli.shown import csv_of, show_json
from orrery.output import Output
from orrery.published import as_json, json_of

if TYPE_CHECKING:
    from orrery.collective.study import Study
    from orrery.collective.versus import SendsStudy


def print_found(found: Study | SendsStudy, *, json: bool, csv: bool) -> None:
    """Tables, or JSON or CSV."""
    if json:
        show_json(found)
    elif csv:
        terminal.write(_csv(found), sys.stdout)
    else:
        _write_tables(found, sys.stdout)


def write_found(found: Study | SendsStudy, outputs: dict[str, Output]) -> None:
    """By the endings."""
    if ".json" in outputs:
        outputs[".json"].write(f"{json_of(found)}\n")
    if ".csv" in outputs:
        outputs[".csv"].write(_csv(found))
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


def _csv(found: Study | SendsStudy) -> str:
    from orrery.collective import study, versus

    if isinstance(found, study.Study):
        return csv_of(as_json(found.predictions))
    return csv_of([dict(zip(versus.COLUMNS, row, strict=True)) for row in found.rows()])
