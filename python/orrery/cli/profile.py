# SPDX-License-Identifier: BSD-3-Clause
"""`orrery profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_HELP = """
Show where simulated time went in the last run, or in a record that `orrery run --json` wrote.

The table is that of TAU's pprof: time in each routine without (exclusive) and with (inclusive) what it
calls, summed over all ranks; `.application` is the program itself, its #Subrs are its MPI calls.

\b
Examples:
  orrery profile                        the last run
  orrery profile run.json --per-rank    a table for each rank
  orrery profile --json                 rows for a script; times in seconds
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("profile", help=_HELP, short_help="Show where simulated time went.")(_profile)


def _profile(
    record_file: Annotated[
        Path | None, typer.Argument(metavar="RUN.json", help="Record of a run; by default the last one.")
    ] = None,
    *,
    per_rank: Annotated[bool, typer.Option("--per-rank", help="A table for each rank.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Rows as JSON.")] = False,
) -> None:
    from orrery.report.algorithms import algorithm_table
    from orrery.report.summary import summary
    from orrery.report.table import per_rank_tables, profile_table
    from orrery.run.record import read, to_json

    record = read(record_file)
    if as_json:
        chosen = record.profile.per_rank if per_rank else record.profile.summed
        typer.echo(to_json(chosen, indent=1))
        return
    typer.echo(" ".join(record.command))
    typer.echo(summary(record))
    typer.echo(per_rank_tables(record.profile.per_rank) if per_rank else profile_table(record.profile.summed), nl=False)
    if record.algorithms:
        typer.echo(f"\n{algorithm_table(record.algorithms)}", nl=False)
    if record.cause:
        typer.echo(f"\nthe run failed: {record.cause}")
