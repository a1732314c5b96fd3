# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace slice`, `convert` and `import`: traces out of traces."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from orrery import _core
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.said import refuse_all
from orrery.cli.trace import TRACE_HELP, OnlyOption
from orrery.errors import InputError
from orrery.output import Output, checked

Form = Literal["ti", "goal", "goal-binary", "perfetto", "paje", "csv", "parquet"]
Table = Literal["events", "profile"]

_Json = Annotated[bool, typer.Option("--json", help="Say what came of it as JSON.")]
_Lossy = Annotated[bool, typer.Option("--lossy", help="Leave out what the other format has no word for.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("slice", help=_SLICE_HELP)(_slice)
    app.command("convert", help=_CONVERT_HELP)(_convert)
    app.command("import", help=_IMPORT_HELP)(_import)


_SLICE_HELP = """
Write what some ranks did, in some time, as a trace of its own.

Times are those of the trace: seconds since the start of the run, when calls began. Ranks keep their
numbers. Messages and collective calls that reach outside are left out, with the waits for them; what
was computed is kept. So a slice can be replayed; where it cannot, that is said.

\b
Examples:
  orrery trace slice cg.trace -o loop.trace --from 1.5 --to 2
  orrery trace slice cg.trace -o corner.trace --only 0-3,8
"""


def _slice(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help=TRACE_HELP)],
    *,
    output: Annotated[Path, output_option("The trace to write; - is standard output.")],
    only: OnlyOption = None,
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", help="Calls that began from here on.")
    ] = None,
    to_s: Annotated[float | None, typer.Option("--to", metavar="SECONDS", help="Calls that began before.")] = None,
    overwrite: OverwriteOption = False,
    as_json: _Json = False,
) -> int:
    from orrery.cli.trace import chosen_ranks, opened

    if from_s is not None and to_s is not None and not from_s < to_s:
        raise InputError(f"--from {from_s:g} --to {to_s:g}: there is no time between them")
    out = _checked(output, trace, overwrite=overwrite, as_json=as_json)
    file = opened(trace)
    chosen = [] if only is None else sorted(set(chosen_ranks(only, file.streams)))
    with out.partial() as partial:
        sliced = _core.slice_trace(file, str(partial), chosen, from_s, to_s)
    if as_json:
        names = ("operations", "messages_left_out", "collectives_left_out", "obstacles")
        typer.echo(json.dumps({name: getattr(sliced, name) for name in names}))
        return 0
    typer.echo(
        f"{sliced.operations:,} operations; left out, as they reach outside: {sliced.messages_left_out:,} sends and "
        f"receives, {sliced.collectives_left_out:,} calls of collectives",
        err=out.is_standard_output,
    )
    for obstacle in sliced.obstacles:
        typer.echo(f"cannot be replayed: {obstacle}", err=out.is_standard_output)
    return 0


_CONVERT_HELP = """
Write a trace in another format: the one that the ending of FILE says, or --format.

\b
  ti           .ti       SimGrid's time-independent traces; FILE names one file for each rank. The format has one
                         communicator: collective calls on others become the messages of their algorithms (--selector)
  goal         .goal     GOAL schedules of LogGOPSim and ATLAHS as text. All collective calls become messages
  goal-binary  .bin      the same as binary, in which nothing says who wrote it: again over the same file with --overwrite
  perfetto     .json     Chrome's JSON, for ui.perfetto.dev
  paje         .paje     for ViTE and pj_dump
  csv          .csv      one row for each operation
  parquet      .parquet  the same (--table events), or one row for each routine of each rank (--table profile)

\b
Examples:
  orrery trace convert cg.trace -o cg.json
  orrery trace convert cg.trace -o cg.goal --selector openmpi-5.0
  orrery trace convert cg.trace -o - --format csv | head
"""


