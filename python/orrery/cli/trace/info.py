# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace info`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.shown import show_json
from orrery.cli.trace.shared import TraceArgument


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("info")(_info)


def _info(
    trace: TraceArgument,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Say where a trace comes from, what is in it, and whether it is whole. Exit code 1: it is damaged."""
    from orrery.report.contents import text
    from orrery.trace.contents import contents_of

    found = contents_of(trace)
    if as_json:
        show_json(found)
    else:
        terminal.write(text(found), sys.stdout)
    return 1 if found.damage else 0
