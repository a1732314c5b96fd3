# SPDX-License-Identifier: BSD-3-Clause
"""What a user asks of a tuning, in the words of the command line, and how it is done: for that, and for Python."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.real import RealLibrary
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.platform.model import Model
from orrery.platform.trusted import said_once
from orrery.real_mpi.starter import mpicc_of
from orrery.run.once import trace_of_run
from orrery.trace.collective_sums import recorded_mapping
from orrery.tune.check import CheckSettings
from orrery.tune.choose import LEAST_GAIN
from orrery.tune.files import files_of, loading, write
from orrery.tune.library import TUNABLE, Library, library, library_of
from orrery.tune.measuring import MeasuredLibrary
from orrery.tune.offers import FILE
from orrery.tune.program import TunedProgram
from orrery.tune.readback import check as check_files
from orrery.tune.results import WrittenRules
from orrery.tune.session import KINDS, RANKS, SIZES, Advanced, TuningResult, TuningSettings, cases_of, tune
from orrery.tune.unsure import SHARE

_LEAST_ROUNDS = 3
"""Rounds of a check at least, however few a measurement has."""


@dataclass(frozen=True, kw_only=True)
class TuningRequest:
    """What is tuned, and how; fields are explained at the options of `orrery tune`."""

    kinds: Sequence[str] = ()
    library: str | None = None
    own_choices: Path | None = None
    platform: str = "default"
    ranks: str | None = None
    sizes: str | None = None
    source: str | None = None
    mapping: str | None = None
    """None: as the trace of a program was recorded, or DEFAULT_MAPPING."""
    mpirun: str | None = None
    mpicc: str | None = None
    share: float = SHARE
    rounds: int = 3
    others: bool = True
    any_operation: bool = False
    check: bool = False
    program: str | None = None
    least_gain: float = LEAST_GAIN
    budget_s: float | None = None
    keep: Path | None = None
    model: Model | None = None
    seed: int = 0
    force: bool = False

    @property
    def real(self) -> RealLibrary | None:
        """The real library; None: nothing is measured."""
        if self.mpirun is None:
            return None
        return RealLibrary(mpirun=self.mpirun, mpicc=self.mpicc or mpicc_of(self.mpirun.split()))


def tuned(request: TuningRequest, said: Callable[[str], object], advanced: Advanced) -> TuningResult:
    """Do it. Ctrl-C ends the search, with rules of what is there by then.

    Args:
        request: what is tuned.
        said: is told what happens, a sentence at a time.
        advanced: is told how far it is: what is done, and all.
    Raises:
        InputError: a name, a platform, a launcher or a file that cannot be used.
        LaunchError: the launcher or a program on the real library failed.
    """
    chosen = _library(request)
    if chosen.family == "intel" and request.own_choices is None:
        raise InputError(
            f"--own-choices: Orrery does not know what {chosen.name} chooses itself; find out with orrery tune --discover "
            f'--library {chosen.name} --mpirun "..." -o found, and name found/selector-rules.toml'
        )
    if chosen.family != "intel" and request.own_choices is not None:
        raise InputError(f"--own-choices: what {chosen.name} chooses itself is known")
    if request.any_operation and chosen.family != "openmpi":
        why = {
            "mpich": "are not obeyed for a program's own operations",
            "intel": "have algorithms that are right for all operations",
        }
        raise InputError(f"--any-operation: rules for {chosen.name} {why[chosen.family]} anyway")
    request = replace(request, mapping=_mapping(request))
    with said_once(), _program(request, chosen) as program:
        return tune(_asked(request, chosen, program), said, advanced)


def written(tuning: TuningResult, folder: Path, *, overwrite: bool = False) -> WrittenRules:
    """Write the files that the library loads, after they were read back.

    Raises InputError where they cannot be written, or would replace what Orrery did not write.
    """
    check_files(tuning.tuned, files_of(tuning.tuned, folder))
    offers = tuning.offers
    more = {FILE: offers.file} if offers is not None and offers.rows else {}
    files = write(tuning.tuned, folder, more, overwrite=overwrite)
    return WrittenRules(files=[str(path) for path in files], load=loading(tuning.tuned, folder))


def _mapping(request: TuningRequest) -> str:
    """Where ranks are: as the user says, as they were in the trace of a program, or as everywhere."""
    recorded = request.source is not None and request.ranks is None
    return request.mapping or (recorded_mapping(Path(str(request.source))) if recorded else "") or DEFAULT_MAPPING


def _asked(request: TuningRequest, chosen: Library, program: TunedProgram | None) -> TuningSettings:
    alike = ("platform", "model", "mapping", "seed", "force", "least_gain", "keep", "share", "others", "any_operation")
    real = request.real
    cases = _cases(request, chosen) if program is None else list(program.calls)
    if chosen.family == "intel":
        for kind, ranks in sorted({(case.test, case.ranks) for case in cases}):
            chosen.check_own(kind, ranks)
    return TuningSettings(
        library=chosen,
        cases=cases,
        budget_s=request.budget_s,
        measuring=None if real is None else MeasuredLibrary(library=chosen, real=real, rounds=request.rounds),
        program=program,
        checking=_checking(request, real) if real is not None and request.check else None,
        **{name: getattr(request, name) for name in alike},
    )


def _library(request: TuningRequest) -> Library:
    if request.library is not None:
        return library(request.library, request.own_choices)
    if request.mpirun is None:
        raise InputError(
            f"--library: which MPI is to be tuned? Name it, one of {', '.join(TUNABLE)}, or what starts programs with it: "
            "--mpirun"
        )
    return library_of(request.mpirun, request.own_choices)


def _cases(request: TuningRequest, chosen: Library) -> list[LoopCase]:
    ranks = rank_counts(request.ranks or RANKS, 0)
    if min(ranks) < 2:
        raise InputError(f"-n {request.ranks}: a message needs two ranks")
    kinds = request.kinds or [kind for kind in KINDS if kind in chosen.kinds]
    return cases_of(kinds, ranks, byte_sizes(request.sizes or SIZES), chosen)


@contextmanager
def _program(request: TuningRequest, chosen: Library) -> Iterator[TunedProgram | None]:
    """What `--for` names: a trace, or with -n a program, which is run now."""
    if request.source is None:
        yield None
        return
    simulated = {"platform": request.platform, "mapping": request.mapping, "seed": request.seed, "force": request.force}
    if request.model is not None:
        simulated["model"] = request.model
    if request.ranks is None:
        yield TunedProgram.of(Path(request.source), chosen, **simulated)
        return
    counts = rank_counts(request.ranks, 0)
    if len(counts) > 1:
        raise InputError(f"-n {request.ranks}: with --for one number, of the program's ranks")
    with trace_of_run(counts[0], shlex.split(request.source), **chosen.settings, **simulated) as trace:
        yield TunedProgram.of(trace, chosen, **simulated)


def _checking(request: TuningRequest, real: RealLibrary) -> CheckSettings:
    return CheckSettings(
        real=real, rounds=max(request.rounds, _LEAST_ROUNDS), program=shlex.split(request.program or "")
    )
