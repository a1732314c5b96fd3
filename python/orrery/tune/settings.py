# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask of tuning, of a discovery and of a comparison of two releases: three verbs, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from orrery.benchmark.settings import BenchmarkRequest
from orrery.experiment.settings import AS_RECORDED, DEFAULT_MAPPING, SimulationSettings
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.tune.library import LIBRARIES, TUNABLE
from orrery.verbs import budget, same, setting

if TYPE_CHECKING:
    from orrery.benchmark.real import RealLibrary
    from orrery.collective.laboratory import Laboratory

KINDS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
"""What is tuned where the user names nothing."""
SIZES = "4:1MiB"
RANKS = "4,8,16"
UPGRADE_RANKS = "16"
"""What two releases are compared on where the user names nothing."""
SHARE = 0.1
"""Share of the loops of a search without simulation that is measured at most."""
LEAST_GAIN = 0.05
"""Share of a call's time that a rule has to gain: less keeps the library's own choice."""
_CALLED = {"program": "chooses nothing with {program}, which says what is called"}


@dataclass(frozen=True, kw_only=True)
class CallsRequest:
    """Calls, and the platform on which they are simulated: what the three verbs have in common."""

    kinds: Annotated[
        Sequence[str], setting(metavar="COLLECTIVE...", kind="words", values={"KINDS": ", ".join(KINDS)})
    ] = ()
    """Collectives; by default {KINDS}."""
    platform: Annotated[str, same(SimulationSettings)] = DEFAULT
    ranks: Annotated[
        str | None, setting("-n", "-np", "--ranks", metavar="N,...", kind="numbers", values={"RANKS": RANKS})
    ] = None
    """Numbers of ranks of communicators, by default {RANKS}."""
    sizes: Annotated[
        str | None, setting("-s", "--size", metavar="BYTES,...", kind="numbers", values={"SIZES": SIZES})
    ] = None
    """Sizes, as `orrery collective` has them: of the vector, or of one block; by default {SIZES}."""
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=DEFAULT_MAPPING)] = None
    model: Annotated[Model | None, same(SimulationSettings)] = None
    seed: Annotated[int, same(SimulationSettings)] = 0
    force: Annotated[bool, same(SimulationSettings)] = False

    def laboratory(self, mapping: str = "") -> Laboratory:
        """Return where calls are simulated. `mapping`: of the program whose calls they are, where the user names none."""
        from orrery.collective.laboratory import Laboratory

        place = self.mapping or mapping or DEFAULT_MAPPING
        return Laboratory(self.platform, self.model, place, seed=self.seed, force=self.force)


@dataclass(frozen=True, kw_only=True)
class MeasuredRequest(CallsRequest):
    """Calls that are measured on a real library, too."""

    mpirun: Annotated[str | None, setting("--mpirun", metavar="COMMAND")] = None
    """What starts programs with the real library, such as "mpirun -np {n} --hostfile hosts"."""
    mpicc: Annotated[str | None, same(BenchmarkRequest)] = None
    share: Annotated[float, setting("--share", metavar="SHARE", least=0, most=1, needs="mpirun")] = SHARE
    """Share of the loops of a search without simulation that are measured at most."""
    rounds: Annotated[int, setting("--rounds", metavar="N", least=1, needs="mpirun")] = 3
    """How often each is measured, in turn with the others."""
    keep: Annotated[Path | None, same(BenchmarkRequest, metavar="FOLDER")] = None


