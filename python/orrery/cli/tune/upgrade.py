# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune upgrade`: what another release of an MPI library changes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import NOTHING_KEPT, interrupted
from orrery.cli.files import OverwriteOption
from orrery.cli.outputs import by_ending
from orrery.cli.shown import show_json
from orrery.errors import Interrupt
from orrery.progress import progress
from orrery.published import json_of
from orrery.tune.settings import SIZES, UPGRADE_RANKS, UpgradeRequest
from orrery.verbs import setting

if TYPE_CHECKING:
    from orrery.comparison.selectors import SelectorSide
    from orrery.tune.upgrade import Upgrade

_HELP = """
Compare two releases of an MPI library: which calls run another algorithm, what each gains or loses, and cliffs.

Calls of a program (--for), or of all collectives, whose algorithm the second release changes are timed by both. A difference
below 2 %, or below the noise of the loop, is none; the range is that of 9 in 10 errors of earlier predictions. Cliffs are
neighbouring sizes, to the byte, or numbers of ranks, all up to the largest, where a release changes its algorithm and the time
more than doubles, or halves; of a program those near its calls.

\b
Examples:
  orrery tune upgrade openmpi-4.1:openmpi-5.0 --for heat.trace -p graphene
  orrery tune upgrade openmpi-4.1:openmpi-5.0 bcast -n 130 -p graphene
"""


@dataclass(frozen=True, kw_only=True)
class UpgradeOptions(UpgradeRequest):
    """Which releases are compared, and where the result goes."""

    output: Annotated[Path | None, setting("-o", "--output", metavar="FILE.json")] = None
    """Write all as JSON."""
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "tune upgrade",
        UpgradeOptions,
        _upgrade,
        help=_HELP,
        short_help="Say what another release of an MPI changes.",
    )


def _upgrade(_context: typer.Context, options: UpgradeOptions) -> int:
    from orrery.tune.upgrade import sides

    first, second = sides(options.releases)
    read = [path for path in (options.program, first.rules, second.rules) if path is not None]
    outputs = by_ending(
        None if options.output is None else [options.output], (".json",), overwrite=options.overwrite, read=read
    )
    found = _found(options, (first, second))
    if found.missing and not found.changes and not found.cliffs:
        raise Interrupt(NOTHING_KEPT)
    if options.as_json:
        show_json(found)
    else:
        from orrery.report.upgraded import text

        terminal.write(text(found), sys.stdout)
    for output in outputs.values():
        output.write(f"{json_of(found)}\n")
    if found.missing:
        return interrupted(
            f"{found.missing:,} calls and jumps were not timed; ask for fewer at once: COLLECTIVE, -n, -s"
        )
    return 0


def _found(options: UpgradeOptions, releases: tuple[SelectorSide, SelectorSide]) -> Upgrade:
    from orrery.tune.turns import CallTimer
    from orrery.tune.upgrade import UpgradeQuestion, upgrade
    from orrery.tune.uses import RecordedCalls, uses_of_calls

    program = None if options.program is None else RecordedCalls.of(options.program)
    laboratory = options.laboratory(program.mapping if program else "")
    turns = CallTimer(laboratory, releases)
    with turns.open(), progress() as advanced:
        if program is None:
            uses = uses_of_calls(options.kinds, options.ranks or UPGRADE_RANKS, options.sizes or SIZES, turns)
            question = UpgradeQuestion(uses=uses)
        else:
            uses, cautions = program.uses(laboratory)
            question = UpgradeQuestion(uses=uses, program=str(program.trace), cautions=cautions)
        return upgrade(question, turns, advanced)
