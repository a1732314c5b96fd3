# SPDX-License-Identifier: BSD-3-Clause
r"""How well `orrery.tune.beliefs` describes the errors of the simulation: what each of its values is worth.

    python bench/tuning_errors.py tests/evidence/2026-11-27-tuning/switch

FOLDER has the file of a platform (`platform.toml`), loops that were measured by an exhaustive search (`exhaustive.csv`) and the same
simulated (`simulated.csv`), both as `bench/tuning.py` writes them. Shown is the logarithm of the likelihood of all measured times, for each
loop, with the values as they are and with one of them changed. Loops whose turn is off by more than a factor of two are left out: some starts
of the program were disturbed, and all that they measured takes 10 ms longer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import fields, replace
from math import log
from pathlib import Path

from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.collective.laboratory import Laboratory
from orrery.evidence.statement import statement_of
from orrery.platform.prepared import prepare
from orrery.tune.beliefs import Beliefs, ErrorCorrelation, Knowledge
from orrery.tune.library import library
from orrery.tune.measuring import LoopSample, times_of
from orrery.tune.rounds import Rounds
from orrery.tune.search import CellTimes, Loop, SearchScope, search

_DISTURBED = log(2)
_OTHER = {
    "alike": (0.0, 0.3, 0.8),
    "other_choices": (1.0, 1.5, 3.0),
    "sizes": (2.0, 12.0),
    "ranks": (1.0, 4.0),
}


def variations() -> Iterator[tuple[str, ErrorCorrelation]]:
    """What is tried."""
    errors = ErrorCorrelation()
    yield "as it is", errors
    for name, values in _OTHER.items():
        for value in values:
            yield f"{name} = {value:g}", replace(errors, **{name: value})


def cells(folder: Path, chosen: str) -> tuple[list[CellTimes], LoopStore[LoopSample]]:
    """What was simulated, and what was measured."""
    measured = LoopStore(folder / "exhaustive.csv", "exhaustive", LoopSample)
    cases = sorted({LoopCase(*sample[:3]) for sample in measured.read()})
    subject = (folder / "simulated.csv").read_text().split("\n", 1)[0].split()[-1]
    simulated = LoopStore(folder / "simulated.csv", subject, Loop, "orrery tune")
    laboratory = Laboratory(str(folder / "platform.toml"), None, "node", force=True, said=False)
    with laboratory.open():
        return search(cases, SearchScope(library=library(chosen)), laboratory, simulated), measured


def is_steady(cell: CellTimes, loop: Loop, rounds: Rounds) -> bool:
    """Whether a loop was measured in a start that nothing disturbed."""
    turns = (call_s + cell.barrier_s for call_s in (rounds.median_s, cell.times[loop.algorithm]))
    return abs(log(next(turns) / next(turns))) < _DISTURBED


def main() -> None:
    """A line for each variation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--library", default="openmpi-4.1")
    given = parser.parse_args()
    found, measured = cells(given.folder, given.library)
    times = times_of(measured, {cell.case: cell.default for cell in found})
    cells_ = {cell.case: cell for cell in found}
    steady = {loop: rounds for loop, rounds in times.items() if is_steady(cells_[LoopCase(*loop[:3])], loop, rounds)}
    known = Knowledge(steady, statement_of(prepare(str(given.folder / "platform.toml"))))
    values = ", ".join(f"{field.name} {field.default:g}" for field in fields(ErrorCorrelation))
    print(f"{len(steady)} of {len(times)} loops of {len(found)} cells; values: {values}")
    for title, errors in variations():
        print(f"{title:22} {Beliefs(found, known, errors).log_likelihood():8.3f}")


if __name__ == "__main__":
    main()
