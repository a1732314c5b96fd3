# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace convert`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from orrery import _core
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.said import refuse_all
from orrery.cli.trace.shared import (
    LossyOption,
    ReportOption,
    TraceArgument,
    checked_place,
    exit_code_of,
    report_left_out,
)
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.output import Output, OutputFolder, checked_folder

Form = Literal["ti", "goal", "goal-binary", "perfetto", "pftrace", "paje", "csv", "parquet", "otf2", "ctf"]
Table = Literal["events", "profile"]

_HELP = """
Write a trace in another format: the one that the ending of FILE says, or --format.

\b
  ti           .ti       SimGrid's time-independent traces; FILE names one file for each rank. The format has one
                         communicator: collective calls on others become the messages of their algorithms (--selector)
  goal         .goal     GOAL schedules of LogGOPSim and ATLAHS as text. All collective calls become messages
  goal-binary  .bin      the same as binary, in which nothing says who wrote it: again over the same file with --overwrite
  perfetto     .json     Chrome's JSON, for ui.perfetto.dev: hosts with their ranks, calls, messages
  pftrace      .pftrace  the same in Perfetto's own form, smaller and opened faster
  paje         .paje     for ViTE and pj_dump
  csv          .csv      one row for each operation
  parquet      .parquet  the same (--table events), or one row for each routine of each rank (--table profile)
  otf2         .otf2     for Vampir, Scalasca and others: FILE is a folder (needs: pip install otf2)
  ctf          .ctf      Common Trace Format 1.8, for babeltrace2 and Trace Compass: FILE is a folder

Exit code: 0; 1 when the trace is not complete, which the first line says: what is left of it is written.

\b
Examples:
  orrery trace convert cg.trace -o cg.json
  orrery trace convert cg.trace -o cg.goal --selector openmpi-5.0
  orrery trace convert cg.trace -o - --format csv | head
  orrery trace convert cg.trace -o cg.otf2
"""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """A trace, a place, and what single formats can be told."""

    trace: TraceArgument
    output: Annotated[Path, output_option("The file to write, in the format of its ending; - is standard output.")]
    form: Annotated[
        Form | None, typer.Option("--format", metavar="ti|goal|goal-binary|perfetto|pftrace|paje|csv|parquet|otf2|ctf")
    ] = None
    """Format of FILE."""
    flops: Annotated[float, typer.Option("--flops", metavar="FLOPS", min=1)] = 1e9
    """ti: flops for a second of computation."""
    selector: Annotated[str, typer.Option("--selector", metavar="NAME")] = "default"
    """goal, ti: who chooses algorithms of collectives."""
    coll: Annotated[str, typer.Option("--coll", metavar="KIND=ALGORITHM,...")] = ""
    """goal, ti: algorithms that you fix."""
    table: Annotated[Table, typer.Option("--table", metavar="events|profile")] = "events"
    """parquet: what rows are."""
    lossy: LossyOption = False
    overwrite: OverwriteOption = False
    as_json: ReportOption = False


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    add_command(group, "convert", ConvertOptions, _convert, help=_HELP)


def _convert(context: typer.Context, options: ConvertOptions) -> int:
    from orrery.trace.imports.own import as_own

    form = options.form or _format_of(options.output)
    _check_format(context, form)
    out = _checked(form, options)
    left_out = Omissions()
    with as_own(options.trace) as own:
        left_out.add_all(own.left_out)
        file = _core.TraceFile(str(own.path))
        if form in _TIMELINES:
            own.check_times(file)
        with out.partial() as partial:
            omitted, cautions = _write(form, own.path, file, (out.path, partial), options)
            left_out.add_all(omitted)
        damage = own.damage(file)
    report_left_out(left_out, damage, options.trace, as_json=options.as_json, cautions=cautions)
    return exit_code_of(damage)


def _checked(form: Form, options: ConvertOptions) -> Output | OutputFolder:
    """The place to write. Raises InputError where it cannot be, or the library of the format is missing."""
    from orrery.trace.export_otf2 import check_library
    from orrery.trace.export_ti import check_place

    if form in _FOLDERS:
        if form == "otf2":
            check_library()
        return checked_folder(options.output, read=[options.trace])
    out = checked_place(options.output, options.trace, overwrite=options.overwrite, as_json=options.as_json)
    if form == "ti":
        check_place(out, overwrite=options.overwrite)
    return out