def _convert(
    context: typer.Context,
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help=TRACE_HELP)],
    *,
    output: Annotated[Path, output_option("The file to write, in the format of its ending; - is standard output.")],
    form: Annotated[
        Form | None,
        typer.Option("--format", metavar="ti|goal|goal-binary|perfetto|paje|csv|parquet", help="Format of FILE."),
    ] = None,
    flops: Annotated[
        float, typer.Option("--flops", metavar="FLOPS", min=1, help="ti: flops for a second of computation.")
    ] = 1e9,
    selector: Annotated[
        str, typer.Option("--selector", metavar="NAME", help="goal, ti: who chooses algorithms of collectives.")
    ] = "default",
    coll: Annotated[
        str, typer.Option("--coll", metavar="KIND=ALGORITHM,...", help="goal, ti: algorithms that you fix.")
    ] = "",
    table: Annotated[
        Table, typer.Option("--table", metavar="events|profile", help="parquet: what rows are.")
    ] = "events",
    lossy: _Lossy = False,
    overwrite: OverwriteOption = False,
    as_json: _Json = False,
) -> int:
    from orrery.collective.selector import selector_named
    from orrery.trace.export_tables import export_parquet
    from orrery.trace.export_ti import check_place, export_ti
    from orrery.trace.export_times import export_csv, export_paje, export_perfetto
    from orrery.trace.imports.own import as_own

    to = form or _format_of(output)
    _check_format(context, to)
    out = _checked(output, trace, overwrite=overwrite, as_json=as_json)
    if to == "ti":
        check_place(out, overwrite=overwrite)
    with as_own(trace) as own:
        file = _core.TraceFile(str(own.path))
        lost: Mapping[str, int] = {}
        with out.partial() as partial:
            match to:
                case "ti":
                    lost = export_ti(file, out.path, partial, flops, selector_named(selector, coll, None), lossy=lossy)
                case "goal" | "goal-binary":
                    chosen = selector_named(selector, coll, None)
                    source = _core.open_trace(str(own.path), recorded_matches=True)
                    lost = _core.write_goal(source, chosen, str(partial), text=to == "goal", lossy=lossy)
                case "parquet":
                    export_parquet(file, own.path, partial, table)
                case _:
                    export = {"perfetto": export_perfetto, "paje": export_paje, "csv": export_csv}[to]
                    with partial.open("w", encoding="utf-8", newline="") as text:
                        export(file, text)
    notes = file.damage if own.imported is None else own.notes()
    if as_json:
        typer.echo(json.dumps({"left_out": dict(lost), "notes": notes}))
    else:
        _report_lost(lost)
        sys.stderr.write("".join(f"orrery: {trace}: {what}\n" for what in notes))
    return 0


_IMPORT_HELP = """
Read a trace of another tool and write it as one of Orrery's, for replay, dump, profile, slice and convert.

\b
  DUMPI     name the .meta file, or the binary file of any rank
  Paraver   name the .prv file; the .pcf is beside it
  OTF2      name the .otf2 file, or the folder that has it (needs: pip install otf2)

`orrery replay` takes these traces as they are, too. What a format does not record, and what is taken
instead, is in docs/trace-imports.md.
"""


def _import(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="Trace of the other tool.")],
    *,
    output: Annotated[Path, output_option("The trace to write; - is standard output.")],
    lossy: _Lossy = False,
    overwrite: OverwriteOption = False,
    as_json: _Json = False,
) -> int:
    from orrery.trace.imports.detect import import_trace

    out = _checked(output, trace, overwrite=overwrite, as_json=as_json)
    with out.partial() as partial:
        target = import_trace(trace, partial, lossy=lossy)
    if as_json:
        typer.echo(json.dumps({"ranks": target.ranks, "left_out": target.lost, "damage": target.damage}))
    else:
        typer.echo(f"{target.ranks:,} ranks", err=out.is_standard_output)
        _report_lost(target.lost)
    for what in target.damage:
        sys.stderr.write(f"orrery: {what}; what was before it is there\n")
    return 0


def _checked(output: Path, trace: Path, *, overwrite: bool, as_json: bool) -> Output:
    """The place to write. Raises InputError where it cannot be, or both it and --json want standard output."""
    out = checked(output, overwrite=overwrite, read=[trace])
    if out.is_standard_output and as_json:
        raise InputError("-o - and --json: both are for standard output; name a file")
    return out


_ENDINGS: dict[str, Form] = {
    ".ti": "ti", ".goal": "goal", ".bin": "goal-binary", ".json": "perfetto", ".paje": "paje", ".csv": "csv",
    ".parquet": "parquet",
}  # fmt: skip


def _format_of(output: Path) -> Form:
    found = _ENDINGS.get(output.suffix.lower())
    if found is None:
        raise InputError(f"-o {output}: its ending names no format; say which: --format {'|'.join(get_args(Form))}")
    return found


_ONLY_FOR = {
    "flops": ("ti",), "selector": ("ti", "goal", "goal-binary"), "coll": ("ti", "goal", "goal-binary"),
    "lossy": ("ti", "goal", "goal-binary"), "table": ("parquet",),
}  # fmt: skip


def _check_format(context: typer.Context, form: Form) -> None:
    """Raises InputError for options that are for other formats."""
    for name, forms in _ONLY_FOR.items():
        if form not in forms:
            refuse_all(context, [name], f"is for {', '.join(forms)}, not for {form}")


def _report_lost(lost: Mapping[str, int]) -> None:
    for what, count in sorted(lost.items(), key=lambda pair: -pair[1]):
        sys.stderr.write(f"orrery: left out: {what}, {count:,} times\n")
