# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune`: settings that make collective calls of a real MPI quicker."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import NOTHING_KEPT, interrupted
from orrery.cli.files import OverwriteOption
from orrery.cli.said import say
from orrery.cli.shown import show_json
from orrery.errors import Interrupt
from orrery.progress import progress
from orrery.tune.settings import TuningRequest
from orrery.verbs import setting

if TYPE_CHECKING:
    from orrery.benchmark.real import RealLibrary
    from orrery.tune.results import WrittenRules
    from orrery.tune.seen import RulesObservation
    from orrery.tune.session import TuningResult

_HELP = """
Find settings that make collective calls of a real MPI quicker on a cluster, and write them as files that it loads.

For each collective, number of ranks and size, all algorithms that the library's settings can name are simulated on the
platform, with several segment sizes, radices and fan-outs: in a loop with a barrier after each call, as programs have it.
Where none is quicker than the library's own choice by more than noise, that stays. The rest becomes few rules.

With --mpirun, the loops that the simulation cannot decide are measured on the real library, the most worthwhile first, and
at most a tenth of what a search without simulation would measure; simulated times of the same algorithms are corrected. With
--check, the rules are compared with the library as it is, in turn, and what does not hold is taken out again.

With --for, only what a program calls is tuned. Its trace is replayed with algorithms that are close, since ranks that come late
change which one is quickest, and in the end with all rules: so much quicker would the program be.

`orrery tune discover` infers what an MPI chooses itself that nobody knows; `orrery tune upgrade` says what another release
of a library changes.

The files are read back when they are written. With --mpirun they are also loaded in small jobs on the real library, and
what its calls then send shows that each rule takes effect; one that does not is an error.

Ctrl-C writes the rules of what is there by then; with --keep FOLDER the same command goes on from it.

\b
Examples:
  orrery tune --library openmpi-4.1 --platform mine.toml -n 4,8,16 -o tuned
  orrery tune bcast allreduce --library mpich-5.0 --platform graphene -n 64 -s 1KiB:1MiB
  orrery tune --library openmpi-5.0 --platform mine.toml --for ft.trace -o tuned
  orrery tune --platform mine.toml --mpirun "mpirun -np {n} --hostfile hosts" --keep times --check -o tuned
  orrery tune --library intel-2021 --own-choices found/selector-rules.toml --platform mine.toml -o tuned
"""


@dataclass(frozen=True, kw_only=True)
class TuneOptions(TuningRequest):
    """What is tuned, and where the rules go."""

    output: Annotated[Path | None, setting("-o", "--output", metavar="FOLDER")] = None
    """Write the files that the library loads there."""
    overwrite: OverwriteOption = False
    see: Annotated[bool, setting("--see/--no-see", needs=("mpirun", "output"))] = True
    """Load the files in small jobs on the real library, and see that each rule takes effect, in the messages of calls."""
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "tune", TuneOptions, _tune, help=_HELP, short_help="Find settings that make a real MPI quicker.")


def _tune(_context: typer.Context, options: TuneOptions) -> int:
    from orrery.tune.files import check_place
    from orrery.tune.request import tuned, written
    from orrery.tune.results import WrittenRules

    if options.output is not None:
        check_place(options.output, overwrite=options.overwrite)
    with progress() as advanced:
        tuning = tuned(options, say, advanced)
    if not tuning.cells:
        raise Interrupt(NOTHING_KEPT)
    done = WrittenRules() if options.output is None else written(tuning, options.output, overwrite=options.overwrite)
    try:
        if options.real is not None and options.output is not None and options.see:
            done = replace(done, seen=_see(tuning, options.output, options.real))
    finally:
        _print(tuning, done, options)
    return _ended(tuning, options) if tuning.missing else 0


def _see(tuning: TuningResult, folder: Path, real: RealLibrary) -> RulesObservation:
    from orrery.tune.seen import see

    say("looking at whether the real library does what the files say")
    with progress() as advanced:
        return see(tuning.tuned, folder, real, say, advanced)


def _print(tuning: TuningResult, written: WrittenRules, options: TuneOptions) -> None:
    from orrery.report.tuned import text
    from orrery.tune.results import TuningReport

    if options.as_json:
        show_json(TuningReport(tuning, written))
    else:
        terminal.write(text(tuning, written), sys.stdout)


def _ended(tuning: TuningResult, options: TuneOptions) -> int:
    whole = len(tuning.cells) + len(tuning.missing)
    cure = "the same command goes on from there" if options.keep else "--keep FOLDER would keep what is there"
    return interrupted(f"{len(tuning.cells)} of {whole} cells are there; {cure}")
