# SPDX-License-Identifier: BSD-3-Clause
"""Provenance of a calibration: date, host, options, and the speed of its processors."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.calibrate.fit import CalibrationOutcome
from orrery.calibrate.measure import About


@dataclass(frozen=True)
class Provenance:
    """Date, host and options of a calibration, and the speed of its processors."""

    name: str
    date: str
    host: str
    command: str
    mpicc: str
    nodes: int
    ranks_per_node: int
    groups: list[int]
    """Number of nodes in each cabinet or site."""
    cores: int | None
    """Cores of a node, if the user gave them."""
    budget_s: float
    seed: int
    vms_per_host: int | None
    """How many nodes are virtual machines of one host; None: none are."""
    speed: float
    """Speed of a core relative to the host that simulates; 0: unknown."""


def provenance(outcome: CalibrationOutcome, about: About, host_kernel: float | None) -> Provenance:
    """Provenance of `outcome`. `host_kernel`: seconds of the fixed piece of arithmetic on this host; None: unknown."""
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
        vms_per_host=about.vms_per_host,
        speed=host_kernel / measured if host_kernel and measured > 0 else 0.0,
    )
