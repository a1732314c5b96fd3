# SPDX-License-Identifier: BSD-3-Clause
"""How many ranks a job starts, out of the command line that its log shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LAUNCHER = re.compile(r"(?:^|[\s/+$])(mpirun|mpiexec(?:\.\w+)?|srun|aprun|jsrun|flux run|prterun)\s")
_PROGRAM = re.compile(r"osu_\w+|IMB-\w+|\b(\w+)_perf\b")
_NUMBER = r"[= ]\s*(\d{1,9})\b"
_RANKS = re.compile(rf"\s(?:-np|-n|--np|--n|--ntasks){_NUMBER}")
_NODES = re.compile(rf"\s(?:--nodes|-nnodes){_NUMBER}")
_PPN = re.compile(rf"\s(?:--?ppn|-perhost|--?npernode|--ntasks-per-node|--?N){_NUMBER}|ppr:(\d{{1,9}}):node")
_SLURM_PPN = re.compile(rf"\s--(?:ntasks|tasks)-per-node{_NUMBER}")
_SLURM_NODES = re.compile(r"\s-N[= ]?\s*(\d{1,9})\b")


@dataclass(frozen=True)
class LoggedLaunch:
    """What a command line says about a job; None: it does not."""

    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    """Ranks on each node."""
    program: str = ""
    """The program that is started, such as osu_allreduce or all_reduce_perf."""

    @property
    def numbers(self) -> bool:
        """Whether it says how many ranks, or where."""
        return (self.ranks, self.nodes, self.ppn) != (None, None, None)


def launch_of(line: str) -> LoggedLaunch | None:
    """What a line says that starts a benchmark; None for any other line."""
    program = _PROGRAM.search(line)
    if program is None or line.lstrip().startswith("# Benchmarking"):
        return None
    launcher = _LAUNCHER.search(line)
    if launcher is None:
        return LoggedLaunch(program=program[0]) if _alone(line) else None
    words = line[launcher.start() : program.start()]
    slurm = launcher[1] in ("srun", "flux run")
    nodes = _number(_SLURM_NODES, words) if slurm else None
    return LoggedLaunch(
        ranks=_number(_RANKS, words),
        nodes=nodes if nodes is not None else _number(_NODES, words),
        ppn=_number(_SLURM_PPN if slurm else _PPN, words),
        program=program[0],
    )


def _alone(line: str) -> bool:
    """Whether a line only names the program, as a header or a prompt does."""
    return "Collective test starting" in line or line.lstrip("# $+>").startswith(("./", "/", "osu_", "IMB-"))


def _number(pattern: re.Pattern[str], words: str) -> int | None:
    found = pattern.search(words)
    return None if found is None else int(next(group for group in found.groups() if group is not None))
