# SPDX-License-Identifier: BSD-3-Clause
"""`orrery profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.outputs import FIGURES, by_ending, figure_of
from orrery.errors import InputError
from orrery.output import Output
from orrery.trace.sources import is_trace

_HELP = """
Show where time went: in the last run that was started in this folder, in a record that `orrery run -o FILE.json`
wrote, or in a trace.

The table is that of TAU's pprof: time in each routine without (exclusive) and with (inclusive) what it
calls, summed over all ranks; `.application` is the program itself, its #Subrs are its MPI calls.

Of a trace (`orrery capture`, `orrery run -o FILE.trace`, or one of DUMPI's, Paraver's or OTF2's, docs/trace-imports.md) nothing
is simulated: times are those that were recorded. It also shows how ranks differ, sizes of messages and collective calls,
use of communicators, and who sent how much to whom.

\b
Examples:
  orrery profile                        the last run of this folder
  orrery profile run.json --per-rank    a table for each rank
  orrery profile --json                 rows for a script; times in seconds
  orrery profile cg.trace               a trace, of a real run or a simulated one
  orrery profile scorep-cg/traces.otf2  a trace of another tool's
  orrery profile cg.trace -o cg.html    its communication matrix, sizes and ranks as a page
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("profile", help=_HELP, short_help="Show where simulated time went.")(_profile)


def _profile(
    record_file: Annotated[
        Path | None,
        typer.Argument(
            metavar="RUN.json|TRACE", help="Record of a run, or a trace of any tool's; by default the last run."
        ),
    ] = None,
    *,
    per_rank: Annotated[bool, typer.Option("--per-rank", help="A table for each rank.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
    output: Annotated[
        Path | None, output_option("Of a trace: the page or picture to write, FILE.html, FILE.svg or FILE.png.")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    if record_file is not None and _is_any_trace(record_file):
        wanted = by_ending([output] if output else None, FIGURES, overwrite=overwrite, read=[record_file])
        _profile_trace(record_file, per_rank=per_rank, as_json=as_json, figures=figure_of(wanted))
        return
    if output is not None:
        raise InputError(f"-o {output}: is for traces; name one, of `orrery capture` or `orrery run -o FILE.trace`")
    from orrery.record.document import read, to_json
    from orrery.record.last_run import last_run
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary
    from orrery.report.table import per_rank_tables, profile_table

    record = last_run() if record_file is None else read(record_file)
    if as_json:
        chosen = record.profile.per_rank if per_rank else record.profile.summed
        typer.echo(to_json(chosen, indent=1))
        return
    when = f"   ({record.date}, in {record.folder})" if record.date else ""
    typer.echo(f"{' '.join(record.command)}{when}")
    typer.echo(summary(record))
    typer.echo(per_rank_tables(record.profile.per_rank) if per_rank else profile_table(record.profile.summed), nl=False)
    if record.algorithms:
        typer.echo(f"\n{algorithm_table(record.algorithms)}", nl=False)
    if record.cause:
        typer.echo(f"\nthe run failed: {record.cause}")


def _is_any_trace(path: Path) -> bool:
    """Orrery's or another tool's."""
    if is_trace(path):
        return True
    from orrery.trace.imports.detect import format_of

    return path.exists() and format_of(path) is not None


def _profile_trace(path: Path, *, per_rank: bool, as_json: bool, figures: list[Output]) -> None:
    from orrery.report import usage
    from orrery.trace.usage import read_usage

    report = read_usage(path)
    typer.echo(usage.to_json(report) if as_json else usage.text(report, per_rank=per_rank), nl=as_json)
    for output in figures:
        from orrery.report.usage_page import write_page

        write_page(report, output)
