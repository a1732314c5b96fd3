# SPDX-License-Identifier: BSD-3-Clause
"""When, where and how a calibration was measured."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.calibrate.fit import Outcome
from orrery.calibrate.measure import About


@dataclass(frozen=True)
class Provenance:
    """When, where and how it was measured."""

    name: str
    date: str
    host: str
    command: str
    mpicc: str
    nodes: int
    ranks_per_node: int
    groups: list[int]
    """Nodes of each cabinet or site."""
    cores: int | None
    """Of a node, where the user says so."""
    budget_s: float
    seed: int
    speed: float
    """Of a core, relative to the host on which the simulation runs; 0: not known."""


def provenance(outcome: Outcome, about: About, host_kernel: float | None) -> Provenance:
    """What the file says of how it came about."""
    measured = outcome.calls.kernel_s
    return Provenance(
        name=about.name,
        date=about.date,
        host=about.host,
        command=about.command,
        mpicc=about.mpicc,
        nodes=about.nodes,
        ranks_per_node=about.ppn,
        groups=about.cabinets,
        cores=about.cores,
        budget_s=about.budget_s,
        seed=about.seed,
        speed=host_kernel / measured if host_kernel and measured > 0 else 0.0,
    )
