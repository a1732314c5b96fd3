# SPDX-License-Identifier: BSD-3-Clause
"""What all simulations can be told, of programs and of traces, declared once: checks, help and record come from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orrery.errors import InputError
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model

Vary = Literal["noise", "calibration"]


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """What runs and replays have in common."""

    platform: str = DEFAULT
    """Platform to run on: a built-in name (see `orrery platform list`) or a TOML file."""
    model: Model | None = None
    """Network model: hybrid, loggps or fluid; by default the platform's own."""
    mapping: str = "slot"
    """Where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn, `socket` fills
    nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets, leaves or groups in turn, `random:SEED` to cores that are drawn, `file:PATH` as a host or rank file says."""
    selector: str = "default"
    """Who chooses collective algorithms: `default`, the thresholds of the literature, or a library of some version, as
    it does without settings."""
    coll: str = ""
    """Collective algorithms that you fix, such as "allreduce=ring,bcast=binomial:segment=32KiB"."""
    rules: Path | None = None
    """Rules file that overrules the selector: Open MPI's (coll_tuned_dynamic_rules_filename), classic or JSON, or MPICH's
    (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device)."""
    replicas: int = 1
    """Simulate so many times, each with noise of its own from the platform's noise, and give the median and the
    range from the 5th to the 95th percentile."""
    vary: Vary = "noise"
    """What replicas differ in: the `noise` of messages alone, or, from the second one on, the parameters of the platform as
    well, as far as its `calibration` leaves them open ([calibration.draws], which `orrery calibrate` writes)."""
    seed: int = 0
    """Seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same times."""
    trace: Path | None = None
    """Record what the ranks did in this file, which `orrery replay` runs again, on any platform. Of a replay: what they did
    on its platform, with the messages that they got there; computation is recorded as it was, without --compute-scale."""
    force: bool = False
    """Use a platform whose calibration is poor, or too small a one whose network was not measured."""


def check_vary(settings: SimulationSettings) -> None:
    """Raises InputError for --vary calibration without replicas: the first one has the platform's own parameters."""
    if settings.vary == "calibration" and settings.replicas == 1:
        raise InputError("--vary calibration: acts on replicas from the second one on; say how many: --replicas 20")
