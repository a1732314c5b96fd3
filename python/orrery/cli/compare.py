# SPDX-License-Identifier: BSD-3-Clause
"""`orrery compare`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, ReportOption

_HELP = """
Compare two records of `orrery run` or `orrery replay`, and say whether their difference is more than noise.

The first line says it: how much faster or slower the second is, or that the difference is within noise, and what that
rests on. Computation is measured on this host, and no two runs are equal: two runs of one program differ by what the host
did besides. So a difference counts only between replays of one trace, where computation is common, or between runs that
were repeated (--repeat 6), where their intervals have no time in common. On a platform with noise, replays are compared
draw by draw (--replicas 20 for both). Routines whose difference is within noise are marked.

\b
Examples:
  orrery run -n 64 -o cg.trace ./cg
  orrery replay cg.trace -o as-it-is.json
  orrery replay cg.trace --coll allreduce=ring -o ring.json
  orrery compare as-it-is.json ring.json
  orrery compare as-it-is.json ring.json --report ring.html

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
    report: ReportOption = None,
    overwrite: OverwriteOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON; in seconds.")] = False,
) -> None:
    from orrery.cli.outputs import report_output
    from orrery.record.comparison import compare
    from orrery.record.document import read
    from orrery.report.comparison import describe

    place = report_output(report, overwrite=overwrite, read=[first, second])
    records, names = (read(first), read(second)), (str(first), str(second))
    found = compare(*records)
    if as_json:
        import json

        from orrery.marks import mark_json

        typer.echo(json.dumps(mark_json(found.as_json()), indent=1))
    else:
        terminal.write(describe(found, names), sys.stdout)
    if place is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.comparison import page_of_comparison

        write_page(page_of_comparison(found, records, names), place)
