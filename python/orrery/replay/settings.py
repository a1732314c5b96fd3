# SPDX-License-Identifier: BSD-3-Clause
"""What a replay can be told, declared once: checks and help of the command line come from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from orrery.errors import InputError
from orrery.experiment.settings import SimulationSettings, selectors
from orrery.platform.find import DEFAULT
from orrery.verbs import same, setting

if TYPE_CHECKING:
    from orrery.trace.sources import SourceOptions

Match = Literal["again", "recorded"]
Charge = Literal["steady", "raw"]
RECORDED = "recorded"
"""The selector that does what a trace says was done."""


def _selectors() -> tuple[str, ...]:
    return (*selectors(), RECORDED)


def parse_charge(text: str) -> Charge:
    """What recorded computation costs. Raises InputError for anything else; what `orrery run` takes there is a factor here."""
    charges: tuple[Charge, ...] = get_args(Charge)
    for charge in charges:
        if text == charge:
            return charge
    cure = ""
    try:
        factor = 0.0 if text == "none" else float(text)
    except ValueError:
        factor = -1.0
    if 0 <= factor < float("inf"):
        cure = f"; a factor on recorded computation is --compute-scale {factor:g}"
    raise InputError(f'--compute "{text}": expected steady or raw{cure}')


def scale(option: str, *, zero: bool = False) -> Callable[[str], float]:
    """Return what reads a number above 0, or with `zero` 0 too, and raises InputError naming the option for what is none."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not (0 < value < float("inf") or (zero and value == 0)):
            least = "0 or more" if zero else "above 0"
            raise InputError(f'{option} "{text}": expected a number {least}')
        return value

    return read


def parse_starts(text: str) -> list[float]:
    """Seconds, separated by commas. Raises InputError for anything else."""
    return [scale("--start", zero=True)(part) for part in text.split(",")]


@dataclass(frozen=True, kw_only=True)
class ReplaySettings(SimulationSettings):
    """One replay. The command line checks the values, by these types."""

    traces: list[Path]
    """Traces to replay; several are jobs that share the platform."""
    said: frozenset[str] = frozenset()
    """Names of the settings that the user gave: the others are as in the recording."""
    platform: Annotated[str, setting("-p", "--platform", metavar="NAME|FILE", kind="platform")] = DEFAULT
    """Platform to replay on: a built-in name (see `orrery platform list`) or a TOML file; by default the one of the
    recording."""
    ideal: Annotated[bool, setting("--ideal")] = False
    """Replace the network by one that costs nothing: what is left is computation and waiting for it."""
    compute: Annotated[Charge, setting("--compute", metavar="steady|raw", kind="text", read=parse_charge)] = "raw"
    """What recorded computation costs: parts of the program that repeat what they usually took the rank (`steady`), or just
    what was measured (`raw`); by default as in the recording, and `raw` for traces that no simulation has recorded. In the
    summary, `regions` are what lies between two calls of MPI, with the time measured in them; `host noise` is what the
    disturbances of the machine that measured added to it, and what became of that; `cold caches` is what regions took longer
    because ranks shared its caches."""
    compute_scale: Annotated[
        float, setting("--compute-scale", metavar="FACTOR", kind="text", read=scale("--compute-scale", zero=True))
    ] = 1.0
    """Simulated seconds for a second of recorded computation, besides the speed of the platform's hosts; 0: none; by
    default as in the recording."""
    bytes_scale: Annotated[
        float, setting("--bytes-scale", metavar="FACTOR", kind="text", read=scale("--bytes-scale"))
    ] = 1.0
    """Make all messages so many times as long."""
    match: Annotated[Match, setting("--match", metavar="again|recorded")] = "again"
    """Whose messages receives of any source take: what comes first on this platform (`again`), or as `recorded`."""
    selector: Annotated[str, same(SimulationSettings, listed=_selectors)] = "default"
    """Who chooses collective algorithms: `default`, the thresholds of the literature, a library of some version, `best`,
    the algorithm that takes least by itself, or `recorded`: what the trace says ran, but for what --coll fixes, and, where it does not say, the selector of the
    recording. By default the selector of the recording, with what it fixed; of a captured trace, that of its MPI."""
    start_s: Annotated[list[float], setting("--start", metavar="SECONDS,...", kind="numbers", read=parse_starts)] = (
        field(default_factory=list)
    )
    """Seconds after which each trace begins; those that are not named begin at 0."""
    loggops: Annotated[str | None, setting("--loggops", metavar="L=NS,o=NS,...", in_python=False)] = None
    """Run a GOAL schedule under the model LogGOPS, exactly as LogGOPSim does, with these parameters in nanoseconds and
    bytes: "L=2500,o=1500,g=1000,G=6,O=0,S=65535"; "" takes these. No platform is used."""
    flops_per_s: Annotated[float, setting("--flops", metavar="FLOPS", kind="text", read=scale("--flops"))] = 1e9
    """For time-independent traces of SimGrid: flops that a second of computation stands for."""

    @property
    def reading(self) -> SourceOptions:
        """How the traces are read."""
        from orrery.trace.sources import SourceOptions

        return SourceOptions(
            recorded_matches=self.match == "recorded",
            recorded_algorithms=self.selector == RECORDED,
            but_for=self.coll,
            bytes_factor=self.bytes_scale,
            flops_per_s=self.flops_per_s,
        )

    @classmethod
    def of(cls, traces: list[Path], **given: Any) -> ReplaySettings:
        """Return the settings of a replay. `given`: what the user says, by the names of the fields."""
        said = {name: value for name, value in given.items() if value is not None and value is not False}
        return cls(traces=traces, said=frozenset(said), **said)
