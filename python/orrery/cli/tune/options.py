# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery tune` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption
from orrery.cli.options import option
from orrery.cli.simulating import ForceOption, ModelOption, RecordedMapping, SeedOption
from orrery.experiment.settings import SimulationSettings
from orrery.tune.library import LIBRARIES, TUNABLE
from orrery.tune.session import KINDS, RANKS, SIZES


@dataclass(frozen=True, kw_only=True)
class TuneOptions:
    """What is tuned, and how."""

    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="COLLECTIVE...", help=f"Collectives; by default {', '.join(KINDS)}.")
    ] = None
    upgrade: Annotated[str | None, typer.Option("--upgrade", metavar="OLD:NEW")] = None
    """Tune nothing, but compare two releases, such as openmpi-4.1:openmpi-5.0: which calls change, what each gains or loses, and cliffs."""
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="NAME",
            help=f"The library: {', '.join(TUNABLE)}. By default that of --mpirun; with --discover it may be any of {', '.join(LIBRARIES)}.",
        ),
    ] = None
    own_choices: Annotated[Path | None, typer.Option("--own-choices", metavar="FILE")] = None
    """What the library chooses itself, where Orrery does not know that (intel-2021): rules that --discover has written."""
    platform: Annotated[str, option(SimulationSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = (
        "default"
    )
    ranks: Annotated[
        str | None,
        typer.Option(
            "-n",
            "-np",
            "--ranks",
            metavar="N,...",
            help=f"Numbers of ranks of communicators, by default {RANKS}. Between two of them the rules for the number in the middle hold, which is only simulated. With --for: of the program.",
        ),
    ] = None
    sizes: Annotated[
        str | None,
        typer.Option(
            "-s",
            "--size",
            metavar="BYTES,...",
            help=f"Sizes, as `orrery collective` has them: of the vector, or of one block; by default {SIZES}.",
        ),
    ] = None
    source: Annotated[str | None, typer.Option("--for", metavar="TRACE|PROGRAM")] = None
    """Tune only what this calls, weighted by the time in it, as its ranks arrive: a trace, or with -n a program, which is run first."""
    discover: Annotated[bool, typer.Option("--discover")] = False
    """Find out what the MPI of --mpirun, any MPI, chooses itself, from times alone; tune nothing."""
    mapping: RecordedMapping = None
    mpirun: Annotated[str | None, typer.Option("--mpirun", metavar="COMMAND")] = None
    """Measure what the simulation cannot decide, on the real library: what starts programs with it, such as
    "mpirun -np {n} --hostfile hosts"."""
    mpicc: Annotated[str | None, typer.Option("--mpicc", metavar="COMMAND")] = None
    """Compiler of that MPI; by default the one beside the launcher."""
    share: Annotated[float, typer.Option("--share", metavar="SHARE", min=0.0, max=1.0)] = 0.1
    """Share of the loops of a search without simulation that are measured at most."""
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", min=1)] = 3
    """How often each is measured, in turn with the others."""
    others: Annotated[bool, typer.Option("--own/--no-own")] = True
    """Say where an algorithm of Orrery's own, which `orrery deploy` would run, is quicker by more than 10 % than all of the library's."""
    any_operation: Annotated[bool, typer.Option("--any-operation")] = False
    """Leave out algorithms of Open MPI that give wrong results for operations that do not commute (MPI_Op_create with commute 0), which
    its rules cannot tell apart. With --for a program that has such operations they are always left out."""
    check: Annotated[bool, typer.Option("--check")] = False
    """Compare the rules with the library as it is on the real cluster, in turn, and take out those whose gains do not hold."""
    program: Annotated[str | None, typer.Option("--program", metavar="COMMAND")] = None
    """With --check: compare the wall time of this program, too, on the largest number of ranks."""
    least_gain: Annotated[float, typer.Option("--least-gain", metavar="SHARE", min=0.0)] = 0.05
    """Gains of less keep the library's own choice."""
    budget: Annotated[str | None, typer.Option("--budget", metavar="TIME")] = None
    """Simulate for so long at most: 2min, 90s; a number: minutes. What is left then keeps the library's own choice."""
    keep: Annotated[Path | None, typer.Option("--keep", metavar="FOLDER")] = None
    """Keep each loop here as soon as it is timed, and go on from those that are here."""
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Write the files that the library loads there; with --upgrade all as JSON to FILE.json.",
        ),
    ] = None
    overwrite: OverwriteOption = False
    see: Annotated[
        bool,
        typer.Option(
            "--see/--no-see",
            help="Load the files in small jobs on the real library, and see that each rule takes effect, in the messages of calls.",
        ),
    ] = True
    model: ModelOption = None
    seed: SeedOption = 0
    force: ForceOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""
