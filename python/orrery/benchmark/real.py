# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark on a real cluster: a program of `src/measure/suite`, compiled and started with the user's MPI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore, wanted_of
from orrery.benchmark.results import BenchmarkResults, rows_of
from orrery.errors import InputError
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher
from orrery.real_mpi.starter import mpicc_of
from orrery.temporary import temporary_folder

_START_S = 60.0
"""Seconds that the launcher may take in addition to the measurement."""


@dataclass(frozen=True, kw_only=True)
class RealLibrary:
    """An MPI, and how it is timed."""

    mpirun: str
    """Template of the launcher's command line; see `Launcher`."""
    mpicc: str
    warm: int = 3
    repetitions: int = 1000
    """At most."""
    seconds: float = 600.0
    """For each number of ranks, at most."""


def real_library(mpirun: str, mpicc: str | None, **more: Any) -> RealLibrary:
    """Return a real library by its launcher and its compiler; None: the one beside the launcher.

    `more`: as the fields of `RealLibrary` are called.
    """
    return RealLibrary(mpirun=mpirun, mpicc=mpicc or mpicc_of(mpirun.split()), **more)


def measure(
    cases: Sequence[LoopCase],
    asked: RealLibrary,
    keep: Path | None,
    said: Callable[[str], object],
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> BenchmarkResults:
    """Time all cases. Ctrl-C ends it, with what is there by then.

    Args:
        cases: what is timed.
        asked: where, and how.
        keep: file of what was timed, from which the same command goes on; None: it is not kept.
        said: is told what is done.
        advanced: is told how many cases are there, and of how many.
    Raises:
        InputError: a compiler or a launcher that cannot be used, or a file of something else.
        LaunchError: the launcher or the program failed.
    """
    launchers = {ranks: Launcher(asked.mpirun, nodes=ranks) for ranks in {case.ranks for case in cases}}
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder(".orrery-benchmark-", Path.cwd()))
        kept = LoopStore((keep or folder / "times.csv").absolute(), _subject(asked), LoopCase)
        kept.begin()
        program = build("suite", asked.mpicc, said=said)

        def watch() -> int:
            done = len(kept.read())
            advanced(done, len(cases))
            return done

        try:
            for ranks, group in groupby(cases, key=lambda case: case.ranks):
                wanted = wanted_of(list(group), kept.read())
                if wanted:
                    said(f"timing {len(wanted)} loops on {ranks} ranks, at most about {asked.seconds:.0f} s")
                    _run(program, launchers[ranks], wanted, asked, kept, watch=watch)
        except KeyboardInterrupt:
            said("interrupted")
        there = kept.read()
    found = [(case, there[case]) for case in cases if case in there]
    return BenchmarkResults(
        where=asked.mpirun,
        facts={
            "command": asked.mpirun,
            "compiler": asked.mpicc,
            "loops": f"{asked.warm} turns to warm up, then up to {asked.repetitions:,}, until the mean is sure to 2 %",
        },
        rows=rows_of(found, {}),
        missing=[case for case in cases if case not in there],
    )


def _run(
    program: Path,
    launcher: Launcher,
    wanted: list[LoopCase],
    asked: RealLibrary,
    kept: LoopStore[LoopCase],
    *,
    watch: Callable[[], object],
) -> None:
    """One start of the program: it leaves out what the file has."""
    launcher.run(
        suite_command(program, kept.file, wanted, asked, f"{asked.seconds:g}"),
        timeout_s=2 * asked.seconds + _START_S,
        log=kept.file.with_suffix(".log"),
        watch=watch,
    )
    if not kept.read():
        raise InputError(f"{kept.file}: the program ended without a line in it; rank 0 must see the folder")


def suite_command(program: Path, file: Path, cases: Iterable[LoopCase], asked: RealLibrary, seconds: str) -> list[str]:
    """The program of loops and its arguments: it appends a line for each case to the file, as `LoopStore` has them.

    `seconds`: of all cases, after which none begins; with "/case" behind them of each, and all are timed.
    """
    wanted = [f"{case.test}:{case.bytes}" for case in cases]
    return [str(program), str(file), seconds, str(asked.warm), str(asked.repetitions), *wanted]


def _subject(asked: RealLibrary) -> str:
    parts = [asked.mpirun, asked.mpicc, asked.warm, asked.repetitions]
    return sha256(repr(parts).encode()).hexdigest()[:16]
