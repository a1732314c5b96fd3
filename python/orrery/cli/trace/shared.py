# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of `orrery trace` have in common."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from orrery import _core, published, terminal
from orrery.errors import InputError
from orrery.left_out import Omissions
from orrery.output import Output, checked
from orrery.units import whole_number

TraceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="TRACE",
        help="Trace of `orrery capture` or `orrery run -o FILE.trace`, or one of DUMPI's, Paraver's or OTF2's.",
    ),
]
OnlyOption = Annotated[
    str | None, typer.Option("--only", metavar="RANKS", help='Only what these ranks did, such as "0-3,7".')
]
ReportOption = Annotated[bool, typer.Option("--json", help="Say what came of it as JSON.")]
LossyOption = Annotated[bool, typer.Option("--lossy", help="Leave out what the other format has no word for.")]


def opened(trace: Path) -> tuple[_core.TraceFile, int]:
    """A trace of any tool's, and the exit code of a command that reads it: 1 where it is not complete.

    The error stream says first that it is not, then what else could not be read or imported of it.
    """
    from orrery.trace.imports.own import as_own

    with as_own(trace) as own:
        file = _core.TraceFile(str(own.path))
        damage = own.damage(file)
    say_incomplete(trace, damage)
    _say(trace, (*own.left_out.lines, *damage[1:]))
    return file, exit_code_of(damage)


def say_incomplete(trace: Path, damage: Sequence[str]) -> None:
    """A line on the error stream for a trace that is not complete, with the first of its reasons."""
    if damage:
        why = damage[0].removeprefix(f"{trace}: ")
        terminal.write(f"orrery: {trace} is not complete: {why}\n", sys.stderr)


def exit_code_of(damage: Sequence[str]) -> int:
    """That of a command which did what it could with a trace of which this could not be read."""
    return 1 if damage else 0


def chosen_ranks(text: str | None, streams: int) -> list[int]:
    """Ranks of "0-3,7". Raises InputError for what is none."""
    if text is None:
        return list(range(streams))
    chosen: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = whole_number(first), whole_number(last or first)
        if begin is None or end is None:
            raise InputError(f'--only "{text}": expected ranks and ranges such as 0-3,7')
        if end >= streams:
            raise InputError(f'--only "{text}": the trace has ranks 0 to {streams - 1}')
        chosen += range(begin, end + 1)
    if not chosen:
        raise InputError(f'--only "{text}": the trace has ranks 0 to {streams - 1}')
    return chosen


def checked_place(output: Path, trace: Path, *, overwrite: bool, as_json: bool) -> Output:
    """The place to write. Raises InputError where it cannot be, or both it and --json want standard output."""
    out = checked(output, overwrite=overwrite, read=[trace])
    if out.is_standard_output and as_json:
        raise InputError("-o - and --json: both are for standard output; name a file")
    return out


def report_left_out(
    left_out: Omissions,
    damage: Sequence[str],
    trace: Path,
    *,
    as_json: bool,
    cautions: Sequence[str] | None = None,
    **more: object,
) -> None:
    """Say what came of a conversion: as JSON on standard output, or in lines on the error stream.

    That the trace is not complete stands first on the error stream, in any case.
    """
    say_incomplete(trace, damage)
    if as_json:
        asked = {} if cautions is None else {"cautions": list(cautions)}
        terminal.line(json.dumps({**more, **published.as_json(left_out), "damage": list(damage), **asked}))
        return
    _say(trace, (*left_out.lines, *damage[1:], *(cautions or ())))


def _say(trace: Path, notes: Iterable[str]) -> None:
    """On the error stream, each with the name of the trace."""
    for note in notes:
        terminal.write(f"orrery: {note}\n" if str(trace) in note else f"orrery: {trace}: {note}\n", sys.stderr)
