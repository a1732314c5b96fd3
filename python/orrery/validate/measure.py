# SPDX-License-Identifier: BSD-3-Clause
"""Times of collectives on the user's MPI, measured now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from orrery.calibrate.compiled import build
from orrery.calibrate.launcher import Launcher
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError

KINDS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
"""What the program in src/measure/collectives can time."""
_HEADER = "op,nprocs,bytes,sync,"
"""Of the files that it writes."""
_START_S = 60.0
"""Patience with the launcher besides the measurement itself."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is measured, and how."""

    mpirun: str
    mpicc: str
    kinds: tuple[str, ...]
    ranks: str
    sizes: str
    seconds: float
    file: Path | None

    @property
    def place(self) -> Path:
        """Where measured times go."""
        return (self.file or Path("collective-times.csv")).absolute()


def measure(plan: Plan, said: TextIO) -> Path:
    """Run the timing program for each number of ranks; the file of times, which `--ingest` takes too.

    Every case is written as soon as it is measured, and what the file has already is not measured again.

    Raises InputError for a plan that cannot be run, CalibrationError when the launcher or the program fails.
    """
    kinds = plan.kinds or KINDS
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise InputError(f"{', '.join(unknown)}: cannot be timed; there are: {', '.join(KINDS)}")
    if not plan.ranks:
        raise InputError("-n: say which numbers of ranks to measure, such as 4,8,16")
    sizes = ",".join(str(size) for size in byte_sizes(plan.sizes))
    file = _checked(plan.place)
    program = build("collectives", plan.mpicc)
    for ranks in rank_counts(plan.ranks, 0):
        said.write(f"measuring {', '.join(kinds)} on {ranks} ranks, at most about {plan.seconds:.0f} s\n")
        said.flush()
        launcher = Launcher(plan.mpirun, nodes=ranks)
        launcher.run(
            [str(program), str(file), f"{plan.seconds:g}", sizes, *kinds],
            timeout_s=2 * plan.seconds + _START_S,
            log=file.with_suffix(".log"),
        )
    if not file.exists():
        raise InputError(f"{file}: the program ended without writing it; rank 0 must see the folder")
    return file


def _checked(file: Path) -> Path:
    """Raises InputError where the program could not go on writing, or would write behind what is not its own."""
    if not file.parent.is_dir():
        raise InputError(f"--keep {file}: there is no folder {file.parent}; make it first: mkdir -p {file.parent}")
    if file.exists():
        with file.open(encoding="utf-8", errors="replace") as opened:
            first = opened.readline()
        if first and not first.startswith(_HEADER):
            raise InputError(f"--keep {file}: holds no times that Orrery measured; name another file")
    return file
