# SPDX-License-Identifier: BSD-3-Clause
"""`orrery prefix`."""

from __future__ import annotations

import typer

from orrery import terminal

_HELP = """
Print the folder that holds bin, include and lib of Orrery's MPI.

\b
Examples:
  $(orrery prefix)/bin/mpicc -O2 ring.c -o ring
  cmake -DMPI_HOME=$(orrery prefix) ...
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("prefix", help=_HELP, short_help="Print the folder of Orrery's MPI.")(_prefix)


def _prefix() -> None:
    from orrery.run.prefix import prefix

    terminal.hand_on(f"{prefix()}\n")
