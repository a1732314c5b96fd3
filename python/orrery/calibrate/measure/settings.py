# SPDX-License-Identifier: BSD-3-Clause
"""Options of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orrery.errors import InputError
from orrery.real_mpi.launcher import Launcher


@dataclass(frozen=True)
class CalibrationSettings:
    """Options of `orrery calibrate`."""

    output: Path
    """The platform file to write."""
    mpirun: str
    """Template of the launcher's command line; see `Launcher`."""
    mpicc: str
    nodes: int
    ppn: int
    """Ranks on each node."""
    cabinets: tuple[int, ...]
    """Number of nodes in each cabinet or site, in the order of ranks; empty if there is only one."""
    cores: int | None
    """Cores of a node for the platform file; None: as measured."""
    budget_s: float
    """Time for the whole measurement."""
    seed: int
    name: str
    folder: Path
    """Folder of plan, raw samples and log."""
    vms_per_host: int | None = None
    """How many nodes are virtual machines of one host, in the order of ranks; None: nodes are no virtual machines."""
    fresh: bool = False
    """Start a new measurement even if an unfinished one could be resumed."""

    def __post_init__(self) -> None:
        """Raise InputError for a launcher that is no template, and for a single rank, which exchanges no messages."""
        _ = self.launcher
        if self.vms_per_host is not None:
            self._check_hosts(self.vms_per_host)
        if self.nodes * self.ppn < 2:
            raise InputError(
                "--nodes 1 --ppn 1: one rank exchanges no messages; say --ppn 2 or more for a node by itself, or --nodes 2 or more"
            )

    def _check_hosts(self, per_host: int) -> None:
        """Raise InputError unless there are several hosts, and only them."""
        if self.cabinets:
            raise InputError("--vms-per-host: not with --cabinets; hosts are what is measured then")
        if self.nodes <= per_host:
            raise InputError(
                f"--vms-per-host {per_host}: with --nodes {self.nodes} there is one host; measure two or more"
            )

    @property
    def launcher(self) -> Launcher:
        """What starts the ranks."""
        return Launcher(self.mpirun, self.nodes, self.ppn)

    @property
    def groups(self) -> list[int]:
        """Number of nodes in each cabinet, or on each host; without either, all nodes form one group."""
        if (most := self.vms_per_host) is not None and most > 1:
            return [min(most, self.nodes - first) for first in range(0, self.nodes, most)]
        return list(self.cabinets) or [self.nodes]


def parse_cabinets(text: str, nodes: int) -> tuple[int, ...]:
    """Read cabinet sizes such as `8,8`. Raises InputError if they do not add up to `nodes`."""
    try:
        sizes = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InputError(f'--cabinets "{text}": expected numbers of nodes, as in 8,8') from None
    if min(sizes) < 1 or sum(sizes) != nodes:
        raise InputError(f"--cabinets {text}: these are {sum(sizes)} nodes, but --nodes says {nodes}")
    return sizes
