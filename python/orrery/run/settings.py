# SPDX-License-Identifier: BSD-3-Clause
"""What a run can be told, declared once: checks, help of the command line and record come from here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from orrery.errors import InputError
from orrery.platform.find import DEFAULT
from orrery.platform.model import Model
from orrery.run.programs import Program, words_of

Launch = Literal["auto", "fork", "exec"]
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


@dataclass(frozen=True, kw_only=True)
class RunSettings(SimulationSettings):
    """One run of a program. The command line checks the values, by these types."""

    programs: list[Program]
    """Programs to run, in the order of their ranks; nearly always one."""
    platform: str = DEFAULT
    """Platform to run on: a built-in name (see `orrery platform list`) or a TOML file."""
    launch: Launch = "auto"
    """How ranks become processes: `fork` starts the program once and forks it in MPI_Init, `exec` starts it once for
    each rank; `auto` forks, except scripts, Python programs and others that need no MPI themselves, and several programs."""
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
    repeat: int = 1
    """Run the program so many times, and give the median of its simulated times with an interval: computation is measured
    on this host, and no two runs are equal. Six runs make an interval of 95 % confidence. Only the first run's output
    is shown, and only it reads standard input."""
    output_aside: bool = False
    """What the program writes goes to standard error: standard output is for the record."""
    silent: bool = False
    """What the program writes goes nowhere, and it has nothing to read."""

    @property
    def ranks(self) -> int:
        """Size of MPI_COMM_WORLD."""
        return sum(program.ranks for program in self.programs)

    @property
    def command(self) -> list[str]:
        """As the user would write it behind `orrery run -n N`."""
        return words_of(self.programs)


def check_vary(settings: SimulationSettings) -> None:
    """Raises InputError for --vary calibration without replicas: the first one has the platform's own parameters."""
    if settings.vary == "calibration" and settings.replicas == 1:
        raise InputError("--vary calibration: acts on replicas from the second one on; say how many: --replicas 20")


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
