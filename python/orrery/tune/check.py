# SPDX-License-Identifier: BSD-3-Clause
"""The library as it is beside the library with the files, on the real cluster: starts of both take turns.

A gain holds where the whole interval of 95 % of the ratio of both times is above 1. Rules whose gains do not hold are taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.real import RealLibrary
from orrery.published import SPREAD
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher
from orrery.temporary import temporary_folder
from orrery.tune.files import environment, files_of
from orrery.tune.measuring import run_loops
from orrery.tune.rounds import GainInterval, Rounds
from orrery.tune.rules import TunedRules

_PROGRAM_S = 3600.0


@dataclass(frozen=True)
class CheckedGain:
    """How many times as long something takes without the rules, on the real cluster, and the interval of 95 %.

    Sizes of Intel MPI may be without rules, as its settings name the library's own choice there: where one is slower, all rules of
    its collective and number of ranks were taken out.
    """

    collective: str | None
    """None: the program."""
    ranks: int | None
    bytes: int | None
    """Size as `orrery collective -s` has it; None: the program."""
    interval: GainInterval = field(metadata=SPREAD)


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What was found."""

    cells: Mapping[LoopCase, GainInterval]
    """Gains of all cells that a rule is for, in a turn of the loop with its barrier."""
    program: GainInterval | None = None
    """Gain in the program's wall time, with its start."""
    left: Mapping[LoopCase, GainInterval] = field(default_factory=dict)
    """Gains of cells that rules leave to the library, where its settings force an algorithm, perhaps another one."""

    @property
    def gains(self) -> list[CheckedGain]:
        """Gains of cells with rules, of those without, and of the program."""
        cells = [CheckedGain(*case, gain) for case, gain in [*self.cells.items(), *self.left.items()]]
        return cells if self.program is None else [*cells, CheckedGain(None, None, None, self.program)]

    @property
    def fell(self) -> frozenset[LoopCase]:
        """Cells whose rules are taken out: their gains do not hold, or the settings slow other sizes down."""
        slower = {(case.test, case.ranks) for case in self.slower}
        return frozenset(
            case for case, gain in self.cells.items() if not gain.holds or (case.test, case.ranks) in slower
        )

    @property
    def slower(self) -> list[LoopCase]:
        """Cells of `left` that the settings slow down: the whole interval is below 1."""
        return [case for case, gain in self.left.items() if gain.high < 1]


@dataclass(frozen=True, kw_only=True)
class CheckSettings:
    """How it is done."""

    real: RealLibrary
    rounds: int
    program: Sequence[str] = ()
    """Started on the largest number of ranks, besides the loops; empty: none."""


def check(
    tuned: TunedRules,
    cases: Sequence[LoopCase],
    asked: CheckSettings,
    said: Callable[[str], object],
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> CheckResult:
    """Time cells, and the program, both ways.

    Raises:
        InputError: a compiler, a launcher or a folder that cannot be used.
        LaunchError: the launcher or a program failed.
    """
    program = build("suite", asked.real.mpicc, said=said)
    ranks = sorted({case.ranks for case in cases})
    times: dict[bool, dict[LoopCase, dict[int, float]]] = {False: {}, True: {}}
    runs: dict[bool, dict[int, float]] = {False: {}, True: {}}
    steps = 2 * asked.rounds * (len(ranks) + bool(asked.program))
    done = 0
    with temporary_folder(".orrery-tune-", Path.cwd()) as folder:
        for name, text in files_of(tuned, folder).items():
            (folder / name).write_text(text, encoding="utf-8")
        ways = {count: {False: {}, True: environment(tuned, folder, count)} for count in ranks}
        for number in range(asked.rounds):
            for way in (False, True) if number % 2 == 0 else (True, False):
                for count in ranks:
                    here = [case for case in cases if case.ranks == count]
                    for case, timed in run_loops(
                        program, {case: case for case in here}, ways[count][way], asked.real
                    ).items():
                        times[way].setdefault(case, {})[number] = timed.mean_s
                    advanced(done := done + 1, steps)
                if asked.program:
                    runs[way][number] = _run(asked, max(ranks), ways[max(ranks)][way], folder)
                    advanced(done := done + 1, steps)
    gains = {case: GainInterval.of(Rounds(times[False][case]), Rounds(times[True][case])) for case in times[True]}
    return CheckResult(
        cells={case: gain for case, gain in gains.items() if tuned.variant(*case) is not None},
        left={case: gain for case, gain in gains.items() if tuned.variant(*case) is None},
        program=GainInterval.of(Rounds(runs[False]), Rounds(runs[True])) if asked.program else None,
    )


def _run(asked: CheckSettings, ranks: int, variables: Mapping[str, str], folder: Path) -> float:
    """Seconds from the start of the launcher to its end."""
    words = ["env", *(f"{name}={value}" for name, value in variables.items()), *asked.program]
    begin = perf_counter()
    Launcher(asked.real.mpirun, nodes=ranks).run(words, timeout_s=_PROGRAM_S, log=folder / "program.log")
    return perf_counter() - begin
