# SPDX-License-Identifier: BSD-3-Clause
"""What a run can be told, declared once: checks, help of the command line and record come from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from orrery.errors import InputError
from orrery.experiment.settings import SimulationSettings
from orrery.output import Output
from orrery.run.programs import MpiProgram, words_of
from orrery.units import SIZES, BitsError, byte_count
from orrery.verbs import setting

Launch = Literal["auto", "fork", "exec"]
Clock = Literal["simulated", "host"]
Data = Literal["all", "none"]
Compute = Literal["steady", "raw", "none"] | float
Unmet = Literal["refuse", "warn"]
Writer = Callable[[int, bool, bytes], object]


LEAST_FOLDED = 64 * 1024
"""Bytes: smaller blocks than that hold what programs decide by."""


def parse_fold_heap(text: str) -> int:
    """Bytes of a size such as 1MiB. Raises InputError for anything else, and for less than 64 KiB."""
    try:
        found = byte_count(text)
    except BitsError as error:
        raise InputError(f'--fold-heap "{text}": {error}') from None
    except ValueError:
        raise InputError(f'--fold-heap "{text}": expected a size such as {SIZES}') from None
    if found < LEAST_FOLDED:
        raise InputError(
            f'--fold-heap "{text}": smaller blocks than 64 KiB hold what programs decide by; name a size of 64KiB or more'
        )
    return found


def no_output(_rank: int, _to_standard_error: bool, _text: bytes) -> None:  # noqa: FBT001  the core calls it by position
    """A writer that ignores what it is given."""


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
    """`steady`, `raw`, `cpu` (which is `raw`), `none` or a factor above 0. Raises InputError for anything else."""
    if text in ("raw", "cpu"):
        return "raw"
    if text == "steady":
        return "steady"
    if text == "none":
        return "none"
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0 < factor < float("inf"):
        raise InputError(f'--compute "{text}": expected steady, raw, none, or a factor above 0 such as 0.5')
    return factor


@dataclass(frozen=True, kw_only=True)
class RunSettings(SimulationSettings):
    """One run of a program. The command line checks the values, by these types."""

    programs: list[MpiProgram]
    """Programs to run, in the order of their ranks; nearly always one."""
    launch: Annotated[Launch, setting("--launch", metavar="auto|fork|exec")] = "auto"
    """How ranks become processes: `fork` starts the program once and forks it in MPI_Init, `exec` starts it once for each
    rank; `auto` forks, except scripts, Python programs and others that need no MPI themselves, several programs, and those
    that have done something by then that ranks must not share (an open file, a seed from the clock)."""
    clock: Annotated[Clock, setting("--clock", metavar="simulated|host")] = "simulated"
    """What clocks, timers and waits with a limit follow in the program: `simulated` time or that of this `host`."""
    compute: Annotated[
        Compute, setting("--compute", metavar="steady|raw|none|FACTOR", kind="text", read=parse_compute)
    ] = "steady"
    """What computation costs: as many seconds as the thread that calls MPI used a processor here, scaled by the platform's speed. `steady`: parts of
    the program that repeat cost each rank what they usually take it, without what disturbed single measurements; a FACTOR
    times that; `raw` (or `cpu`): just what was measured; or `none`, which makes times the same in every run. In the
    summary, `regions` are what lies between two calls of MPI, with the time measured in them; `host noise` is what this
    machine's disturbances added to it, and what became of that; `cold caches` is what regions took longer because ranks share
    this machine's caches."""
    data: Annotated[Data, setting("--data", metavar="all|none")] = "all"
    """What messages carry: `all`, or `none` of the floating-point numbers of messages longer than 1 KiB, which saves the time to
    copy them. Receivers keep what they had. Integers, bytes, packed data, structures and short messages arrive."""
    fold_heap: Annotated[int, setting("--fold-heap", metavar="SIZE", kind="text", read=parse_fold_heap)] = 0
    """Blocks of the heap that are at least as large as SIZE, such as 1MiB, are the same few pages in all ranks: for programs
    that would need more memory than there is here. What is in such a block is overwritten by others, so nothing may
    depend on it; the first rank has its own, which is looked at for integers and addresses."""
    whole: Annotated[bool, setting("--whole")] = False
    """Do all that the program would leave out by orrery.h: execute the blocks that it samples (ORRERY_SAMPLE_LOCAL) each
    time, and give each rank memory of its own where they share it (ORRERY_SHARED_MALLOC)."""
    label: Annotated[bool, setting("--label")] = False
    """Put `[rank] ` before each line that the program writes."""
    timeout_s: Annotated[
        float | None,
        setting("--timeout", metavar="SECONDS", kind="text", read=parse_timeout, variable="MPIEXEC_TIMEOUT"),
    ] = None
    """End the run when it has taken so many seconds of this host's time; it then exits with 124."""
    spawn_limit: Annotated[int, setting("--spawn-limit", metavar="N", least=0)] = 256
    """How many ranks the program may start besides, with MPI_Comm_spawn."""
    repeat: Annotated[int, setting("--repeat", metavar="N", least=1)] = 1
    """Run the program so many times, and give the median of its simulated times with an interval: computation is measured
    on this host, and no two runs are equal. Six runs make an interval of 95 % confidence. Only the first run's output
    is shown, and only it reads standard input."""
    groups: Annotated[Path | None, setting("--groups", metavar="FILE")] = None
    """Job profile, TOML or XML: which groups of ranks the program asks for, and what they need of processors and of the
    network. The program sees them as process sets (orrery://group/NAME) and by orrery/groups.h."""
    groups_out: Output | None = None
    """Where the job profile is written with its blanks filled in."""
    groups_unmet: Annotated[Unmet, setting("--groups-unmet", metavar="refuse|warn", needs="groups")] = "refuse"
    """What happens if groups get less than they need: `refuse` to run, naming it, or `warn` and run."""
    output_aside: bool = False
    """What the program writes goes to standard error: standard output is for the record."""
    writer: Writer | None = None
    """Takes what the program writes: the rank, whether it is to standard error, and the bytes. None: it passes through."""

    @property
    def is_steady(self) -> bool:
        """Whether computation that repeats is charged without what disturbed its measurement."""
        return self.compute not in ("raw", "none")

    @property
    def ranks(self) -> int:
        """Size of MPI_COMM_WORLD."""
        return sum(program.ranks for program in self.programs)

    @property
    def command(self) -> list[str]:
        """As the user would write it behind `orrery run -n N`."""
        return words_of(self.programs)
