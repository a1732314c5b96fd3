# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orrery.errors import InputError


@dataclass(frozen=True)
class CalibrationSettings:
    """Options of `orrery calibrate`."""

    output: Path
    """The platform file."""
    mpirun: str
    """Template of the launcher's command line; see `Launcher`."""
    mpicc: str
    nodes: int
    ppn: int
    cabinets: tuple[int, ...]
    """Nodes of each cabinet or site, in the order of ranks; empty for one."""
    cores: int | None
    budget_s: float
    seed: int
    name: str
    folder: Path
    """Where plan, raw samples and log are kept."""
    fresh: bool = False
    """Measure anew where an unfinished calibration could go on."""

    def __post_init__(self) -> None:
        """Refuse what exchanges no message. Raises InputError."""
        if self.nodes * self.ppn < 2:
            raise InputError(
                "--nodes 1 --ppn 1: one rank exchanges no messages; say --ppn 2 or more for a node by itself, or --nodes 2 or more"
            )

    @property
    def groups(self) -> list[int]:
        """Nodes of each cabinet; all in one where none were named."""
        return list(self.cabinets) or [self.nodes]


def parse_cabinets(text: str, nodes: int) -> tuple[int, ...]:
    """`8,8`. Raises InputError for what does not add up."""
    try:
        sizes = tuple(int(word) for word in text.split(","))
    except ValueError:
        raise InputError(f'--cabinets "{text}": expected numbers of nodes, as in 8,8') from None
    if min(sizes) < 1 or sum(sizes) != nodes:
        raise InputError(f"--cabinets {text}: these are {sum(sizes)} nodes, but --nodes says {nodes}")
    return sizes
