# SPDX-License-Identifier: BSD-3-Clause
"""Options that all commands have which simulate, each under one name and with one explanation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from orrery import _core
from orrery.cli.options import option
from orrery.collective import best
from orrery.experiment.settings import DEFAULT_MAPPING, SimulationSettings, Vary
from orrery.experiment.variants import MOST_SEED
from orrery.platform.model import Model

ModelOption = Annotated[Model | None, option(SimulationSettings, "model", "--model", metavar="hybrid|loggps|fluid")]
MAPPING_NAMES = ("--map", "--mapping")
"""The word that all messages and pages use, and the name that the setting has in Python and in records."""
MAPPING_METAVAR = "slot|node|socket|cabinet|ppr:N|random:SEED|file:PATH"
MappingOption = Annotated[str, option(SimulationSettings, "mapping", *MAPPING_NAMES, metavar=MAPPING_METAVAR)]
SELECTORS = (*_core.selectors(), best.NAME)
"""All that choose algorithms of collectives, where calls are simulated: `best` needs a platform."""
SelectorOption = Annotated[str, option(SimulationSettings, "selector", "--selector", metavar="NAME", values=SELECTORS)]
LauncherOption = Annotated[str, option(SimulationSettings, "launcher", "--launcher", metavar="ssh|manager[:FANOUT]")]
CollOption = Annotated[str, option(SimulationSettings, "coll", "--coll", metavar="KIND=ALGORITHM,...")]
RulesOption = Annotated[Path | None, option(SimulationSettings, "rules", "--selector-rules", metavar="FILE")]
ReplicasOption = Annotated[int, option(SimulationSettings, "replicas", "--replicas", metavar="N", min=1)]
VaryOption = Annotated[Vary, option(SimulationSettings, "vary", "--vary", metavar="noise|calibration")]
ReplayedMapping = Annotated[str | None, option(SimulationSettings, "mapping", *MAPPING_NAMES, metavar=MAPPING_METAVAR)]
RecordedMapping = Annotated[
    str | None,
    option(
        SimulationSettings,
        "mapping",
        *MAPPING_NAMES,
        metavar=MAPPING_METAVAR,
        show_default=f"{DEFAULT_MAPPING}, or as a trace was recorded",
    ),
]
ReplayedLauncher = Annotated[
    str | None, option(SimulationSettings, "launcher", "--launcher", metavar="ssh|manager[:FANOUT]")
]
ReplayedColl = Annotated[str | None, option(SimulationSettings, "coll", "--coll", metavar="KIND=ALGORITHM,...")]
ReplayedSeed = Annotated[int | None, option(SimulationSettings, "seed", "--seed", metavar="N", min=0, max=MOST_SEED)]
"""These are, where nothing is said, as in the recording."""
ForceOption = Annotated[bool, option(SimulationSettings, "force", "--force")]
SeedOption = Annotated[int, option(SimulationSettings, "seed", "--seed", metavar="N", min=0, max=MOST_SEED)]
