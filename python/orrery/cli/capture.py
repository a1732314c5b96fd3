# SPDX-License-Identifier: BSD-3-Clause
"""`orrery capture`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.replaced import check_words
from orrery.cli.said import refuse_all
from orrery.errors import InputError
from orrery.marks import mark_json
from orrery.output import checked

if TYPE_CHECKING:
    from orrery.capture.session import Captured

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
  orrery capture --mpicc mpicc.mpich -- srun -n 64 ./cg      where the launcher does not tell which MPI it is
  orrery profile cg.trace                                    where the time went, who sent how much to whom
  orrery replay cg.trace --platform graphene                 the same on another machine
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    settings = {"allow_interspersed_args": False}
    app.command(
        "capture", help=_HELP, short_help="Trace a program that runs on a real MPI.", context_settings=settings
    )(_capture)


def _capture(
    context: typer.Context,
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="What starts the program.", show_default=False)
    ] = None,
    *,
    output: Annotated[Path, output_option("The trace to write.")] = Path("capture.trace"),
    overwrite: OverwriteOption = False,
    mpicc: Annotated[
        str | None,
        typer.Option(
            "--mpicc", metavar="COMMAND", help="Compiler of your MPI; by default the one that lies beside mpirun."
        ),
    ] = None,
    parts: Annotated[
        Path | None,
        typer.Option(
            "--parts",
            metavar="FOLDER",
            help="Run nothing: put together what ranks wrote there, as an earlier capture left it.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print what was captured as JSON; the program's output goes to standard error."),
    ] = False,
) -> int:
    from orrery.capture.session import CaptureSettings, capture

    if bool(command) == (parts is not None):
        raise InputError(
            "expected either -- and what starts the program, such as -- mpirun -n 4 ./cg, or --parts FOLDER"
        )
    if as_json and command and (old := check_words("capture", "--json", command[0])):
        raise InputError(old)
    if parts is not None:
        refuse_all(context, ["mpicc"], "acts only on a program that runs, not with --parts")
    out = checked(output, overwrite=overwrite)
    if out.is_standard_output:
        raise InputError("-o -: standard output is the program's; name a file")
    settings = CaptureSettings(command=command or [], output=out, mpicc=mpicc, parts=parts, output_aside=as_json)
    captured = capture(settings, _say)
    sys.stderr.write(_report(captured))
    if as_json:
        typer.echo(json.dumps(mark_json(asdict(captured)), indent=1))
    return captured.exit_code


def _say(text: str) -> None:
    sys.stderr.write(f"orrery: {text}\n")
    sys.stderr.flush()


def _report(captured: Captured) -> str:
    from orrery.units import show_bytes

    lines = [
        f"{captured.trace}: {captured.ranks:,} ranks, {captured.operations:,} operations, {show_bytes(captured.bytes)}"
    ]
    if captured.cut_off:
        lines.append(f"did not come to MPI_Finalize: {_ranks(captured.cut_off)}; what they did until then is there")
    if captured.missing:
        lines.append(f"left nothing: {_ranks(captured.missing)}")
    if captured.spawned:
        lines.append(f"{captured.spawned:,} spawned processes are not captured")
    lines += captured.damage
    return "".join(f"orrery: {line}\n" for line in lines)


def _ranks(ranks: list[int]) -> str:
    most = 12
    named = ", ".join(str(rank) for rank in ranks[:most])
    more = f" and {len(ranks) - most:,} more" if len(ranks) > most else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {named}{more}"
