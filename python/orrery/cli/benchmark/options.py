# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery benchmark` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.benchmark.cases import QUICK_SIZES, QUICK_TESTS, SIZES, TESTS
from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.experiment.settings import AS_RECORDED, SimulationSettings
from orrery.platform.model import Model
from orrery.verbs import same

_QUICK_REPETITIONS = 20
_REPETITIONS = 1000


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions:
    """What is timed, and where."""

    tests: Annotated[list[str] | None, typer.Argument(metavar="TEST...")] = None
    """Tests; by default all."""
    platform: Annotated[str, same(SimulationSettings)] = "default"
    mpirun: Annotated[str | None, typer.Option("--mpirun", metavar="COMMAND")] = None
    """A real cluster instead: what starts programs there, such as "mpirun -np {n} --hostfile hosts"."""
    mpicc: Annotated[str | None, typer.Option("--mpicc", metavar="COMMAND")] = None
    """Compiler of that MPI; by default the one beside the launcher."""
    ranks: Annotated[str, typer.Option("-n", "-np", "--ranks", metavar="N,...")] = "4"
    """Numbers of ranks."""
    sizes: Annotated[
        str | None, typer.Option("-s", "--size", metavar="BYTES,...", help=f"Sizes; by default {SIZES}.")
    ] = None
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions", metavar="N", min=1, help=f"Turns of a loop, at most; by default {_REPETITIONS:,}."
        ),
    ] = None
    warm: Annotated[int, typer.Option("--warm-up", metavar="N", min=0)] = 3
    """Turns before those that are timed."""
    budget: Annotated[str, typer.Option("--budget", metavar="TIME")] = "10min"
    """On a real cluster, for each number of ranks: 2min, 90s; a number: minutes."""
    quick: Annotated[bool, typer.Option("--quick")] = False
    """The short form: latency and five collectives, six sizes, 20 turns."""
    model: Annotated[Model | None, same(SimulationSettings)] = None
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=AS_RECORDED)] = None
    selector: Annotated[str, same(SimulationSettings)] = "default"
    coll: Annotated[str, same(SimulationSettings)] = ""
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False
    trace: Annotated[Path | None, typer.Option("--for", metavar="TRACE")] = None
    """Trace of a program: say which of its collective calls would take less by sends, or by another algorithm."""
    keep: Annotated[Path | None, typer.Option("--keep", metavar="FILE")] = None
    """Keep each loop here as soon as it is timed, and go on from those that are here."""
    output: Annotated[
        list[Path] | None,
        output_option("What to write, by its ending: all loops (FILE.json, FILE.csv); may be repeated."),
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""

    @property
    def wanted_tests(self) -> tuple[str, ...]:
        """Those that were named; else all, or those of the short form."""
        return tuple(self.tests or (QUICK_TESTS if self.quick else TESTS))

    @property
    def wanted_sizes(self) -> str:
        """As `byte_sizes` takes them."""
        return self.sizes or (QUICK_SIZES if self.quick else SIZES)

    @property
    def most_turns(self) -> int:
        """Turns of each loop, at most."""
        return self.repetitions or (_QUICK_REPETITIONS if self.quick else _REPETITIONS)
