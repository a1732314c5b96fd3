# SPDX-License-Identifier: BSD-3-Clause
"""`orrery compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal

_HELP = """
Compare two records of `orrery run` or `orrery replay`, and say whether their difference is more than noise.

Computation is measured on this host, and no two runs are equal: two runs of one program differ by what the host did
besides. So a difference counts only between replays of one trace, where computation is common, or between runs that
were repeated (--repeat 6), where their intervals have no time in common.

\b
Examples:
  orrery run -n 64 -o cg.trace ./cg
  orrery replay cg.trace -o as-it-is.json
  orrery replay cg.trace --coll allreduce=ring -o ring.json
  orrery compare as-it-is.json ring.json

\b
  orrery run -n 64 --repeat 6 -o old.json ./cg-old
  orrery run -n 64 --repeat 6 -o new.json ./cg-new
  orrery compare old.json new.json --json
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("compare", help=_HELP, short_help="Say whether two simulated times differ by more than noise.")(
        _compare
    )


def _compare(
    first: Annotated[Path, typer.Argument(metavar="RUN.json", help="Record, as `-o RUN.json` wrote it.")],
    second: Annotated[Path, typer.Argument(metavar="OTHER.json", help="Another.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON; in seconds.")] = False,
) -> None:
    from orrery.record.comparison import compare
    from orrery.record.document import read
    from orrery.report.comparison import describe

    found = compare(read(first), read(second))
    if as_json:
        import json

        from orrery.marks import mark_json

        typer.echo(json.dumps(mark_json(found.as_json()), indent=1))
    else:
        terminal.write(describe(found, (str(first), str(second))), sys.stdout)
