# SPDX-License-Identifier: BSD-3-Clause
r"""What `orrery tune --mpirun` finds of what an exhaustive search finds, on a real cluster.

    python bench/tuning.py --platform mine.toml --mpirun "mpirun -np {n} --hostfile hosts" --library openmpi-4.1 \
        -n 4,8,16 -s 4,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB --held-n 6,12 --held-s 32,512,8KiB,128KiB --keep times

1. Tune, as the command does: at most a tenth of the loops are measured.
2. Search exhaustively: each algorithm of each cell once. Cells whose call by the library's own choice would take more than --longest
   seconds, simulated, are left out of all three steps, and so are algorithms that would.
3. Compare: in --rounds rounds, each with its own starts, the library's own choice, the rules' choice and the best of step 2. These
   times alone count, so that neither side gains from having been chosen by the times that it is judged by.

Held cells are of numbers of ranks and sizes that step 1 did not see. Shown are, over cells where the best takes less than the library's
own choice by more than 10 % in step 3, the geometric means of both gains, and the share of the possible gain, in logarithms; and the
cells in which the rules' choice takes more than 5 % longer than the library's own, with the interval of that ratio. All times are kept
in the folder, from which the same command goes on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from statistics import fmean

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.real import RealLibrary
from orrery.collective.laboratory import Laboratory
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.real_mpi.starter import mpicc_of
from orrery.tune.library import AlgorithmVariant, library
from orrery.tune.measuring import LoopSample, MeasuredLibrary, PendingLoop, measure, times_of
from orrery.tune.rounds import GainInterval, Rounds
from orrery.tune.rules import TunedRules
from orrery.tune.search import CellTimes, Loop, SearchScope, search
from orrery.tune.session import TuningSettings, cases_of, tune
from orrery.tune.settings import KINDS, TuningRequest
from orrery.tune.timing import BARRIER
from orrery.tune.unsure import exhaustive

WORTH = 1.1
"""Gain of the best algorithm from which on a cell counts."""
WORSE = 1.05
"""What the rules' choice may take against the library's own."""
_LOOP_S = 0.3
"""Length of a loop in steps 2 and 3, so that they come to an end; the command measures for longer."""


def _said(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _advanced(done: int, whole: int) -> None:
    if done % 10 == 0:
        _said(f"  {done} of {whole}")


class Bench:
    """One cluster, and what is compared on it."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.library = library(given.library)
        self.kinds = [kind for kind in KINDS if kind in self.library.kinds]
        self.real = RealLibrary(mpirun=given.mpirun, mpicc=given.mpicc or mpicc_of(given.mpirun.split()))
        given.keep.mkdir(exist_ok=True)

    def found(self, ranks: str, sizes: str) -> list[CellTimes]:
        """Cells that are not too long, with their algorithms that are not."""
        cases = cases_of(self.kinds, rank_counts(ranks, 0), byte_sizes(sizes), self.library)
        laboratory = Laboratory(str(self.given.platform), None, "node", force=True, said=False)
        with laboratory.open():
            cells = search(cases, SearchScope(library=self.library), laboratory)
        return [cell for cell in cells if cell.default_s <= self.given.longest]

    def tuned(self, cells: Sequence[CellTimes]) -> tuple[TunedRules, int]:
        """The rules, and how many loops were measured for them."""
        tuning = tune(
            TuningSettings(
                request=TuningRequest(platform=str(self.given.platform), force=True, keep=self.given.keep / "tuned"),
                library=self.library,
                cases=[cell.case for cell in cells],
                measuring=MeasuredLibrary(library=self.library, real=self.real),
            ),
            _said,
            _advanced,
        )
        return tuning.tuned, tuning.measurements

    def measured(self, name: str, wanted: Sequence[PendingLoop], rounds: int) -> LoopStore[LoopSample]:
        """Loops, and those of the barriers that are taken off."""
        kept = LoopStore(self.given.keep / f"{name}.csv", name, LoopSample)
        kept.begin()
        counts = sorted({loop.case.ranks for loop in wanted})
        fences = [PendingLoop(case=LoopCase(BARRIER, count, 0), variant=None) for count in counts]
        every = [*fences, *(loop for loop in wanted if loop not in fences)]
        measuring = MeasuredLibrary(library=self.library, real=self.real, rounds=rounds, loop_s=_LOOP_S)
        measure(every, measuring, kept, _said, _advanced)
        return kept

    def options(self, cell: CellTimes) -> list[AlgorithmVariant | None]:
        """What an exhaustive search measures of a cell."""
        named = [cell.variants[name] for name in cell.variants if cell.times[name] <= self.given.longest]
        return [None, *(variant for variant in named if variant.ours != cell.default)]

    def compare(
        self, cells: Sequence[CellTimes], tuned: TunedRules
    ) -> list[tuple[CellTimes, GainInterval, GainInterval]]:
        """By cell: gains of the rules' choice and of the best one over the library's own."""
        defaults = {cell.case: cell.default for cell in cells}
        every = [PendingLoop(case=cell.case, variant=variant) for cell in cells for variant in self.options(cell)]
        _said(f"exhaustive search: {len(every)} loops")
        once = times_of(self.measured("exhaustive", every, 1), defaults)
        best = {cell.case: _quickest(cell, self.options(cell), once) for cell in cells}
        ours = {cell.case: tuned.variant(*cell.case) for cell in cells}
        finals = [
            PendingLoop(case=case, variant=variant)
            for case in defaults
            for variant in dict.fromkeys([None, best[case], ours[case]])
        ]
        _said(f"comparison: {len(finals)} loops")
        times = times_of(self.measured("compared", finals, self.given.rounds), defaults)
        rows = []
        for cell in cells:
            own = times[Loop(*cell.case, cell.default)]
            by = [
                times[Loop(*cell.case, cell.default if variant is None else variant.ours)]
                for variant in (ours[cell.case], best[cell.case])
            ]
            rows.append((cell, GainInterval.of(own, by[0]), GainInterval.of(own, by[1])))
        return rows


