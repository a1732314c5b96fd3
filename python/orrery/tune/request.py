# SPDX-License-Identifier: BSD-3-Clause
"""How a tuning is done that a user asks for, on the command line or in Python."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.real import RealLibrary
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.platform.trusted import said_once
from orrery.run.once import trace_of_run
from orrery.trace.collective_sums import recorded_mapping
from orrery.tune.check import CheckSettings
from orrery.tune.files import files_of, loading, write
from orrery.tune.library import TUNABLE, Library, library, library_of
from orrery.tune.measuring import MeasuredLibrary
from orrery.tune.offers import FILE
from orrery.tune.program import TunedProgram
from orrery.tune.readback import check as check_files
from orrery.tune.results import WrittenRules
from orrery.tune.session import Advanced, TuningResult, TuningSettings, cases_of, tune
from orrery.tune.settings import KINDS, RANKS, SIZES, TuningRequest

_LEAST_ROUNDS = 3
"""Rounds of a check at least, however few a measurement has."""


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
            f"--own-choices: Orrery does not know what {chosen.name} chooses itself; find out with orrery tune discover "
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
    mapping = _mapping(request)
    with said_once(), _program(request, mapping, chosen) as program:
        return tune(_asked(request, mapping, chosen, program), said, advanced)


def written(tuning: TuningResult, folder: Path, *, overwrite: bool = False) -> WrittenRules:
    """Write the files that the library loads, after they were read back.

    Raises InputError where they cannot be written, or would replace what Orrery did not write.
    """
    check_files(tuning.tuned, files_of(tuning.tuned, folder))
    others = tuning.others
    more = {FILE: others.file(tuning.tuned.made.limits)} if others is not None and others.rows else {}
    files = write(tuning.tuned, folder, more, overwrite=overwrite)
    return WrittenRules(files=[str(path) for path in files], load=loading(tuning.tuned, folder))


def _mapping(request: TuningRequest) -> str:
    """Where ranks are: as the user says, as they were in the trace of a program, or as everywhere."""
    recorded = request.program is not None and request.ranks is None
    return request.mapping or (recorded_mapping(Path(str(request.program))) if recorded else "") or DEFAULT_MAPPING


def _asked(request: TuningRequest, mapping: str, chosen: Library, program: TunedProgram | None) -> TuningSettings:
    real = request.real
    cases = _cases(request, chosen) if program is None else list(program.calls)
    if chosen.family == "intel":
        for kind, ranks in sorted({(case.test, case.ranks) for case in cases}):
            chosen.check_own(kind, ranks)
    return TuningSettings(
        request=request,
        library=chosen,
        cases=cases,
        mapping=mapping,
        measuring=None if real is None else MeasuredLibrary(library=chosen, real=real, rounds=request.rounds),
        program=program,
        checking=_checking(request, real) if real is not None and request.check else None,
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
def _program(request: TuningRequest, mapping: str, chosen: Library) -> Iterator[TunedProgram | None]:
    """What `--for` names: a trace, or with -n a program, which is run now."""
    if request.program is None:
        yield None
        return
    simulated = {"platform": request.platform, "mapping": mapping, "seed": request.seed, "force": request.force}
    if request.model is not None:
        simulated["model"] = request.model
    if request.ranks is None:
        yield TunedProgram.of(Path(request.program), chosen, **simulated)
        return
    counts = rank_counts(request.ranks, 0)
    if len(counts) > 1:
        raise InputError(f"-n {request.ranks}: with --for one number, of the program's ranks")
    with trace_of_run(counts[0], shlex.split(request.program), **chosen.settings, **simulated) as trace:
        yield TunedProgram.of(trace, chosen, **simulated)


def _checking(request: TuningRequest, real: RealLibrary) -> CheckSettings:
    return CheckSettings(
        real=real, rounds=max(request.rounds, _LEAST_ROUNDS), program=shlex.split(request.check_program or "")
    )
