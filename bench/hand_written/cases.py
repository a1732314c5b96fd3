# SPDX-License-Identifier: BSD-3-Clause
"""Measured calls, and what platforms that were written by hand predict of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.supercomputers.places import Places
from bench.supercomputers.rows import Row, is_calibration, read_rows, table
from bench.supercomputers.simulated import Simulated
from bench.supercomputers.twins import is_composed, twin

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory

MOST_MESSAGES = 20_000
"""Larger calls are left out."""
COLUMNS = ("machine", "platform", "collective", "algorithm", "nodes", "ranks", "bytes", "measured_us", "predicted_us")


class Case(NamedTuple):
    """A row of the file, in the order of `COLUMNS`."""

    machine: str
    platform: str
    """What the platform rests on."""
    collective: str
    algorithm: str
    nodes: int
    ranks: int
    bytes: int
    """As `orrery collective` counts them."""
    measured_us: float
    predicted_us: float


def supercomputers(data: Path, platforms: Path, rests_on: str) -> Iterator[Case]:
    """Algorithms that Orrery has, on the nodes where PICO measured them."""
    places = Places(data)
    simulated: dict[tuple[str, str, int], Simulated] = {}
    kept: dict[str, float] = {}
    for row in read_rows(data):
        name = twin(row)
        if not name or is_composed(row) or is_calibration(row):
            continue
        key = (row.system, row.run, row.ranks)
        machine = row.system.replace("_", "-")
        if key not in simulated:
            simulated[key] = Simulated(platforms / f"{machine}.toml", row, places, kept)
        laboratory = simulated[key]
        if laboratory.messages(row, name) > MOST_MESSAGES:
            continue
        time_s = laboratory.time_s(row, name, as_measured=row.system != "fugaku")
        yield Case(
            machine, rests_on, row.collective, name, row.nodes, row.ranks, _size(row), row.time_us, round(time_s * 1e6, 3)
        )  # fmt: skip


def _size(row: Row) -> int:
    """The whole vector for a reduce-scatter; what one rank passes for the other collectives."""
    return row.block * row.ranks if row.collective == "reduce_scatter" else row.block


@dataclass(frozen=True)
class _Source:
    """A machine of the published results, and which of its rows can be predicted."""

    platform: str
    selector: str
    ranks_per_node: int
    mpi: str | None = None


_ELEMENT = {"allreduce": 4, "alltoall": 1}
"""Bytes of an element in these benchmarks."""
_SOURCES = {
    "Frontier": _Source("frontier", "mpich-4.0", 8, mpi="MPICH-host"),
    "OCI BM.Optimized3.36 RoCE 100G": _Source("oci-optimized3", "openmpi-4.1", 36),
}


def published_results(data: Path, platforms: Path) -> Iterator[Case]:
    """Collectives whose placement is known, by the algorithm that the library is expected to choose."""
    rows = list(table(data / "collectives.csv.gz"))
    for system, source in _SOURCES.items():
        mapping = f"ppr:{source.ranks_per_node}"
        file = platforms / f"{source.platform}.toml"
        laboratory = Laboratory(str(file), "hybrid", mapping, force=True, said=False)
        selector = _core.Selector(source.selector)
        for row in rows:
            usable = row["system"] == system and row["ppn"] == str(source.ranks_per_node)
            if not usable or source.mpi not in (None, row["mpi"]) or row["test"] not in ("allreduce", "alltoall"):
                continue
            call = Call(
                row["test"],
                int(row["bytes"]),
                int(row["nodes"]) * source.ranks_per_node,
                type_size=_ELEMENT[row["test"]],
            )
            choice = laboratory.chosen(selector, call)
            if not call.size or _core.estimated_messages(laboratory.whole(call), choice) > MOST_MESSAGES:
                continue
            (future,) = laboratory.begin([(call, choice)])
            yield Case(
                source.platform, "published figures", call.kind, choice.name, int(row["nodes"]), call.ranks, call.size,
                float(row["us"]), round(future.result().time_s * 1e6, 3),
            )  # fmt: skip
