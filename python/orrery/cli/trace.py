# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace`: what is in a trace, and the same for other programs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import _core
from orrery.errors import InputError
from orrery.units import show_bytes, show_time

if TYPE_CHECKING:
    from orrery.trace.reading import Operation

_HELP = """
Look into traces, and convert them: those of `orrery capture` and `orrery run -o FILE.trace`, and those of DUMPI,
Paraver and OTF2 (Score-P), which are imported on the way (docs/trace-imports.md).

\b
Examples:
  orrery trace info cg.trace                      where it comes from, what is in it, whether it is whole
  orrery trace dump cg.trace --only 0-1 --most 20 its operations as text
  orrery trace slice cg.trace -o part.trace --only 0-3 --from 1.5 --to 2   what four ranks did in half a second
  orrery trace convert cg.trace -o cg.json        a timeline for ui.perfetto.dev
  orrery trace info scorep/traces.otf2            the same of another tool's, and what its format does not say
  orrery trace import dumpi-2026.meta -o cg.trace a trace of another tool's, kept as one of Orrery's
  orrery trace diff cg.trace other.trace          where two programs went different ways
"""

TRACE_HELP = "Trace of `orrery capture` or `orrery run -o FILE.trace`, or one of DUMPI's, Paraver's or OTF2's."
_Trace = Annotated[Path, typer.Argument(metavar="TRACE", help=TRACE_HELP)]
OnlyOption = Annotated[
    str | None, typer.Option("--only", metavar="RANKS", help='Only what these ranks did, such as "0-3,7".')
]

app = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)


def add_to(parent: typer.Typer) -> None:
    """Register the commands."""
    from orrery.cli import trace_convert

    trace_convert.add_to(app)
    parent.add_typer(app, name="trace")


