# SPDX-License-Identifier: BSD-3-Clause
"""Platforms of four supercomputers, fitted to few measured collectives, and what is chosen on them by simulation.

tests/data/pico has the rows for calibration, and some of those that are kept apart.
"""

from __future__ import annotations

import csv
import gzip
import math
import statistics
import sys
from pathlib import Path

import pytest

from orrery import _core
from orrery.platform.load import load

_ROOT = Path(__file__).parents[2]
_DATA = _ROOT / "tests" / "data" / "pico"
_PLATFORMS = _ROOT / "bench" / "platforms"
_MOST_REGRET = 0.1

sys.path.insert(0, str(_ROOT))
from bench.supercomputers.fit import fit  # noqa: E402 - it is no part of the package
from bench.supercomputers.folding import folded, folded_position  # noqa: E402
from bench.supercomputers.places import Places  # noqa: E402
from bench.supercomputers.platform_file import platform_file  # noqa: E402
from bench.supercomputers.regret import outcomes  # noqa: E402
from bench.supercomputers.rows import is_calibration, read_rows  # noqa: E402
from bench.supercomputers.simulated import Simulated  # noqa: E402
from bench.supercomputers.twins import TWINS  # noqa: E402


def _platforms(data: Path) -> dict[str, str]:
    return {f"{fitted.system.replace('_', '-')}.toml": platform_file(fitted) for fitted in fit(data)}


def test_the_platforms_are_what_the_fit_gives() -> None:
    for name, text in _platforms(_DATA).items():
        assert (_PLATFORMS / name).read_text(encoding="utf-8") == text
        load(str(_PLATFORMS / name))


def test_the_fit_reads_no_row_but_those_for_calibration(tmp_path: Path) -> None:
    (tmp_path / "allocations.csv.gz").write_bytes((_DATA / "allocations.csv.gz").read_bytes())
    for_calibration = {row for row in read_rows(_DATA) if is_calibration(row)}
    assert len(for_calibration) == 86
    with gzip.open(_DATA / "collectives.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    times = {(row.run, row.collective, row.algorithm, row.bytes) for row in for_calibration}
    for row in rows:
        if (row["run"], row["collective"], row["algorithm"], int(row["bytes"])) not in times:
            row["median_us"] = "1"
    with gzip.open(tmp_path / "collectives.csv.gz", "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert _platforms(tmp_path) == _platforms(_DATA)


def test_a_fitted_exchange_takes_as_long_as_the_measured_one() -> None:
    # A ring of an allgather is as many exchanges as there are other ranks, and nothing else: the same on the fitted platform.
    ring = [
        row
        for row in read_rows(_DATA)
        if row.system == "mare_nostrum" and row.algorithm == "ring_ompi" and row.ranks == 32
    ]
    simulated = Simulated(_PLATFORMS / "mare-nostrum.toml", ring[0], Places(_DATA), {})
    for row in ring:
        assert simulated.time_s(row, "ring", as_measured=False) * 1e6 == pytest.approx(row.time_us, rel=0.1)


@pytest.mark.parametrize("sides", [(2, 2, 2), (4, 4, 4), (8, 8, 8), (64, 64)])
def test_neighbours_on_the_torus_of_a_job_are_neighbours_in_the_network(sides: tuple[int, ...]) -> None:
    sizes = [size for side in sides for size in folded(side)]
    ranks = math.prod(sides)
    positions = [folded_position(rank, list(sides)) for rank in range(ranks)]
    assert sorted(positions) == list(range(ranks))

    def digits(position: int) -> list[int]:
        return [position // math.prod(sizes[:i]) % size for i, size in enumerate(sizes)]

    for i, side in enumerate(sides):
        stride = math.prod(sides[:i])
        for rank in range(ranks):
            along = rank // stride % side
            other = rank + ((along + 1) % side - along) * stride
            assert math.dist(digits(positions[rank]), digits(positions[other])) == 1


def test_every_twin_is_an_algorithm() -> None:
    known = {(algorithm.collective, algorithm.name) for algorithm in _core.algorithms()}
    for collective, twins in TWINS.items():
        for name in twins.values():
            kind = "reduce_scatter_block" if (collective, name) == ("reduce_scatter", "bine") else collective
            assert (kind, name) in known


def test_what_simulation_chooses_is_better_than_the_default() -> None:
    found = list(outcomes(_DATA, _PLATFORMS))
    assert {outcome.cell[0] for outcome in found} == {"lumi", "mare_nostrum", "fugaku", "leonardo"}
    regret = statistics.fmean(outcome.regret for outcome in found)
    assert regret <= _MOST_REGRET
    assert regret < statistics.fmean(outcome.default_regret for outcome in found)