def _quickest(
    cell: CellTimes, options: Sequence[AlgorithmVariant | None], times: dict[Loop, Rounds]
) -> AlgorithmVariant | None:
    def time_s(variant: AlgorithmVariant | None) -> float:
        loop = Loop(*cell.case, cell.default if variant is None else variant.ours)
        return times[loop].median_s if loop in times else float("inf")

    return min(options, key=time_s)


def show(title: str, rows: Sequence[tuple[CellTimes, GainInterval, GainInterval]]) -> None:
    """The summary, and cells that are worse."""
    worth = [(ours, best) for _, ours, best in rows if best.gain > WORTH]
    print(
        f"{title}: {len(rows)} cells, {len(worth)} where the best takes less than the library's own choice by more than 10 %"
    )
    if worth:
        got, possible = (fmean(log(pair[way].gain) for pair in worth) for way in (0, 1))
        print(
            f"  possible {exp(possible):.3f} times as fast, by the rules {exp(got):.3f}: {100 * got / possible:.1f} % of the gain"
        )
    worse = [(cell, ours) for cell, ours, _ in rows if ours.gain < 1 / WORSE]
    for cell, ours in worse:
        sure = "" if ours.high < 1 else ", within its interval"
        print(f"  worse: {cell.case}: {ours.gain:.3f} ({ours.low:.3f} to {ours.high:.3f}){sure}")
    print(f"  cells worse by more than 5 %: {len(worse)}, of which for sure {sum(ours.high < 1 for _, ours in worse)}")
    for cell, ours, best in sorted(rows, key=lambda row: row[1].gain / row[2].gain)[:12]:
        print(f"    {cell.case.test} {cell.case.ranks} {cell.case.bytes}: rules {ours.gain:.3f}, best {best.gain:.3f}")


def main() -> None:
    """Tune, search, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", type=Path, required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--mpicc")
    parser.add_argument("--library", required=True)
    parser.add_argument("-n", default="4,8,16")
    parser.add_argument("-s", default="4,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB")
    parser.add_argument("--held-n", default="")
    parser.add_argument("--held-s", default="")
    parser.add_argument("--longest", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--dry-run", action="store_true", help="say how many loops there are, and how long they take")
    given = parser.parse_args()
    bench = Bench(given)
    cells = bench.found(given.n, given.s)
    held = bench.found(given.held_n, given.held_s) if given.held_n else []
    for name, some in (("tuned", cells), ("held", held)):
        times = [
            8 * cell.times[cell.default if variant is None else variant.ours]
            for cell in some
            for variant in bench.options(cell)
        ]
        _said(f"{name}: {len(some)} cells, {len(times)} loops, about {sum(times):.0f} s of calls")
    if given.dry_run:
        return
    tuned, loops = bench.tuned(cells)
    whole = exhaustive(cells)
    print(f"measured for the rules: {loops} of {whole} loops, {100 * loops / whole:.1f} %")
    rows = bench.compare([*cells, *held], tuned)
    show("cells", rows[: len(cells)])
    if held:
        show("held cells", rows[len(cells) :])


if __name__ == "__main__":
    main()
