# SPDX-License-Identifier: BSD-3-Clause
"""Turns of loops by each candidate, simulated: what the measured ones are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field

from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.collective.laboratory import Laboratory
from orrery.tune.discover.candidates import Candidates
from orrery.tune.search import LENGTH
from orrery.tune.timing import BARRIER, turn_of, workers

Advanced = Callable[[int, int], object]


@dataclass
class SimulatedTurns:
    """Seconds of a turn, of cells by algorithms, as `--coll` has them. Each is simulated once."""

    laboratory: Laboratory
    candidates: Candidates
    times: dict[LoopCase, dict[str, float]] = field(default_factory=dict)

    def add(self, cases: Iterable[LoopCase], barriers: Mapping[int, str], advanced: Advanced) -> None:
        """Simulate cells that are not there. After Ctrl-C, which comes through, those that were whole are there.

        Args:
            cases: the cells.
            barriers: by numbers of ranks the algorithm of the barrier behind each call.
            advanced: is told how many loops are there, and of how many.
        """
        plans = {case: self.candidates.names(case, self.laboratory) for case in cases if case not in self.times}
        total, done = sum(len(set(names.values())) for names in plans.values()), 0
        pool = workers()
        try:
            begun = {case: self._begin(case, names.values(), barriers, pool) for case, names in plans.items()}
            for case, futures in begun.items():
                found = {name: future.result() for name, future in futures.items()}
                self.times[case] = {name: found[there] for name, there in plans[case].items()}
                advanced(done := done + len(futures), total)
        except KeyboardInterrupt:
            self.laboratory.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _begin(
        self, case: LoopCase, names: Iterable[str], barriers: Mapping[int, str], pool: Executor
    ) -> dict[str, Future[float]]:
        fence = "" if case.test == BARRIER else f",barrier={barriers[case.ranks]}"
        return {
            name: pool.submit(self._turn_s, case, _core.Selector("default", f"{case.test}={name}{fence}"))
            for name in dict.fromkeys(names)
        }

    def _turn_s(self, case: LoopCase, selector: _core.Selector) -> float:
        whole = self.laboratory.whole(case.call)
        return turn_of(case.call, whole, selector, self.laboratory, LENGTH).mean_s
