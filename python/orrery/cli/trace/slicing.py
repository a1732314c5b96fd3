# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace slice`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from orrery import _core, terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.trace.shared import OnlyOption, ReportOption, TraceArgument, checked_place, chosen_ranks, opened
from orrery.errors import InputError

_HELP = """
Write what some ranks did, in some time, as a trace of its own.

Times are those of the trace: seconds since the start of the run, when calls began. Ranks keep their
numbers. Messages and collective calls that reach outside are left out, with the waits for them; what
was computed is kept. So a slice can be replayed; where it cannot, that is said.

Exit code: 0; 1 when the trace is not complete, which the first line says: what is left of it is cut.

\b
Examples:
  orrery trace slice cg.trace -o loop.trace --from 1.5 --to 2
  orrery trace slice cg.trace -o corner.trace --only 0-3,8
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("slice", help=_HELP)(_slice)


def _slice(
    trace: TraceArgument,
    *,
    output: Annotated[Path, output_option("The trace to write; - is standard output.")],
    only: OnlyOption = None,
    from_s: Annotated[
        float | None, typer.Option("--from", metavar="SECONDS", help="Calls that began from here on.")
    ] = None,
    to_s: Annotated[float | None, typer.Option("--to", metavar="SECONDS", help="Calls that began before.")] = None,
    overwrite: OverwriteOption = False,
    as_json: ReportOption = False,
) -> int:
    if from_s is not None and to_s is not None and not from_s < to_s:
        raise InputError(f"--from {from_s:g} --to {to_s:g}: there is no time between them")
    out = checked_place(output, trace, overwrite=overwrite, as_json=as_json)
    file, exit_code = opened(trace)
    chosen = [] if only is None else sorted(set(chosen_ranks(only, file.streams)))
    with out.partial() as partial:
        sliced = _core.slice_trace(file, str(partial), chosen, from_s, to_s)
    if as_json:
        names = ("operations", "messages_left_out", "collectives_left_out", "obstacles")
        terminal.line(json.dumps({name: getattr(sliced, name) for name in names}))
        return exit_code
    terminal.line(
        f"{sliced.operations:,} operations; left out, as they reach outside: {sliced.messages_left_out:,} sends and "
        f"receives, {sliced.collectives_left_out:,} calls of collectives",
        error=out.is_standard_output,
    )
    for obstacle in sliced.obstacles:
        terminal.line(f"cannot be replayed: {obstacle}", error=out.is_standard_output)
    return exit_code
