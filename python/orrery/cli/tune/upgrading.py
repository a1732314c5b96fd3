# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune --upgrade`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from orrery import terminal
from orrery.cli.ending import NOTHING_KEPT, interrupted
from orrery.cli.outputs import by_ending
from orrery.cli.said import refuse_all, refuse_without
from orrery.cli.tune.options import TuneOptions
from orrery.errors import Interrupt
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.marks import mark_json
from orrery.progress import progress

if TYPE_CHECKING:
    from orrery.comparison.selectors import SelectorSide
    from orrery.tune.upgrade import Upgrade

_OF_TUNING = (
    "library",
    "own_choices",
    "mpirun",
    "mpicc",
    "share",
    "rounds",
    "others",
    "check",
    "program",
    "least_gain",
    "any_operation",
    "budget",
    "keep",
)
_OF_CALLS = ("kinds", "ranks", "sizes")
_RANKS = "16"
_SIZES = "4:1MiB"


def upgrade_asked(context: typer.Context, releases: str, options: TuneOptions) -> int:
    """Compare two releases, print and write what comes of it, and give the exit code."""
    from orrery.tune.upgrade import sides

    refuse_all(context, _OF_TUNING, "acts not with --upgrade, which tunes nothing")
    refuse_without(context, {"overwrite": "-o"}, there={"-o": options.output is not None})
    if options.source is not None:
        refuse_all(context, _OF_CALLS, "acts not with --upgrade --for TRACE, which says what is called")
    first, second = sides(releases)
    read = [Path(path) for path in (options.source, first.rules, second.rules) if path is not None]
    outputs = by_ending(
        None if options.output is None else [options.output], (".json",), overwrite=options.overwrite, read=read
    )
    found = _found(options, (first, second))
    if found.missing and not found.changes and not found.cliffs:
        raise Interrupt(NOTHING_KEPT)
    if options.as_json:
        terminal.line(_as_json(found))
    else:
        from orrery.report.upgraded import text

        terminal.write(text(found), sys.stdout)
    for output in outputs.values():
        output.write(_as_json(found) + "\n")
    if found.missing:
        return interrupted(
            f"{found.missing:,} calls and jumps were not timed; ask for fewer at once: COLLECTIVE, -n, -s"
        )
    return 0


def _found(options: TuneOptions, releases: tuple[SelectorSide, SelectorSide]) -> Upgrade:
    from orrery.collective.laboratory import Laboratory
    from orrery.tune.turns import CallTimer
    from orrery.tune.upgrade import UpgradeQuestion, upgrade
    from orrery.tune.uses import RecordedCalls, uses_of_calls

    program = None if options.source is None else RecordedCalls.of(Path(options.source))
    mapping = options.mapping or (program.mapping if program else "") or DEFAULT_MAPPING
    laboratory = Laboratory(options.platform, options.model, mapping, seed=options.seed, force=options.force)
    turns = CallTimer(laboratory, releases)
    with turns.open(), progress() as advanced:
        if program is None:
            uses = uses_of_calls(options.kinds or (), options.ranks or _RANKS, options.sizes or _SIZES, turns)
            question = UpgradeQuestion(uses=uses)
        else:
            uses, cautions = program.uses(laboratory)
            question = UpgradeQuestion(uses=uses, program=str(program.trace), cautions=cautions)
        return upgrade(question, turns, advanced)


def _as_json(found: Upgrade) -> str:
    from orrery.report.upgraded import as_json

    return json.dumps(mark_json(dict(as_json(found))), indent=1)