@dataclass(frozen=True, kw_only=True)
class TuningRequest(MeasuredRequest):
    """What is tuned, and how."""

    kinds: Annotated[Sequence[str], same(CallsRequest, beside=_CALLED)] = ()
    library: Annotated[str | None, setting("--library", metavar="NAME", values={"TUNABLE": ", ".join(TUNABLE)})] = None
    """The library: {TUNABLE}. By default that of {mpirun}."""
    own_choices: Annotated[Path | None, setting("--own-choices", metavar="FILE")] = None
    """What the library chooses itself, where Orrery does not know that (intel-2021): rules that `orrery tune discover` has written."""
    ranks: Annotated[str | None, same(CallsRequest)] = None
    """Numbers of ranks of communicators, by default {RANKS}. Between two of them the rules for the number in the middle hold,
    which is only simulated. With {program}: of the program."""
    sizes: Annotated[str | None, same(CallsRequest, beside=_CALLED)] = None
    program: Annotated[str | None, setting("--for", metavar="TRACE|PROGRAM", kind="file")] = None
    """Tune only what this calls, weighted by the time in it, as its ranks arrive: a trace, or with {ranks} a program, which is
    run first."""
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=AS_RECORDED)] = None
    mpirun: Annotated[str | None, same(MeasuredRequest)] = None
    """Measure what the simulation cannot decide, on the real library: what starts programs with it, such as
    "mpirun -np {n} --hostfile hosts"."""
    own: Annotated[bool, setting("--own/--no-own")] = True
    """Say where an algorithm of Orrery's own, which `orrery deploy` would run, is quicker by more than 10 % than all of the library's."""
    any_operation: Annotated[bool, setting("--any-operation")] = False
    """Leave out algorithms of Open MPI that give wrong results for operations that do not commute (MPI_Op_create with commute 0), which
    its rules cannot tell apart. With {program} that has such operations they are always left out."""
    check: Annotated[bool, setting("--check", needs="mpirun")] = False
    """Compare the rules with the library as it is on the real cluster, in turn, and take out those whose gains do not hold."""
    check_program: Annotated[str | None, setting("--program", metavar="COMMAND", needs="check")] = None
    """With {check}: compare the wall time of this program, too, on the largest number of ranks."""
    least_gain: Annotated[float, setting("--least-gain", metavar="SHARE", least=0)] = LEAST_GAIN
    """Gains of less keep the library's own choice."""
    budget_s: Annotated[float | None, setting("--budget", metavar="TIME", least=1, read=budget)] = None
    """Simulate for so long at most, 2min, 90s, or a number of minutes (in Python seconds, a number). What is left then keeps the library's own choice."""

    @property
    def real(self) -> RealLibrary | None:
        """The real library; None: nothing is measured."""
        from orrery.benchmark.real import real_library

        return None if self.mpirun is None else real_library(self.mpirun, self.mpicc)


@dataclass(frozen=True, kw_only=True)
class DiscoveryRequest(MeasuredRequest):
    """Whose choices are found out, and how."""

    library: Annotated[str | None, setting("--library", metavar="NAME", values={"LIBRARIES": ", ".join(LIBRARIES)})] = (
        None
    )
    """The library whose algorithms it may have, any of {LIBRARIES}; by default all of them."""
    mpirun: Annotated[str, same(MeasuredRequest)] = field()

    @property
    def real(self) -> RealLibrary:
        """The real library."""
        from orrery.benchmark.real import real_library

        return real_library(self.mpirun, self.mpicc)


@dataclass(frozen=True, kw_only=True)
class UpgradeRequest(CallsRequest):
    """Which releases are compared, and for which calls."""

    releases: Annotated[str, setting(metavar="OLD:NEW")]
    """Two releases, such as openmpi-4.1:openmpi-5.0, or files of their rules."""
    kinds: Annotated[Sequence[str], setting(metavar="[COLLECTIVE...]", kind="words", beside=_CALLED)] = ()
    """Collectives; by default all."""
    ranks: Annotated[str | None, same(CallsRequest, beside=_CALLED, values={"RANKS": UPGRADE_RANKS})] = None
    sizes: Annotated[str | None, same(CallsRequest, beside=_CALLED, values={"SIZES": SIZES})] = None
    program: Annotated[Path | None, setting("--for", metavar="TRACE")] = None
    """Compare the calls of this program, by its trace, with what they are worth in its run."""
    mapping: Annotated[str | None, same(SimulationSettings, shown_default=AS_RECORDED)] = None
