# SPDX-License-Identifier: BSD-3-Clause
"""Measuring with a bar that shows how far it is, or writing what a batch job measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orrery import terminal
from orrery.cli.said import say
from orrery.errors import Interrupt

if TYPE_CHECKING:
    from orrery.calibrate.measure import Files
    from orrery.calibrate.settings import CalibrationSettings


def measured(settings: CalibrationSettings) -> Files:
    """Samples, measured now. Raises Interrupt for Ctrl-C, which says where those are that were measured by then."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from orrery.calibrate.measure import Files, measure

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("starting", total=None)
            measure(
                settings,
                lambda what, done, total: bar.update(
                    task, description=escape(terminal.visible(what)), completed=done, total=total or None
                ),
                lambda text: bar.console.print(
                    terminal.visible_lines(f"orrery: {text}"), markup=False, highlight=False, soft_wrap=True
                ),
            )
    except KeyboardInterrupt:
        raise Interrupt(
            f"what was measured is in {settings.folder}; the same command goes on from there, --fresh begins anew, and "
            f"--ingest {settings.folder} makes the files from what there is"
        ) from None
    return Files(settings.folder)


def write_script(settings: CalibrationSettings) -> None:
    """The plan into its folder, the script of a job to standard output."""
    from orrery.calibrate.measure import job_script, write_assumed

    files = write_assumed(settings, say)
    terminal.hand_on(job_script(settings, files))
