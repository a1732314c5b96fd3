# SPDX-License-Identifier: BSD-3-Clause
"""`orrery capture`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery import terminal
from orrery.capture.session import CaptureSettings, capture
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.outputs import report_output
from orrery.cli.replaced import check_words
from orrery.cli.said import say
from orrery.cli.shown import show_json
from orrery.errors import InputError
from orrery.output import checked
from orrery.verbs import every

_HELP = """
Run a program on your real MPI, and write down what its ranks do: a trace for `orrery replay` and `orrery profile`.

The program is not compiled again: a library is preloaded into its ranks. The first capture with an MPI compiles it,
with the mpicc of that MPI, and says so. C, Fortran and Python programs, Open MPI and MPICH. When a rank crashes or aborts, what all of them
did until then is in the trace. When the trace cannot be written, as on a full disk, what ranks wrote is kept beside it.

One-sided and file operations are in the trace, too: a replay simulates them. Ranks that the program spawns are not captured.

\b
Exit code: that of the launcher; 2 for input that cannot be used; 1 when no rank was captured.

\b
Examples:
  orrery capture -- mpirun -np 64 ./cg                       writes capture.trace
  orrery capture -o cg.trace -- mpirun -np 64 ./cg
  orrery capture --report cg.html -- mpirun -np 64 ./cg      and a page: timeline, waiting, who sends to whom
  orrery capture --mpicc mpicc.mpich -- srun -n 64 ./cg      where the launcher does not tell which MPI it is
  orrery capture --callsites -- mpirun -np 64 ./cg           and from which lines of the program calls came
  orrery profile cg.trace                                    where the time went, who sent how much to whom
  orrery replay cg.trace --platform graphene                 the same on another machine
"""


@dataclass(frozen=True, kw_only=True)
class CaptureOptions:
    """What `orrery capture` can be told."""

    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", show_default=False)] = None
    """What starts the program."""
    output: Annotated[Path, output_option("The trace to write.")] = Path("capture.trace")
    report: ReportOption = None
    overwrite: OverwriteOption = False
    settings: Annotated[Mapping[str, Any], every(CaptureSettings)]
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print what was captured as JSON; the program's output goes to standard error."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "capture",
        CaptureOptions,
        _capture,
        help=_HELP,
        short_help="Trace a program that runs on a real MPI.",
        context_settings={"allow_interspersed_args": False},
    )


def _capture(_context: typer.Context, options: CaptureOptions) -> int:
    from orrery.report.captured import text

    command = options.command or []
    if bool(command) == (options.settings["parts"] is not None):
        raise InputError(
            "expected either -- and what starts the program, such as -- mpirun -n 4 ./cg, or --parts FOLDER"
        )
    if options.as_json and command and (old := check_words("capture", "--json", command[0])):
        raise InputError(old)
    out = checked(options.output, overwrite=options.overwrite)
    if out.is_standard_output:
        raise InputError("-o -: standard output is the program's; name a file")
    page = report_output(options.report, overwrite=options.overwrite)
    captured = capture(
        CaptureSettings(command=command, output=out, output_aside=options.as_json, **options.settings), say
    )
    terminal.write(text(captured), sys.stderr)
    if options.as_json:
        show_json(captured)
    if page is not None and options.output.exists():
        from orrery.page.document import write_page
        from orrery.report.pages.trace import page_of_trace

        write_page(page_of_trace(options.output), page)
    return captured.exit_code
