# SPDX-License-Identifier: BSD-3-Clause
"""`orrery profile`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.said import refuse_all
from orrery.errors import InputError
from orrery.output import Output
from orrery.record.document import Record, read, to_json
from orrery.record.last_run import MOST_BACK, last_run, last_runs
from orrery.trace.sources import is_trace

_HELP = """
Show where time went: in the last run that was started in this folder or an earlier one, in a record that
`orrery run -o FILE.json` wrote, or in a trace.

The table is that of TAU's pprof: time in each routine without (exclusive) and with (inclusive) what it
calls, summed over all ranks; `.application` is the program itself, its #Subrs are its MPI calls.

Of a trace (`orrery capture`, `orrery run -o FILE.trace`, or one of DUMPI's, Paraver's or OTF2's, docs/trace-imports.md) nothing
is simulated: times are those that were recorded. It also shows how ranks differ, sizes of messages and collective calls,
use of communicators, and who sent how much to whom.

\b
Examples:
  orrery profile                        the last run of this folder
  orrery profile --list                 which runs of this folder are kept: the last ten
  orrery profile --back 1               the run before the last one
  orrery profile run.json --per-rank    a table for each rank
  orrery profile --json                 rows for a script; times in seconds
  orrery profile cg.trace               a trace, of a real run or a simulated one
  orrery profile scorep-cg/traces.otf2  a trace of another tool's
  orrery profile cg.trace --report cg.html   a page: timeline, waiting, who sends to whom
  orrery profile cg.trace -o cg.png     its communication matrix, sizes and ranks as a picture
"""


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """Of what, and how it is shown."""

    record_file: Annotated[Path | None, typer.Argument(metavar="RUN.json|TRACE")] = None
    """Record of a run, or a trace of any tool's; by default the last run."""
    per_rank: Annotated[bool, typer.Option("--per-rank")] = False
    """A table for each rank."""
    back: Annotated[int, typer.Option("--back", metavar="N", min=0, max=MOST_BACK)] = 0
    """The run of this folder that was N before the last one."""
    listed: Annotated[bool, typer.Option("--list")] = False
    """Say which runs of this folder are kept, instead of a profile."""
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print rows as JSON."""
    output: Annotated[
        Path | None, output_option("Of a trace: the page or picture to write, FILE.html, FILE.svg or FILE.png.")
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "profile", ProfileOptions, _profile, help=_HELP, short_help="Show where simulated time went.")


def _profile(context: typer.Context, options: ProfileOptions) -> None:
    file, output = options.record_file, options.output
    if file is not None:
        refuse_all(context, ["back", "listed"], f"is for runs of this folder, not beside {file}")
    if file is not None and _is_any_trace(file):
        wanted = by_ending([output] if output else None, FIGURES, overwrite=options.overwrite, read=[file])
        page = report_output(options.report, overwrite=options.overwrite, read=[file])
        _profile_trace(file, per_rank=options.per_rank, as_json=options.as_json, figures=figure_of(wanted), page=page)
        return
    if output is not None:
        raise InputError(f"-o {output}: is for traces; name one, of `orrery capture` or `orrery run -o FILE.trace`")
    if options.listed:
        refuse_all(context, ["per_rank", "back", "report"], "acts not with --list")
        _list_runs(as_json=options.as_json)
        return
    page = report_output(options.report, overwrite=options.overwrite, read=[file] if file else [])
    record = last_run(options.back) if file is None else read(file)
    if options.as_json:
        chosen = record.profile.per_rank if options.per_rank else record.profile.summed
        typer.echo(to_json(chosen, indent=1))
    else:
        _show(record, per_rank=options.per_rank)
    if page is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.simulation import page_of_record

        write_page(page_of_record(record), page)


def _list_runs(*, as_json: bool) -> None:
    from orrery.report.last_runs import as_rows, table

    runs = last_runs() or [last_run()]  # which says that there is none
    typer.echo(json.dumps(as_rows(runs), indent=1) if as_json else table(runs), nl=as_json)


def _show(record: Record, *, per_rank: bool) -> None:
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary
    from orrery.report.table import per_rank_tables, profile_table

    when = f"   ({record.date}, in {record.folder})" if record.date else ""
    table = per_rank_tables(record.profile.per_rank) if per_rank else profile_table(record.profile.summed)
    parts = [f"{' '.join(record.command)}{when}\n{summary(record)}", table]
    if record.algorithms:
        parts.append(algorithm_table(record.algorithms))
    if record.cause:
        parts.append(f"the run failed: {record.cause}\n")
    terminal.write("\n".join(parts), sys.stdout)


def _is_any_trace(path: Path) -> bool:
    """Orrery's or another tool's."""
    if is_trace(path):
        return True
    from orrery.trace.imports.detect import format_of

    return path.exists() and format_of(path) is not None


def _profile_trace(path: Path, *, per_rank: bool, as_json: bool, figures: list[Output], page: Output | None) -> None:
    from orrery.report import usage
    from orrery.trace.usage import read_usage

    report = read_usage(path)
    typer.echo(usage.to_json(report) if as_json else usage.text(report, per_rank=per_rank), nl=as_json)
    for output in figures:
        from orrery.report.usage_page import write_page

        write_page(report, output)
    if page is not None:
        from orrery.page import document
        from orrery.report.pages.trace import page_of_trace

        document.write_page(page_of_trace(path, report), page)
