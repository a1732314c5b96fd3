# SPDX-License-Identifier: BSD-3-Clause
"""Measurement of collectives on the user's MPI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from orrery.calibrate.measure import Layout, layout_now
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher
from orrery.validate.settings import MeasuringPlan
from orrery.verbs import budget
from orrery.words import shell

KINDS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
"""Collectives that the program in src/measure/collectives can time."""
_HEADER = "op,nprocs,bytes,sync,"
"""First columns of the files that it writes."""
_START_S = 60.0
"""Seconds that the launcher may take in addition to the measurement."""


def measure(plan: MeasuringPlan, said: TextIO, check: Callable[[Layout], None]) -> None:
    """Run the timing program for each number of ranks. It writes the file of times, which `--ingest` takes too.

    Each case is written as soon as it is measured. Cases that the file already has are not measured again. For each number of
    ranks, `check` is called with their layout first; it may raise an error.

    Raises InputError for a plan that cannot be run, LaunchError if the launcher or the program fails.
    """

    def say(text: str) -> None:
        said.write(f"orrery: {text}\n")
        said.flush()

    kinds = plan.kinds or KINDS
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(f"{', '.join(unknown)}: cannot be timed; there are: {', '.join(KINDS)}")
    if not plan.ranks:
        raise InputError("-n: say which numbers of ranks to measure, such as 4,8,16")
    budget_s = budget(plan.budget)
    sizes = ",".join(str(size) for size in byte_sizes(plan.sizes))
    file = _checked(plan.times)
    program = build("collectives", plan.mpicc, said=say)
    places = build("bench", plan.mpicc, said=say)
    for ranks in rank_counts(plan.ranks, 0):
        launcher = Launcher(plan.mpirun, nodes=ranks)
        check(layout_now(launcher, places, file.with_suffix(".places")))
        say(f"measuring {', '.join(kinds)} on {ranks} ranks, at most about {budget_s:.0f} s")
        launcher.run(
            [str(program), str(file), f"{budget_s:g}", sizes, *kinds],
            timeout_s=2 * budget_s + _START_S,
            log=file.with_suffix(".log"),
            watch=lambda: file.stat().st_size if file.exists() else 0,
        )
    if not file.exists():
        raise InputError(f"{file}: the program ended without writing it; rank 0 must see the folder")


def _checked(file: Path) -> Path:
    """The file, if the program can create it or append to it. Raises InputError if it cannot, or if the file is not its own."""
    if not file.parent.is_dir():
        raise InputError(
            f"--keep {file}: there is no folder {file.parent}; make it first: mkdir -p {shell(file.parent)}"
        )
    if file.exists():
        with file.open(encoding="utf-8", errors="replace") as opened:
            first = opened.readline()
        if first and not first.startswith(_HEADER):
            raise InputError(f"--keep {file}: holds no times that Orrery measured; name another file")
    return file
