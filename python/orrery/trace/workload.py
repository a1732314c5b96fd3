# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic workloads: what their TOML files may say, declared once, and how they become phases of the core."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery import _core
from orrery.documents import expected_value, parse_toml, read_text
from orrery.errors import InputError
from orrery.platform.schema import Seconds, Size
from orrery.toml_lines import dotted, line_of

_MOST_RANKS = 1 << 24
_Extents = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=4)]
_Fraction = Annotated[float, Field(ge=0, le=1)]
_Collective = Literal[
    "barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "gather",
    "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"
]  # fmt: skip


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Phase(_Table):
    repeat: int = Field(default=1, ge=0, lt=1 << 31)
    """How many times, before the next phase."""
    compute_s: Seconds = 0.0
    """Computation of every rank before each repetition."""
    imbalance: _Fraction = 0.0
    """Computation varies from (1 - imbalance) to (1 + imbalance) times that, from rank to rank and time to time."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """Seed of all that is drawn: another seed, another draw."""


class ComputePhase(_Phase):
    """Computation only."""

    kind: Literal["compute"]


class _GridPhase(_Phase):
    grid: _Extents | None = None
    """Ranks in each dimension, the last varying fastest; their product is the number of ranks."""
    dimensions: int = Field(default=3, ge=1, le=4)
    """Without `grid`: how many dimensions the ranks are dealt to, as evenly as they can be."""
    bytes: Size | list[Size] = 8192
    """Size of a message, or one size for each dimension."""


class Halo(_GridPhase):
    """Exchange with the neighbours in all directions."""

    kind: Literal["halo"]
    periodic: bool = True
    """Ranks at the two ends of a dimension are neighbours."""


class Wavefront(_GridPhase):
    """Planes that go through the grid, from its corners in turn."""

    kind: Literal["wavefront"]
    planes: int = Field(default=1, ge=0, lt=1 << 31)
    """That follow each other."""
    sweeps: int = Field(default=1, ge=0, lt=1 << 31)
    """Each from the next corner."""
    plane_s: Seconds = 0.0
    """Computation of a plane on a rank."""


class MasterWorker(_Phase):
    """Rank 0 deals tasks to whoever is idle."""

    kind: Literal["master-worker"]
    tasks: int = Field(ge=0, lt=1 << 62)
    task_bytes: Size = 1024
    result_bytes: Size = 1024
    task_s: Seconds = 1e-3
    """Mean computation of a task."""
    task_imbalance: _Fraction = 0.0
    """Tasks take from (1 - this) to (1 + this) times that."""


class RandomPhase(_Phase):
    """Each rank sends to others at random, and receives as many messages."""

    kind: Literal["random"]
    messages: int = Field(default=1, ge=0, lt=1 << 31)
    """That each rank sends."""
    bytes: Size = 8192
    """The most of a message."""
    least_bytes: Size | None = None
    """The least; by default all are equally long."""


class CollectivePhase(_Phase):
    """A collective call of all ranks."""

    kind: _Collective
    bytes: Size = 8
    """The vector of bcast, reduce, allreduce and scans; else one rank's block."""
    element_bytes: int = Field(default=8, ge=1, le=1 << 30)
    root: int = Field(default=0, ge=0)


AnyPhase = Annotated[
    ComputePhase | Halo | Wavefront | MasterWorker | RandomPhase | CollectivePhase, Field(discriminator="kind")
]


class Workload(_Table):
    """A whole file."""

    ranks: int = Field(ge=1, le=_MOST_RANKS)
    steps: int = Field(default=1, ge=0, lt=1 << 40)
    """How many times all phases come, one after the other."""
    phases: list[AnyPhase] = Field(alias="phase", min_length=1)


def load(path: Path) -> Workload:
    """Read and check a workload. Raises InputError naming file, line and key."""
    text = read_text(path)
    data = parse_toml(path, text)
    try:
        return Workload.model_validate(data)
    except ValidationError as error:
        raise InputError(_describe(path, text, error)) from None


def phases(workload: Workload) -> list[_core.WorkloadPhase]:
    """As the core has them. Raises InputError for a grid that does not fit the ranks."""
    made = []
    for number, described in enumerate(workload.phases):
        phase = _phase(described, workload.ranks, f"phase[{number}]")
        phase.repeat, phase.compute_s, phase.imbalance, phase.seed = (
            described.repeat,
            described.compute_s,
            described.imbalance,
            described.seed,
        )
        made.append(phase)
    return made


def _phase(phase: AnyPhase, ranks: int, key: str) -> _core.WorkloadPhase:
    make = _core.WorkloadPhase
    match phase:
        case ComputePhase():
            return make.compute()
        case Halo():
            grid = _grid(phase, ranks, key)
            return make.halo(grid, _sizes(phase.bytes, grid, key), phase.periodic)
        case Wavefront():
            grid = _grid(phase, ranks, key)
            return make.wavefront(grid, _sizes(phase.bytes, grid, key), phase.planes, phase.sweeps, phase.plane_s)
        case MasterWorker():
            return make.master_worker(
                phase.tasks, phase.task_bytes, phase.result_bytes, phase.task_s, phase.task_imbalance, phase.seed
            )
        case RandomPhase():
            least = phase.bytes if phase.least_bytes is None else phase.least_bytes
            return make.random(phase.messages, least, phase.bytes, phase.seed)
        case CollectivePhase():
            if phase.root >= ranks:
                raise InputError(f"{key}.root: {phase.root}, and there are {ranks} ranks, from 0")
            return make.collective(phase.kind, phase.bytes, phase.element_bytes, phase.root)


def _grid(phase: _GridPhase, ranks: int, key: str) -> list[int]:
    if phase.grid is None:
        return balanced(ranks, phase.dimensions)
    if prod(phase.grid) != ranks:
        shape = " x ".join(map(str, phase.grid))
        raise InputError(f"{key}.grid: {shape} = {prod(phase.grid)} points, and there are {ranks} ranks")
    return list(phase.grid)


def _sizes(sizes: int | Sequence[int], grid: Sequence[int], key: str) -> list[int]:
    if isinstance(sizes, int):
        return [sizes] * len(grid)
    if len(sizes) != len(grid):
        raise InputError(f"{key}.bytes: {len(sizes)} sizes for {len(grid)} dimensions")
    return list(sizes)


def balanced(ranks: int, dimensions: int) -> list[int]:
    """Extents whose product is `ranks`, as even as its factors allow, the largest first; as MPI_Dims_create gives them."""
    extents = [1] * dimensions
    for factor in reversed(_prime_factors(ranks)):
        extents[extents.index(min(extents))] *= factor
    return sorted(extents, reverse=True)


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return [*factors, number] if number > 1 else factors


def _describe(path: Path, text: str, error: ValidationError) -> str:
    """The first mistake of the file, with its line."""
    mistakes = error.errors(include_url=False)
    details = mistakes[0]
    # Pydantic puts the kind of a phase between its number and its key; the file does not have it there.
    key = tuple(part for place, part in enumerate(details["loc"]) if place != 2 or details["loc"][0] != "phase")
    key = tuple(part for part in key if part != "list[constrained-int]" and not str(part).startswith("function-"))
    line = line_of(text, key)
    where = f"{path}:{line}" if line else f"{path}"
    what = expected_value(details)
    others = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    return f"{where}: {dotted(key)}: {what[:1].lower()}{what[1:]}{others}"
