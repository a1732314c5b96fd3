# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask of a benchmark: which loops, where, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orrery.benchmark.cases import QUICK_SIZES, QUICK_TESTS, SIZES, TESTS, LoopCase, cases
from orrery.experiment.settings import AS_RECORDED, DEFAULT_MAPPING, SimulationSettings
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.verbs import budget, same, setting

if TYPE_CHECKING:
    from orrery.benchmark.real import RealLibrary
    from orrery.collective.laboratory import Laboratory

_QUICK_TURNS = 20
_TURNS = 1000
_REAL = {"mpirun": "acts not with {mpirun}, where nothing is simulated"}


@dataclass(frozen=True, kw_only=True)
class BenchmarkRequest:
    """What is timed, and where."""

    tests: Annotated[Sequence[str], setting(metavar="TEST...", kind="words")] = ()
    """Tests; by default all."""
    platform: Annotated[str, same(SimulationSettings, beside=_REAL)] = DEFAULT
    mpirun: Annotated[str | None, setting("--mpirun", metavar="COMMAND")] = None
    """A real cluster instead: what starts programs there, such as "mpirun -np {n} --hostfile hosts"."""
    mpicc: Annotated[str | None, setting("--mpicc", metavar="COMMAND", needs="mpirun")] = None
    """Compiler of that MPI; by default the one beside the launcher."""
    ranks: Annotated[str, setting("-n", "-np", "--ranks", metavar="N,...", kind="numbers")] = "4"
    """Numbers of ranks."""
    sizes: Annotated[
        str | None, setting("-s", "--size", metavar="BYTES,...", kind="numbers", values={"SIZES": SIZES})
    ] = None
    """Sizes; by default {SIZES}."""
    repetitions: Annotated[
        int | None, setting("--repetitions", metavar="N", least=1, values={"TURNS": f"{_TURNS:,}"})
    ] = None
    """Turns of a loop, at most; by default {TURNS}."""
    warm: Annotated[int, setting("--warm-up", metavar="N", least=0)] = 3
    """Turns before those that are timed."""
    budget: Annotated[str, setting("--budget", metavar="TIME", kind="text", needs="mpirun")] = "10min"
    """On a real cluster, for each number of ranks: 2min, 90s; a number: minutes."""
    quick: Annotated[bool, setting("--quick")] = False
    """The short form: latency and five collectives, six sizes, 20 turns."""
    model: Annotated[Model | None, same(SimulationSettings, beside=_REAL)] = None
    mapping: Annotated[str | None, same(SimulationSettings, beside=_REAL, shown_default=AS_RECORDED)] = None
    selector: Annotated[str, same(SimulationSettings, beside=_REAL)] = "default"
    coll: Annotated[str, same(SimulationSettings, beside=_REAL)] = ""
    rules: Annotated[Path | None, same(SimulationSettings, beside=_REAL)] = None
    seed: Annotated[int, same(SimulationSettings, beside=_REAL)] = 0
    force: Annotated[bool, same(SimulationSettings, beside=_REAL)] = False
    trace: Annotated[Path | None, setting("--for", metavar="TRACE")] = None
    """Trace of a program: say which of its collective calls would take less by sends, or by another algorithm."""
    keep: Annotated[Path | None, setting("--keep", metavar="FILE")] = None
    """Keep each loop here as soon as it is timed, and go on from those that are here."""

    @property
    def cases(self) -> list[LoopCase]:
        """The loops. Raises InputError for what is no test, number or size."""
        tests = self.tests or (QUICK_TESTS if self.quick else TESTS)
        return cases(tests, self.ranks, self.sizes or (QUICK_SIZES if self.quick else SIZES))

    @property
    def turns(self) -> int:
        """Turns of each loop, at most."""
        return self.repetitions or (_QUICK_TURNS if self.quick else _TURNS)

    @property
    def real(self) -> RealLibrary | None:
        """The real library; None: loops are simulated. Raises InputError for a budget that is none."""
        from orrery.benchmark.real import real_library

        if self.mpirun is None:
            return None
        return real_library(
            self.mpirun, self.mpicc, warm=self.warm, repetitions=self.turns, seconds=budget(self.budget)
        )

    def laboratory(self) -> Laboratory:
        """Return where loops are simulated. Raises InputError for a platform or a mapping that cannot be used."""
        from orrery.collective.laboratory import Laboratory
        from orrery.trace.collective_sums import recorded_mapping

        place = self.mapping or (recorded_mapping(self.trace) if self.trace else "") or DEFAULT_MAPPING
        return Laboratory(self.platform, self.model, place, seed=self.seed, force=self.force)