def _write(
    form: Form, trace: Path, file: _core.TraceFile, places: tuple[Path, Path], options: ConvertOptions
) -> tuple[Omissions, list[str]]:
    """Write the file. `places`: as the user named it, and where it is written at first.

    Returns what the format had no word for, and cautions on algorithms of collective calls that became messages.
    """
    if form in _ONLY_FOR["coll"]:
        return _write_messages(form, trace, file, places, options)
    return _write_calls(form, trace, file, places[1], options), []


def _write_messages(
    form: Form, trace: Path, file: _core.TraceFile, places: tuple[Path, Path], options: ConvertOptions
) -> tuple[Omissions, list[str]]:
    """Formats in which collective calls may have to be messages of their algorithms."""
    from orrery.collective.asked import cautions_of_messages, refuse_unserved
    from orrery.collective.selector import selector_named
    from orrery.record.profile import algorithms_of
    from orrery.record.unserved import sentences
    from orrery.trace.export_ti import CallsAsMessages, export_ti
    from orrery.trace.reading import is_steady
    from orrery.trace.recording import recording_left_out

    named, partial = places
    selector = selector_named(options.selector, options.coll, None)
    uses = _core.AlgorithmUses()

    def check() -> None:
        refuse_unserved(uses.sorted(), selector)

    if form == "ti":
        calls = CallsAsMessages(selector, uses, check)
        left_out = export_ti(file, named, partial, options.flops, calls, lossy=options.lossy)
    else:
        source = _core.open_trace(str(trace), recorded_matches=True)
        text = form == "goal"
        written = _core.write_goal(
            source, is_steady(file), selector, uses, str(partial), text=text, lossy=options.lossy
        )
        left_out = _goal(written)
        check()
    left_out.add_all(recording_left_out(dict(file.properties)))
    found = uses.sorted()
    unserved = sentences(algorithms_of(found, _core.routine_names()))
    return left_out, [*unserved, *cautions_of_messages(found, selector)]


def _write_calls(form: Form, trace: Path, file: _core.TraceFile, partial: Path, options: ConvertOptions) -> Omissions:
    """Formats that have a word for each call."""
    from orrery.trace.export_ctf import export_ctf
    from orrery.trace.export_otf2 import export_otf2
    from orrery.trace.export_perfetto import export_perfetto, export_pftrace
    from orrery.trace.export_tables import export_parquet
    from orrery.trace.export_times import export_csv, export_paje

    match form:
        case "parquet":
            return export_parquet(file, trace, partial, options.table)
        case "otf2":
            return export_otf2(file, partial)
        case "ctf":
            return export_ctf(file, partial)
        case "pftrace":
            with partial.open("wb") as packets:
                return export_pftrace(file, packets)
        case _:
            export = {"perfetto": export_perfetto, "paje": export_paje, "csv": export_csv}[form]
            with partial.open("w", encoding="utf-8", newline="") as text:
                return export(file, text)


def _goal(left_out: Mapping[str, tuple[str, int]]) -> Omissions:
    found = Omissions()
    for what, (why, times) in left_out.items():
        found.add(what, why, times)
    return found


_ENDINGS: dict[str, Form] = {
    ".ti": "ti", ".goal": "goal", ".bin": "goal-binary", ".json": "perfetto", ".pftrace": "pftrace", ".paje": "paje", ".csv": "csv",
    ".parquet": "parquet", ".otf2": "otf2", ".ctf": "ctf",
}  # fmt: skip


def _format_of(output: Path) -> Form:
    found = _ENDINGS.get(output.suffix.lower())
    if found is None:
        raise InputError(f"-o {output}: its ending names no format; say which: --format {'|'.join(get_args(Form))}")
    return found


_FOLDERS = ("otf2", "ctf")
"""Formats that are several files."""

_TIMELINES = ("perfetto", "pftrace", "paje", "otf2", "ctf")
"""Formats that draw calls in time, and so have nothing to draw where the trace has no times."""

_ONLY_FOR = {
    "flops": ("ti",), "selector": ("ti", "goal", "goal-binary"), "coll": ("ti", "goal", "goal-binary"),
    "lossy": ("ti", "goal", "goal-binary"), "table": ("parquet",),
}  # fmt: skip


def _check_format(context: typer.Context, form: Form) -> None:
    """Raises InputError for options that are for other formats."""
    for name, forms in _ONLY_FOR.items():
        if form not in forms:
            refuse_all(context, [name], f"is for {', '.join(forms)}, not for {form}")
