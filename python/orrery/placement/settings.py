# SPDX-License-Identifier: BSD-3-Clause
"""What a search for a placement can be told, declared once: the help of options comes from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from orrery.experiment.settings import SimulationSettings
from orrery.platform.model import Model
from orrery.verbs import same, setting

ENDINGS = (".csv", ".json", ".mtx")
"""Endings of files that are a matrix."""

NODES = {"clusters": "acts not with {clusters}, which knows clusters, not nodes"}
"""Why a setting that is about nodes acts on nothing."""

Format = Literal["orrery", "openmpi-rankfile", "hydra-hostfile", "slurm-arbitrary", "cray-reorder"]


@dataclass(frozen=True, kw_only=True)
class PlaceSettings:
    """One search. The docstring of a field is the help of its option."""

    source: Path
    """What says who sends how much to whom: a trace or anything else that `orrery replay` takes; a matrix, FILE.csv or
    FILE.mtx; a record of `orrery profile --json`, FILE.json; or, with -n, a program, which runs once in simulation."""
    program: list[str] = field(default_factory=list)
    """The program and its arguments; empty: there is none."""
    ranks: Annotated[int | None, setting("-n", "-np", "--ranks", metavar="N", least=1)] = None
    """Number of ranks of a program, or of a job."""
    platform: Annotated[str | None, same(SimulationSettings, beside=NODES)] = None
    """Platform to place ranks on: a built-in name (see `orrery platform list`) or a TOML file; by default the one that a
    trace was recorded on."""
    model: Annotated[Model | None, same(SimulationSettings, beside=NODES)] = None
    """Network model: hybrid, loggps or fluid; by default the platform's own, or that of the recording."""
    mapping: Annotated[str | None, same(SimulationSettings, beside=NODES)] = None
    """The mapping to compare with, and to keep where no other is better, as `orrery run --map` takes it; by default that of
    the recording, or `slot`."""
    selector: Annotated[str | None, same(SimulationSettings, beside=NODES)] = None
    """Selector of collective algorithms, which decides what messages collectives are made of, as of `orrery run`; by
    default that of the recording."""
    groups: Annotated[Path | None, setting("--groups", metavar="FILE")] = None
    """Job profile: groups of ranks, and what each needs (TOML or XML). Ranks go only where that is met."""
    clusters: Annotated[Path | None, setting("--clusters", metavar="FILE.toml", in_python=False)] = None
    """Several clusters, with what is free on them, as TOML: find the cluster for each group of {groups}."""
    replicas: Annotated[int, same(SimulationSettings, beside=NODES)] = 5
    """Number of simulations of the best mapping and of the given one, each pair with its own draw of the platform's noise,
    for the interval of the gain."""
    seed: Annotated[int | None, same(SimulationSettings, beside=NODES)] = None
    """Seed of the search, and of the noise of the first replica; by default 0, and for the noise that of the recording. The
    same seed gives the same mapping."""
    force: Annotated[bool, same(SimulationSettings, beside=NODES)] = False
    """Use a platform whose calibration is poor."""
    format: Annotated[Format, setting("--format", metavar="FORMAT", needs="output", beside=NODES, in_python=False)] = (
        "orrery"
    )
    """What is written: a rank file for `orrery run --map file:FILE`, a rank file of Open MPI, a host file of Hydra (MPICH), a
    host for each rank (Slurm's arbitrary distribution), or an order of ranks (Cray's MPICH_RANK_ORDER)."""

    @property
    def of_matrix(self) -> bool:
        """Whether the source is a matrix, of which nothing can be simulated."""
        return self.ranks is None and self.source.suffix.lower() in ENDINGS
