# SPDX-License-Identifier: BSD-3-Clause
"""How many of an MPI's choices `orrery tune discover` found, where the selector of that MPI is known to send its messages.

    orrery tune discover --mpirun "..." --platform mine.toml --json > found.json
    python bench/discovery.py openmpi-4.1 found.json
    python bench/discovery.py openmpi-4.1 tests/evidence/2026-11-22-openmpi

A folder has a `platform.toml` and the `collectives.csv` that `orrery validate` measured in the same hour; the selector then decides
nothing either, not even the barrier between the calls. Times of JSON are turns of the loop that was measured: the call and a barrier.
Those of a folder are single calls. Two algorithms are one class where their simulated times differ
by less than 5 %. A cell counts as right where the choice is of the class of the selector's. Two groups of cells are shown: those where
the slowest algorithm takes more than 20 % longer than the quickest, and of these the ones where every algorithm of another class
differs from the selector's choice by more than 20 %.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from math import log
from pathlib import Path
from typing import Any

from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.collective.laboratory import Laboratory
from orrery.evidence.statement import statement_of
from orrery.published import as_json
from orrery.tune.discover.barriers import SHORT, barrier_behind
from orrery.tune.discover.candidates import Candidates
from orrery.tune.discover.error import Error
from orrery.tune.discover.infer import ALIKE, ObservedCell, infer
from orrery.tune.library import LIBRARIES, library
from orrery.tune.settings import KINDS
from orrery.tune.timing import BARRIER
from orrery.validate.measured import read
from orrery.validate.predicted import Predictor

FAR = log(1.2)


class Evidence:
    """Measured collectives of a folder, and every candidate of each, simulated as `orrery validate` does."""

    def __init__(self, folder: Path) -> None:
        platform = str(folder / "platform.toml")
        self._predictor = Predictor(
            platform, _core.Selector("default"), "node", models=["hybrid"], replicas=1, force=True
        )
        self._measured = {
            LoopCase(measurement.call.kind, measurement.call.ranks, measurement.call.size): measurement
            for measurement in read([folder / "collectives.csv"], {})
            if measurement.call.kind in KINDS
        }
        laboratory = Laboratory(platform, None, "node", force=True)
        self._candidates = Candidates.of([library(name) for name in LIBRARIES], self._measured, laboratory)
        self._names = {case: self._candidates.names(case, laboratory) for case in self._measured}
        loaded = self._predictor.platform
        self._error = Error(statement_of(loaded))
        self._times: dict[tuple[LoopCase, str], float] = {}

    def cells(self) -> list[dict[str, Any]]:
        """As `orrery tune discover --json` has them."""
        barriers = [case for case in self._measured if case.test == BARRIER]
        self._simulate(barriers, "")
        for choice in infer([self._observed(case) for case in barriers], self._candidates.families).choices:
            ranks = choice.observed.case.ranks
            others = [case for case in self._measured if case.ranks == ranks and case.test != BARRIER]
            short = [case for case in others if case.bytes <= SHORT]

            def trial(name: str, short: list[LoopCase] = short) -> list[ObservedCell]:
                self._simulate(short, f",barrier={name}")
                return [self._observed(case) for case in short]

            barrier = barrier_behind(choice, trial, self._candidates.families)
            print(f"{ranks} ranks: barrier {barrier}; by its own loop {choice.algorithm}")
            self._simulate(others, f",barrier={barrier}")
        found = infer([self._observed(case) for case in self._measured], self._candidates.families)
        print({name: round(share, 3) for name, share in found.families.items()})
        return [as_json(choice) for choice in found.choices]

    def _simulate(self, cases: list[LoopCase], fence: str) -> None:
        by_name: dict[tuple[str, str], list[LoopCase]] = {}
        for case in cases:
            for name in set(self._names[case].values()):
                by_name.setdefault((case.test, name), []).append(case)
        for (kind, name), here in by_name.items():
            self._predictor.selector = _core.Selector("default", f"{kind}={name}{fence}")
            for case in here:
                try:
                    (made,) = self._predictor.predict([self._measured[case]])
                except RuntimeError as error:
                    print(f"{case}: {name} is left out: {error}")
                    continue
                self._times[case, name] = made["hybrid"].median_s

    def _observed(self, case: LoopCase) -> ObservedCell:
        times = {
            name: self._times[case, there] for name, there in self._names[case].items() if (case, there) in self._times
        }
        return ObservedCell(
            *case, measured_s=self._measured[case].median_s, spread=self._error.spread(case), times=times
        )


def cells_of(source: Path) -> list[dict[str, Any]]:
    """The cells of a folder, or of a file of JSON."""
    if source.is_dir():
        return Evidence(source).cells()
    return list(json.loads(source.read_text(encoding="utf-8"))["cells"])


def truth(selector: _core.Selector, cell: dict[str, Any]) -> str:
    """What the selector chooses, as `--coll` has it."""
    case = LoopCase(cell["collective"], cell["ranks"], cell["bytes"])
    places = _core.Places.of_nodes(list(range(case.ranks)))
    return selector.choose(case.call.core(0, places)).name


def apart(cell: dict[str, Any], name: str, other: str) -> float:
    """In ln of time."""
    return abs(log(cell["candidates"][name] / cell["candidates"][other]))


def line(name: str, cells: Iterable[dict[str, Any]], right: Callable[[dict[str, Any]], bool]) -> str:
    """A line of the table."""
    here = list(cells)
    found = sum(1 for cell in here if right(cell))
    return f"{name:<70} {found:4} of {len(here):4}  {100 * found / max(1, len(here)):5.1f} %"


def main(name: str, files: list[Path]) -> None:
    """Print the table, and the cells that are not right."""
    selector = _core.Selector(name)
    cells = [cell for file in files for cell in cells_of(file)]
    for cell in cells:
        cell["truth"] = truth(selector, cell)
    known = [cell for cell in cells if cell["truth"] in cell["candidates"]]
    print(f"{len(cells)} cells; in {len(cells) - len(known)} of them the selector's choice is no candidate")
    differ = [cell for cell in known if log(max(cell["candidates"].values()) / min(cell["candidates"].values())) > FAR]
    clear = [
        cell
        for cell in differ
        if all(not ALIKE <= apart(cell, other, cell["truth"]) <= FAR for other in cell["candidates"])
    ]

    def same(cell: dict[str, Any]) -> bool:
        return apart(cell, cell["algorithm"], cell["truth"]) < ALIKE

    print(line("right class, all cells", known, same))
    print(line("right class, algorithms differ by more than 20 %", differ, same))
    print(
        line(
            "  not confused with one that differs by more than 20 %",
            differ,
            lambda cell: apart(cell, cell["algorithm"], cell["truth"]) < FAR,
        )
    )
    print(line("right class, every alternative differs by more than 20 %", clear, same))
    print(line("right by name, all cells", known, lambda cell: cell["algorithm"] == cell["truth"]))
    for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 1.01)):
        print(
            line(
                f"right class, confidence {low:.1f} to {min(1, high):.1f}",
                (cell for cell in known if low <= cell["confidence"] < high),
                same,
            )
        )
    for cell in known:
        if not same(cell):
            print(
                f"  {cell['collective']:<10} {cell['ranks']:3} {cell['bytes']:8}  {cell['truth']} {cell['candidates'][cell['truth']]:.3g} s, "
                f"found {cell['algorithm']} {cell['simulated_s']:.3g} s, measured {cell['measured_s']:.3g} s, {cell['confidence']:.2f}"
            )


if __name__ == "__main__":
    main(sys.argv[1], [Path(file) for file in sys.argv[2:]])
