# SPDX-License-Identifier: BSD-3-Clause
"""What a run can be told, declared once: checks, help of the command line and record come from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orrery.errors import InputError
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model

Start = Literal["auto", "fork", "exec"]
Clock = Literal["simulated", "host"]
Compute = Literal["cpu", "none"] | float
Vary = Literal["noise", "calibration"]


@dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """What runs and replays have in common."""

    model: Model | None = None
    """Network model: hybrid, loggps or fluid; by default the platform's own."""
    mapping: str = "slot"
    """Where ranks go: `slot` fills the cores of a node before the next, `node` deals ranks to nodes in turn, `socket` fills
    nodes but deals the ranks of each to its sockets in turn, `cabinet` deals ranks to cabinets, leaves or groups in turn, `random:SEED` to cores that are drawn, `file:PATH` as a host or rank file says."""
    coll: str = ""
    """Collective algorithms that you fix, such as "allreduce=ring,bcast=binomial:segment=32KiB"."""
    rules: Path | None = None
    """Rules file that overrules the selector: Open MPI's (coll_tuned_dynamic_rules_filename), classic or JSON, or MPICH's
    (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, or with CH4_COLL for its device)."""
    replicas: int = 1
    """Simulate so many times, each with noise of its own from the platform's [hybrid.noise], and give the median and the
    range from the 5th to the 95th percentile."""
    vary: Vary = "noise"
    """What replicas differ in: the `noise` of messages alone, or, from the second one on, the parameters of the platform as
    well, as far as its `calibration` leaves them open ([calibration.draws], which `orrery calibrate` writes)."""
    seed: int = 0
    """Seed of the noise, of the first replica; the next one has the next seed. The same seed gives the same times."""
    force: bool = False
    """Use a platform whose calibration is poor, or too small a one whose network was not measured."""


@dataclass(frozen=True, kw_only=True)
class RunSettings(SimulationSettings):
    """One run of a program. The command line checks the values, by these types."""

    command: list[str]
    """Program to run, and its arguments."""
    ranks: int
    """Number of ranks: the size of MPI_COMM_WORLD."""
    platform: str = DEFAULT
    """Platform to run on: a built-in name (see `orrery platform list`) or a TOML file."""
    start: Start = "auto"
    """How ranks become processes: `fork` starts the program once and forks it in MPI_Init, `exec` starts it once for
    each rank; `auto` forks, except Python programs."""
    clock: Clock = "simulated"
    """What clocks and sleeps of the program follow: `simulated` time or that of this `host`."""
    compute: Compute = "cpu"
    """What computation costs: `cpu` as many seconds as it used a processor here, scaled by the platform's speed; a
    FACTOR times that; or `none`, which makes times the same in every run."""
    selector: str = "default"
    """Who chooses collective algorithms: `default`, the thresholds of the literature, or a library of some version, as
    it does without settings."""
    label: bool = False
    """Put `[rank] ` before each line that the program writes."""
    timeout_s: float | None = None
    """End the run when it has taken so many seconds of this host's time; it then exits with 124."""
    spawn_limit: int = 256
    """How many ranks the program may start besides, with MPI_Comm_spawn."""
    json_file: Path | None = None
    """Write the record of the run, profile included, to this file."""
    trace: Path | None = None
    """Record what the ranks did in this file, which `orrery replay` runs again, on any platform."""


def parse_timeout(text: str) -> float:
    """Seconds above 0. Raises InputError for anything else."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise InputError(f'--timeout "{text}": expected seconds above 0')
    return seconds


def parse_compute(text: str) -> Compute:
    """`cpu`, `none` or a factor above 0. Raises InputError for anything else."""
    if text == "cpu":
        return "cpu"
    if text == "none":
        return "none"
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise InputError(f'--compute "{text}": expected cpu, none, or a factor above 0 such as 0.5')
    return factor
