# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace`, and its commands."""

from __future__ import annotations

import typer

from orrery.cli.command import add_group
from orrery.cli.trace import convert, diff, dump, importing, info, slicing

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


def add_to(app: typer.Typer) -> None:
    """Register the commands. Help names them in this order."""
    add_group(
        app,
        "trace",
        (info, dump, diff, slicing, convert, importing),
        help=_HELP,
        short_help="Look into traces, convert and import them.",
    )
