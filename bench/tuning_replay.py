# SPDX-License-Identifier: BSD-3-Clause
r"""What `orrery tune --mpirun` would find, replayed on loops that an exhaustive search measured.

    python bench/tuning_replay.py tests/evidence/2026-11-27-tuning/switch

FOLDER as for `bench/tuning_errors.py`. The tuning is given the times of the search instead of measuring. Shown is the share of the possible
gain, in logarithms over the cells where more than 10 % are possible, and the number of cells that become slower by more than 5 %: by
the simulation alone, as it is, and with one decision made in another way. `asked` are the cells of -n and -s, which are tuned. `held` are all
others that were measured: of other numbers of ranks and sizes. Times of a comparison (`compared.csv`) come before those of the search. The
search made one round, so where the comparison has no time the best is a little too good. Loops of disturbed starts are left out, and stand
as simulated where one is asked for.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

from tuning import WORSE, WORTH
from tuning_errors import cells, is_steady

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.collective.laboratory import Laboratory
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.evidence.statement import statement_of
from orrery.tune.beliefs import Beliefs, Knowledge
from orrery.tune.between import in_between
from orrery.tune.choose import ChoiceCriteria, rules_of
from orrery.tune.library import Library, library
from orrery.tune.measuring import LoopSample, times_of
from orrery.tune.rounds import Rounds
from orrery.tune.rules import RuleRow, variant_of
from orrery.tune.search import CellTimes, Loop, SearchScope, search
from orrery.tune.session import BATCHES
from orrery.tune.settings import SHARE
from orrery.tune.unsure import batch, exhaustive


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """What is decided in one way or another."""

    batches: tuple[float, ...] = BATCHES
    risk: float = ChoiceCriteria.risk
    measured_between: bool = False
    """Measure cells in between, too."""
    all_numbers: bool = False
    """Simulate all numbers of ranks in between."""


VARIATIONS = {
    "simulated only": Decisions(batches=()),
    "as it is": Decisions(),
    "risk 0": Decisions(risk=0.0),
    "risk 0.5": Decisions(risk=0.5),
    "risk 1.5": Decisions(risk=1.5),
    "one batch": Decisions(batches=(1.0,)),
    "eight batches": Decisions(batches=(0.125,) * 8),
    "cells in between are measured": Decisions(measured_between=True),
    "all numbers of ranks are simulated": Decisions(all_numbers=True),
}


class Replay:
    """One exhaustive search."""

    def __init__(
        self, folder: Path, chosen: Library, laboratory: Laboratory, counts: Sequence[int], sizes: Sequence[int]
    ):
        found, kept = cells(folder, chosen.name)
        defaults = {cell.case: cell.default for cell in found}
        times = times_of(kept, defaults) | times_of(
            LoopStore(folder / "compared.csv", "compared", LoopSample), defaults
        )
        self.times = {
            loop: times[loop]
            for cell in found
            for name in cell.times
            if (loop := Loop(*cell.case, name)) in times and is_steady(cell, loop, times[loop])
        }
        there = [cell for cell in found if Loop(*cell.case, cell.default) in self.times]
        is_asked = {cell.case: cell.case.ranks in counts and cell.case.bytes in (0, *sizes) for cell in there}
        self.asked = [cell for cell in there if is_asked[cell.case]]
        self.held = [cell for cell in there if not is_asked[cell.case]]
        self._laboratory = laboratory
        self._library = chosen
        self._between: dict[bool, list[CellTimes]] = {}

    def rules(self, decisions: Decisions) -> Sequence[RuleRow]:
        """What the tuning would write."""
        between = self._cells_between(decisions.all_numbers)
        wanted = [*self.asked, *(between if decisions.measured_between else [])]
        times: dict[Loop, Rounds] = {}
        limit = int(SHARE * exhaustive(self.asked))
        for share in decisions.batches:
            choosing = self._choosing(wanted, times, decisions)
            for loop in batch(wanted, choosing, min(int(share * limit), limit - len(times))):
                times |= self._measure(loop.case, None if loop.variant is None else loop.variant.ours, wanted)
        numbers = {cell.case.ranks for cell in between} - {cell.case.ranks for cell in self.asked}
        choosing = self._choosing([*self.asked, *between], times, decisions)
        selector = self._library.selector()
        return rules_of(
            [*self.asked, *between],
            replace(choosing, between=frozenset(numbers)),
            lambda case: self._laboratory.chosen(selector, case.call).name,
        )

    def _choosing(
        self, found: Sequence[CellTimes], times: Mapping[Loop, Rounds], decisions: Decisions
    ) -> ChoiceCriteria:
        known = Knowledge(dict(times), statement_of(self._laboratory.platform))
        return ChoiceCriteria(beliefs=Beliefs(found, known), risk=decisions.risk)

    def _measure(self, case: LoopCase, name: str | None, found: Sequence[CellTimes]) -> dict[Loop, Rounds]:
        (cell,) = (cell for cell in found if cell.case == case)
        loop = Loop(*case, cell.default if name is None else name)
        return {loop: self.times.get(loop, Rounds({0: cell.times[loop.algorithm]}))}

    def _cells_between(self, all_numbers: bool) -> list[CellTimes]:
        if all_numbers not in self._between:
            cases = [cell.case for cell in self.asked]
            middles = in_between(cases)
            if all_numbers:
                numbers = range(min(case.ranks for case in cases), max(case.ranks for case in cases) + 1)
                sizes = {(case.test, case.bytes) for case in [*cases, *middles]}
                every = (LoopCase(kind, count, size) for kind, size in sorted(sizes) for count in numbers)
                middles = [case for case in every if case not in set(cases)]
            self._between[all_numbers] = search(middles, SearchScope(library=self._library), self._laboratory)
        return self._between[all_numbers]

    def score(self, found: Sequence[CellTimes], rows: Sequence[RuleRow]) -> str:
        """The share of the gain, and how many cells are worse."""
        got = possible = 0.0
        worse = 0
        for cell in found:
            variant = variant_of(rows, *cell.case)
            times = {name: time_s for name in cell.times if (time_s := self._time_s(cell, name)) is not None}
            own, best = times[cell.default], min(times.values())
            ours = times.get(cell.default if variant is None else variant.ours)
            if ours is None:
                continue
            worse += ours > WORSE * own
            if own > WORTH * best:
                got += log(own / ours)
                possible += log(own / best)
        return f"{100 * got / possible:5.1f} %, {worse} worse" if possible else "none"

    def _time_s(self, cell: CellTimes, name: str) -> float | None:
        """As measured, or else that of an algorithm that sends the same messages; None: neither was."""
        same = [name, *(algorithm for algorithm in cell.times if cell.times[algorithm] == cell.times.get(name))]
        loops = (Loop(*cell.case, algorithm) for algorithm in same)
        return next((self.times[loop].median_s for loop in loops if loop in self.times), None)


def main() -> None:
    """A line for each variation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", default="openmpi-4.1")
    parser.add_argument("-n", default="4,8,16")
    parser.add_argument("-s", default="4,64,1KiB,8KiB,64KiB,512KiB")
    given = parser.parse_args()
    laboratory = Laboratory(str(given.folder / "platform.toml"), None, "node", force=True, said=False)
    with laboratory.open():
        replay = Replay(given.folder, library(given.library), laboratory, rank_counts(given.n, 0), byte_sizes(given.s))
        print(f"{len(replay.asked)} cells asked for, {len(replay.held)} held, {len(replay.times)} loops")
        for title, decisions in VARIATIONS.items():
            rows = replay.rules(decisions)
            print(
                f"{title:36} asked {replay.score(replay.asked, rows)}   held {replay.score(replay.held, rows)}   {len(rows)} rules",
                flush=True,
            )


if __name__ == "__main__":
    main()
