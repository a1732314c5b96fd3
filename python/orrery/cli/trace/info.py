# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace info`."""

from __future__ import annotations

from typing import Annotated

import typer

from orrery.cli.shown import show
from orrery.cli.trace.shared import TraceArgument


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("info")(_info)


def _info(
    trace: TraceArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Say where a trace comes from, what is in it, and whether it is whole.

    Exit code 1: it is damaged, or calls of a rank end before MPI_Finalize. The first lines then say what is wrong.
    """
    from orrery.report.contents import text
    from orrery.trace.contents import contents_of

    found = contents_of(trace)
    show(found, text, as_json=as_json)
    return 1 if found.damage else 0
