# SPDX-License-Identifier: BSD-3-Clause
"""Times of algorithms on the real library: the loops of `orrery benchmark`, each algorithm forced by environment variables.

Algorithms take turns: a round starts the program once for each set of algorithms, one for each collective, and rounds are repeated.
So what changes on the cluster meanwhile meets all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.real import RealLibrary, suite_command
from orrery.collective.loops import TimedLoop
from orrery.errors import InputError
from orrery.real_mpi.compiled import build
from orrery.real_mpi.launcher import Launcher
from orrery.temporary import temporary_folder
from orrery.tune.forced import forced
from orrery.tune.library import AlgorithmVariant, Library
from orrery.tune.rounds import Rounds
from orrery.tune.search import Loop
from orrery.tune.timing import BARRIER, call_s

_START_S = 60.0
_LOOP_S = 1.0
"""Seconds of each loop; one of long calls takes longer, as it has five turns at least."""
_MOST_S = 60
"""Seconds of each loop, after which the start is given up."""
_Name = TypeVar("_Name")


class LoopSample(NamedTuple):
    """One loop in one round."""

    collective: str
    ranks: int
    bytes: int
    algorithm: str
    """As `--coll` has it; empty: the library's own choice."""
    round: int


@dataclass(frozen=True, kw_only=True)
class PendingLoop:
    """One loop that is to be measured."""

    case: LoopCase
    variant: AlgorithmVariant | None
    """None: the library's own choice."""

    def sample(self, number: int) -> LoopSample:
        """Its place in the file, in a round."""
        return LoopSample(*self.case, "" if self.variant is None else self.variant.ours, number)


@dataclass(frozen=True, kw_only=True)
class MeasuredLibrary:
    """A real library, and how it is measured."""

    library: Library
    real: RealLibrary
    rounds: int = 3
    loop_s: float = _LOOP_S
    """Seconds of each loop; one of long calls takes longer."""


def measure(
    wanted: Sequence[PendingLoop],
    asked: MeasuredLibrary,
    kept: LoopStore[LoopSample],
    said: Callable[[str], object],
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> None:
    """Measure what the file does not have. Ctrl-C comes through; what was measured by then is there.

    Raises:
        InputError: a compiler or a launcher that cannot be used, or a file of something else.
        LaunchError: the launcher or the program failed.
    """
    program = build("suite", asked.real.mpicc, said=said)
    there = kept.read()
    for number in range(asked.rounds):
        todo = [loop for loop in wanted if loop.sample(number) not in there]
        starts = list(_starts(todo))
        for done, start in enumerate(starts):
            for loop, timed in _start(program, start, asked).items():
                kept.add(loop.sample(number), timed)
            advanced(number * len(starts) + done + 1, asked.rounds * len(starts))


def _starts(wanted: Iterable[PendingLoop]) -> list[list[PendingLoop]]:
    """Sets of loops that one start of the program measures: of one number of ranks, each collective by one algorithm."""
    queues: dict[tuple[int, str], dict[str, list[PendingLoop]]] = {}
    for loop in wanted:
        name = "" if loop.variant is None else loop.variant.ours
        queues.setdefault((loop.case.ranks, loop.case.test), {}).setdefault(name, []).append(loop)
    starts: dict[tuple[int, int], list[PendingLoop]] = {}
    for (ranks, _), algorithms in queues.items():
        for turn, loops in enumerate(algorithms.values()):
            starts.setdefault((ranks, turn), []).extend(loops)
    return [loops for _, loops in sorted(starts.items(), key=lambda item: item[0])]


def _start(program: Path, start: Sequence[PendingLoop], asked: MeasuredLibrary) -> dict[PendingLoop, TimedLoop]:
    """What one start gave."""
    variables: dict[str, str] = {}
    for loop in start:
        if loop.variant is not None:
            variables |= forced(asked.library, loop.case.test, loop.variant)
    return run_loops(program, {loop.case: loop for loop in start}, variables, asked.real, asked.loop_s)


def run_loops(
    program: Path,
    cases: Mapping[LoopCase, _Name],
    variables: Mapping[str, str],
    real: RealLibrary,
    loop_s: float = _LOOP_S,
) -> dict[_Name, TimedLoop]:
    """Start the program of loops once, its ranks with environment variables.

    Raises InputError where it wrote nothing, and LaunchError where it failed.
    """
    (ranks,) = {case.ranks for case in cases}
    with temporary_folder(".orrery-tune-", Path.cwd()) as folder:
        kept = LoopStore(folder / "times.csv", "one start", LoopCase)
        kept.begin()
        words = suite_command(program, kept.file, cases, real, f"{loop_s:g}/case")
        Launcher(real.mpirun, nodes=ranks).run(
            ["env", *(f"{name}={value}" for name, value in variables.items()), *words],
            timeout_s=_MOST_S * len(cases) + _START_S,
            log=kept.file.with_suffix(".log"),
            watch=lambda: kept.file.stat().st_size,
        )
        there = kept.read()
    if not there:
        raise InputError(f"{Path.cwd()}: the program of loops wrote nothing; rank 0 must see this folder")
    return {name: there[case] for case, name in cases.items() if case in there}


def times_of(kept: LoopStore[LoopSample], defaults: Mapping[LoopCase, str]) -> dict[Loop, Rounds]:
    """Times of a call, by round: that of a turn without that of the barrier alone, in the same round.

    Args:
        kept: what was measured.
        defaults: what the library chooses itself, as `--coll` has it.
    """
    there = kept.read()
    turns: dict[tuple[LoopCase, str], dict[int, float]] = {}
    for sample, timed in there.items():
        case = LoopCase(sample.collective, sample.ranks, sample.bytes)
        turns.setdefault((case, sample.algorithm), {})[sample.round] = timed.mean_s
    return {
        Loop(*case, name or defaults[case]): Rounds(
            {number: call_s(turn_s, _barrier_s(case, number, there)) for number, turn_s in found.items()}
        )
        for (case, name), found in turns.items()
        if name or case in defaults
    }


def _barrier_s(case: LoopCase, number: int, there: Mapping[LoopSample, TimedLoop]) -> float:
    barrier = there.get(LoopSample(BARRIER, case.ranks, 0, "", number))
    return 0.0 if case.test == BARRIER or barrier is None else barrier.mean_s
