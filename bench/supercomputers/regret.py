# SPDX-License-Identifier: BSD-3-Clause
"""What is chosen by simulation, against the best that was measured."""

from __future__ import annotations

import csv
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.supercomputers.places import Places
from bench.supercomputers.rows import Cell, Row, is_calibration, read_rows
from bench.supercomputers.simulated import Simulated
from bench.supercomputers.twins import is_composed, twin

MOST_MESSAGES = 400_000
"""Calls with more messages take their bound, if that is known to be near."""


MOST_REPEATED = 20_000
"""Calls with more messages are simulated once, without the barrier before them."""


_FIRST_BOUND = 100
"""From this number on, FJMPI's algorithms are its own."""


@dataclass(frozen=True)
class Outcome:
    """One cell: what simulation chose, and what was measured."""

    cell: Cell
    pick: str
    best: str
    pick_us: float
    best_us: float
    default_us: float
    bound: bool
    """The library's default is bound to its topology, or barrier hardware, or it does not say: nothing here is like it."""
    simulated_us: dict[str, float]
    measured_us: dict[str, float]

    @property
    def line(self) -> str:
        """What is told while others are simulated."""
        where = " ".join(str(part) for part in self.cell)
        return f"{where}: {self.pick} {self.regret:.1%}, default {self.default_regret:.1%}, best {self.best}"

    @property
    def regret(self) -> float:
        """How much longer the pick took than the best."""
        return self.pick_us / self.best_us - 1

    @property
    def default_regret(self) -> float:
        """How much longer the library's default took than the best."""
        return self.default_us / self.best_us - 1


def _is_bound(default: Row) -> bool:
    number = re.search(r":(\d+)", default.selected)
    return default.system == "fugaku" and (number is None or int(number[1]) >= _FIRST_BOUND)


def cells(rows: list[Row]) -> dict[Cell, list[Row]]:
    """Cells without a row for calibration in which a default and at least two algorithms with twins of their own were measured."""
    found = defaultdict(list)
    for row in rows:
        found[row.cell].append(row)
    kept = {}
    for cell, here in sorted(found.items()):
        names = {twin(row) for row in here} - {""}
        judgeable = len(names) > 1 and any(row.algorithm.startswith("default") for row in here)
        if judgeable and not any(is_calibration(row) for row in here):
            kept[cell] = here
    return kept


def judged(cell: Cell, here: list[Row], simulated: Simulated) -> Outcome:
    """Choose by simulation. Algorithms that cannot win, by what they take at least, are not simulated."""
    candidates = [row for row in here if twin(row)]
    times: dict[str, float] = {}
    as_measured = here[0].system != "fugaku" and all(
        simulated.messages(row, twin(row)) <= MOST_REPEATED for row in candidates
    )
    for name in sorted(
        {twin(row) for row in candidates}, key=lambda algorithm: (simulated.messages(here[0], algorithm), algorithm)
    ):
        bound = simulated.bound_s(here[0], name)
        if times and bound > min(times.values()):
            times[name] = bound
        elif bound and simulated.messages(here[0], name) > MOST_MESSAGES:
            times[name] = bound if simulated.is_known(here[0], name) else math.inf
        else:
            times[name] = simulated.time_s(here[0], name, as_measured=as_measured)
    pick = min(candidates, key=lambda row: (times[twin(row)], not row.by_library, row.algorithm))
    best = min(candidates, key=lambda row: row.time_us)
    default = next(row for row in here if row.algorithm.startswith("default"))
    return Outcome(
        cell, pick.algorithm, best.algorithm, pick.time_us, best.time_us, default.time_us, _is_bound(default),
        {row.algorithm: times[twin(row)] * 1e6 for row in candidates}, {row.algorithm: row.time_us for row in candidates},
    )  # fmt: skip


def outcomes(
    folder: Path,
    platforms: Path,
    keep: Path | None = None,
    systems: frozenset[str] = frozenset(),
    *,
    composed: bool = False,
) -> Iterator[Outcome]:
    """Judge all cells, run by run.

    Args:
        folder: the data.
        platforms: folder with the platforms.
        keep: file for what was simulated.
        systems: only these; by default all.
        composed: also algorithms of Fugaku that are its own choices for two other collectives.
    """
    kept: dict[str, float] = json.loads(keep.read_text(encoding="utf-8")) if keep and keep.exists() else {}
    places = Places(folder)
    labs: dict[tuple[str, str, int], Simulated] = {}
    rows = [row for row in read_rows(folder) if composed or not is_composed(row)]
    for cell, here in cells(rows).items():
        row = here[0]
        if systems and row.system not in systems:
            continue
        lab = (row.system, row.run, row.ranks)
        if lab not in labs:
            labs = {lab: Simulated(platforms / f"{row.system.replace('_', '-')}.toml", row, places, kept)}
        yield judged(cell, here, labs[lab])
        if keep:
            keep.write_text(json.dumps(kept), encoding="utf-8")


def summary(found: list[Outcome]) -> str:
    """A table in Markdown: regrets by system."""
    lines = [
        "| system | cells | pick: mean regret | median | within 10 % | default: mean regret | median | within 10 % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups = {
        system: [outcome for outcome in found if outcome.cell[0] == system]
        for system in sorted({outcome.cell[0] for outcome in found})
    }
    if any(outcome.bound for outcome in found):
        groups["fugaku, defaults that have a twin"] = [outcome for outcome in groups["fugaku"] if not outcome.bound]
    for system, here in groups.items():
        columns = []
        for regrets in ([outcome.regret for outcome in here], [outcome.default_regret for outcome in here]):
            within = sum(regret <= 0.1 for regret in regrets) / len(regrets)
            columns += [f"{statistics.fmean(regrets):.1%}", f"{statistics.median(regrets):.1%}", f"{within:.0%}"]
        lines.append(f"| {system} | {len(here)} | " + " | ".join(columns) + " |")
    return "\n".join(lines)


_COLUMNS = ["system", "run", "test", "ranks", "collective", "bytes", "algorithm", "measured_us", "simulated_us", "pick", "default_us"]  # fmt: skip


def write_cells(path: Path, found: list[Outcome]) -> None:
    """All cells, a row for each algorithm."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for outcome in found:
            for algorithm, time in outcome.measured_us.items():
                writer.writerow(
                    [
                        *outcome.cell,
                        algorithm,
                        time,
                        outcome.simulated_us[algorithm],
                        algorithm == outcome.pick,
                        outcome.default_us,
                    ]
                )