@app.command("info")
def _info(
    trace: _Trace,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Say where a trace comes from, what is in it, and whether it is whole. Exit code 1: it is damaged."""
    from orrery.trace.imports.own import as_own
    from orrery.trace.reading import operations

    with as_own(trace) as own:
        file = _core.TraceFile(str(own.path))
    lost = {} if own.imported is None else dict(own.imported.lost)
    damage = file.damage if own.imported is None else own.imported.damage
    calls: Counter[str] = Counter()
    compute_s = 0.0
    for rank in range(file.streams):
        for operation in operations(file, rank):
            compute_s += operation.compute_s
            if operation.flags & 2 or operation.kind == "finalize":
                calls[operation.routine or operation.kind] += 1
    found = {
        "trace": str(trace),
        "version": file.version,
        "size_bytes": file.size,
        "ranks": file.ranks,
        "streams": file.streams,
        "records": file.records,
        "compute_s": compute_s,
        "properties": dict(file.properties),
        "communicators": [{"number": number, "size": size} for number, size in file.communicators],
        "calls": dict(calls.most_common()),
        "left_out": lost,
        "damage": damage,
    }
    if as_json:
        typer.echo(json.dumps(found, indent=1))
        return 1 if damage else 0
    started = f", {file.streams - file.ranks} started later" if file.streams > file.ranks else ""
    imported = "" if own.imported is None else "imported as "
    lines = [
        ("trace", f"{trace}, {imported}format {file.version}, {show_bytes(file.size)}"),
        ("ranks", f"{file.ranks:,}{started}"),
        ("records", f"{file.records:,}, {file.size / max(1, file.records):.1f} bytes each"),
        ("computation", f"{show_time(compute_s)}, of all ranks together"),
        ("communicators", f"{len(file.communicators) + 1:,}"),
        *file.properties,
        *(("left out", f"{what}, {count:,} times") for what, count in lost.items()),
        *(("damage", what) for what in damage),
    ]
    typer.echo("".join(f"{what:<15} {value}\n" for what, value in lines))
    typer.echo("".join(f"{count:>12,}  {name}\n" for name, count in calls.most_common()), nl=False)
    return 1 if damage else 0


def opened(trace: Path) -> _core.TraceFile:
    """A trace of any tool's; what of it could not be imported is said on the error stream."""
    from orrery.trace.imports.own import as_own

    with as_own(trace) as own:
        file = _core.TraceFile(str(own.path))
    for what in own.notes():
        sys.stderr.write(f"orrery: {trace}: {what}\n")
    return file


@app.command("dump")
def _dump(
    trace: _Trace,
    *,
    only: OnlyOption = None,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", min=1, help="At most so many operations of each rank.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each line.")] = False,
) -> int:
    """Print the operations of a trace as text."""
    from orrery.trace.reading import operations

    file = opened(trace)
    for rank in chosen_ranks(only, file.streams):
        for number, operation in enumerate(islice(operations(file, rank), most)):
            if as_json:
                values = operation._asdict()
                values["answer"] = operation.answer._asdict() if operation.answer else None
                typer.echo(json.dumps({"rank": rank, "number": number, **values}))
            else:
                typer.echo(f"{rank:>5} {number:>6} {_line(operation)}")
    return 0


def _line(o: Operation) -> str:
    parts = [f"{show_time(o.begin_ns * 1e-9):>12}" if o.end_ns >= 0 else " " * 12, f"{o.kind:<14}"]
    if o.compute_s:
        parts.append(f"after {show_time(o.compute_s)}")
    if o.routine and o.flags & 2:
        parts.append(o.routine)
    if o.collective:
        parts.append(o.collective)
    if o.kind in ("isend", "irecv", "probe", "iprobe", "psend", "precv", "put", "get", "accumulate", "lock"):
        parts.append(f"peer {o.peer} tag {o.tag}")
    if o.bytes:
        parts.append(f"{o.bytes:,} B")
    if o.comm:
        parts.append(f"comm {o.comm}")
    if o.request or o.requests:
        parts.append(f"requests {o.requests or [o.request]}")
    if o.ran:
        parts.append(f"by {o.ran}")
    if o.answer:
        parts.append(f"-> {'yes' if o.answer.flag else 'no'}" if o.answer.source < 0 else f"-> from {o.answer.source}")
    return "  ".join(parts)


def chosen_ranks(text: str | None, streams: int) -> list[int]:
    """Ranks of "0-3,7". Raises InputError for what is none."""
    if text is None:
        return list(range(streams))
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            raise InputError(f'--only "{text}": expected ranks and ranges such as 0-3,7')
        chosen += range(int(first), int(last or first) + 1)
    if not chosen or max(chosen) >= streams:
        raise InputError(f'--only "{text}": the trace has ranks 0 to {streams - 1}')
    return chosen


@app.command("diff")
def _diff(
    first: _Trace,
    second: Annotated[Path, typer.Argument(metavar="OTHER", help="Another.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Say where two traces do different things; times do not count. Exit code 1 when they differ."""
    from orrery.trace.reading import operations

    files = [opened(path) for path in (first, second)]
    streams = [file.streams for file in files]
    found = []
    for rank in range(streams[0] if streams[0] == streams[1] else 0):
        pairs = zip_longest(*(operations(file, rank) for file in files))
        found += [(rank, n, a, b) for n, a, b in _first_difference(pairs)]
    if as_json:
        ranks = [{"rank": rank, "operation": n, "first": _shown(a), "second": _shown(b)} for rank, n, a, b in found]
        typer.echo(json.dumps({"streams": streams, "different": ranks}))
    elif streams[0] != streams[1]:
        typer.echo(f"{first} has {streams[0]:,} ranks, {second} {streams[1]:,}")
    else:
        typer.echo(
            "".join(f"rank {rank}, operation {n}:\n  {_shown(a)}\n  {_shown(b)}\n" for rank, n, a, b in found), nl=False
        )
        typer.echo(f"{len(found):,} of {streams[0]:,} ranks differ" if found else "the traces do the same")
    return 1 if found or streams[0] != streams[1] else 0


def _first_difference(
    pairs: Iterable[tuple[Operation | None, ...]],
) -> list[tuple[int, Operation | None, Operation | None]]:
    """Number and both operations; empty: there is none."""
    return list(islice(((n, a, b) for n, (a, b) in enumerate(pairs) if _essence(a) != _essence(b)), 1))


def _essence(operation: Operation | None) -> object:
    if operation is None:
        return None
    return operation._replace(compute_s=0.0, begin_ns=0, end_ns=0, ran="", site="", answer=None)


def _shown(operation: Operation | None) -> str:
    return "(the end)" if operation is None else _line(operation)
