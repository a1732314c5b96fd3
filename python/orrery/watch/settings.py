# SPDX-License-Identifier: BSD-3-Clause
"""What a watched run can be told, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from orrery import _core
from orrery.experiment.settings import SimulationSettings
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.verbs import same, setting


@dataclass(frozen=True, kw_only=True)
class WatchSettings:
    """One run to watch."""

    command: list[str]
    """What starts the program."""
    platform: Annotated[str, same(SimulationSettings)] = DEFAULT
    """Platform that says what is expected: a built-in name, or the file that `orrery calibrate` wrote."""
    model: Annotated[Model | None, same(SimulationSettings)] = None
    mapping: Annotated[str | None, same(SimulationSettings)] = None
    selector: Annotated[str | None, same(SimulationSettings, listed=_core.selectors)] = None
    rules: Annotated[Path | None, same(SimulationSettings)] = None
    every_s: Annotated[float, setting("--every", metavar="SECONDS", least=0.1)] = 10.0
    """From one line to the next while the program runs."""
    output_aside: bool = False
    """What the program writes to standard output goes to standard error."""
    mpicc: Annotated[str | None, setting("--mpicc", metavar="COMMAND")] = None
    """Compiler of your MPI; by default the one that lies beside mpirun."""
    force: Annotated[bool, same(SimulationSettings)] = False
