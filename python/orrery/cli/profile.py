# SPDX-License-Identifier: BSD-3-Clause
"""`orrery profile`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.cli.outputs import FIGURES, by_ending, figure_of, report_output
from orrery.cli.said import refuse_all
from orrery.cli.shown import show, show_json
from orrery.errors import InputError
from orrery.output import Output, OutputFolder, checked_folder
from orrery.published import as_json
from orrery.record.document import read
from orrery.record.last_run import MOST_BACK, last_run, last_runs
from orrery.record.sums import by_node, with_ranks
from orrery.record.tau import is_tau
from orrery.record.tau_writing import ENDING, write_tau
from orrery.trace.compressed import first_bytes
from orrery.trace.sources import is_any_trace

if TYPE_CHECKING:
    from orrery.report.profiled import ProfileReport

_HELP = """
Show where time went: in the last run that was started in this folder or an earlier one, in a record that
`orrery run -o FILE.json` wrote, in a trace, or in a folder of profiles of TAU.

The table is that of TAU's pprof: time in each routine without (exclusive) and with (inclusive) what it
calls, summed over all ranks; `.application` is the program itself, its #Subrs are its MPI calls.

Of a trace (`orrery capture`, `orrery run -o FILE.trace`, or one of DUMPI's, Paraver's or OTF2's, docs/trace-imports.md) nothing
is simulated: times are those that were recorded. It also shows how ranks differ, sizes of messages and collective calls,
use of communicators, and who sent how much to whom.

Exit code: 0; 1 when the run failed or the trace is not complete, which the first line says.

-o FOLDER.tau writes profiles as TAU does, profile.NODE.0.0 for each rank, which ParaProf, pprof and Hatchet read.

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
  orrery profile cg.trace -o cg.png     its communication matrix, sizes, ranks and nodes as a picture
  orrery profile cg.trace --per-node    a table for each node
  orrery profile cg.trace -o cg.tau     profiles for ParaProf, pprof and Hatchet
  orrery profile tau-of-cg --throttle   profiles that TAU wrote, counted as TAU does by default
"""


_EXPECTED = (
    "expected a record that `orrery run -o FILE.json` wrote, a trace (`orrery run -o FILE.trace`, `orrery capture`, DUMPI, Paraver, OTF2), or "
    "a folder of TAU's profiles"
)


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """Whose profile is shown, and how."""

    record_file: Annotated[Path | None, typer.Argument(metavar="RUN.json|TRACE|FOLDER")] = None
    """Record of a run, a trace of any tool's, or a folder with profile.0.0.0 of TAU; by default the last run."""
    per_rank: Annotated[bool, typer.Option("--per-rank")] = False
    """A table for each rank."""
    per_node: Annotated[bool, typer.Option("--per-node")] = False
    """A table for each node."""
    throttle: Annotated[bool, typer.Option("--throttle")] = False
    """Count as TAU does by default: routines that a rank called more than 100,000 times, with less than 10 us a call, are marked
    and counted up to there."""
    back: Annotated[int, typer.Option("--back", metavar="N", min=0, max=MOST_BACK)] = 0
    """The run of this folder that was N before the last one."""
    listed: Annotated[bool, typer.Option("--list")] = False
    """Say which runs of this folder are kept, instead of a profile."""
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print rows as JSON."""
    output: Annotated[
        Path | None,
        output_option(
            "Profiles of TAU, FOLDER.tau, or a page or picture, FILE.html, FILE.svg or FILE.png: time by node and routine; of a trace "
            "also who sends to whom, sizes and ranks."
        ),
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False


@dataclass(frozen=True, kw_only=True)
class _ProfileOutputs:
    """Where things are written."""

    figures: list[Output]
    folder: OutputFolder | None
    page: Output | None


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "profile", ProfileOptions, _profile, help=_HELP, short_help="Show where simulated time went.")


def _profile(context: typer.Context, options: ProfileOptions) -> int:
    file = options.record_file
    if file is not None:
        refuse_all(context, ["back", "listed"], f"is for runs of this folder, not beside {file}")
    if options.per_rank and options.per_node:
        raise InputError("--per-rank, --per-node: are tables of the same rows; use one of them")
    if options.listed:
        refuse_all(context, ["per_rank", "per_node", "throttle", "back", "output", "report"], "acts not with --list")
        _list_runs(as_json=options.as_json)
        return 0
    places = _places(options)
    shown = _shown(options)
    if options.as_json:
        _show_json(shown, options)
    else:
        terminal.write(_as_text(shown, options), sys.stdout)
    _write(shown, places)
    return 0 if shown.is_complete else 1


def _places(options: ProfileOptions) -> _ProfileOutputs:
    """Checked before the work. Raises InputError where something cannot be written."""
    read_too = [options.record_file] if options.record_file else []
    page = report_output(options.report, overwrite=options.overwrite, read=read_too)
    if options.output is not None and options.output.suffix.lower() == ENDING:
        return _ProfileOutputs(figures=[], folder=checked_folder(options.output, read=read_too), page=page)
    named = [options.output] if options.output else None
    wanted = by_ending(named, (*FIGURES, ENDING), overwrite=options.overwrite, read=read_too)
    return _ProfileOutputs(figures=figure_of(wanted), folder=None, page=page)


def _list_runs(*, as_json: bool) -> None:
    from orrery.report.last_runs import listed, table

    runs = last_runs() or [last_run()]  # which says that there is none
    show(listed(runs), table, as_json=as_json)


def _shown(options: ProfileOptions) -> ProfileReport:
    """What the options name. Raises InputError where it cannot be read."""
    from orrery.report.profiled import of_record, of_tau, of_trace

    file, throttle = options.record_file, options.throttle
    if file is None:
        return of_record(last_run(options.back), throttle=throttle)
    if is_tau(file):
        return of_tau(file, throttle=throttle)
    if is_any_trace(file):
        return of_trace(file, throttle=throttle)
    if file.is_dir():
        return of_tau(file, throttle=throttle)  # which says that there is none
    if not file.exists():
        raise InputError(f"{file}: no such file; {_EXPECTED}")
    if file.is_file() and file.suffix != ".json" and not first_bytes(file, 4096).lstrip().startswith(b"{"):
        raise InputError(f"{file}: is neither a record, a trace nor a profile; {_EXPECTED}")
    return of_record(read(file), throttle=throttle)


def _show_json(shown: ProfileReport, options: ProfileOptions) -> None:
    if options.per_node:  # members are nodes, and nothing else
        terminal.line(json.dumps(as_json(by_node(shown.profile, shown.hosts)), indent=1))
    else:
        show_json(shown.usage or (shown.profile.per_rank if options.per_rank else shown.profile.summed))


def _as_text(shown: ProfileReport, options: ProfileOptions) -> str:
    from orrery.report.nodes import per_node_tables
    from orrery.report.table import per_rank_tables, profile_table

    if options.per_node:
        table = per_node_tables(by_node(shown.profile, shown.hosts))
    elif options.per_rank:
        table = per_rank_tables(shown.profile.per_rank)
    else:
        table = profile_table(shown.profile.summed)
    return "\n".join(part for part in (shown.head, table, *shown.below) if part)


def _write(shown: ProfileReport, places: _ProfileOutputs) -> None:
    for output in places.figures:
        from orrery.report.figure_file import write_figure

        write_figure(shown.figure(), output)
    if places.folder is not None:
        with_ranks(shown.profile, f"-o {places.folder.path}")
        with places.folder.partial() as partial:
            write_tau(shown.profile.per_rank, partial, shown.metadata())
    if places.page is not None:
        from orrery.page.document import write_page

        write_page(shown.page(), places.page)
