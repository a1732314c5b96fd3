# SPDX-License-Identifier: BSD-3-Clause
"""What a replay can be told, declared once: checks and help of the command line come from here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from orrery.errors import InputError
from orrery.experiment.settings import SimulationSettings
from orrery.platform.find import DEFAULT

if TYPE_CHECKING:
    from orrery.trace.sources import SourceOptions

Match = Literal["again", "recorded"]
Charge = Literal["steady", "raw"]
RECORDED = "recorded"
"""The selector that does what a trace says was done."""


@dataclass(frozen=True, kw_only=True)
class ReplaySettings(SimulationSettings):
    """One replay. The command line checks the values, by these types."""

    traces: list[Path]
    """Traces to replay; several are jobs that share the platform."""
    said: frozenset[str] = frozenset()
    """Names of the settings that the user gave: the others are as in the recording."""
    platform: str = DEFAULT
    """Platform to replay on: a built-in name (see `orrery platform list`) or a TOML file; by default the one of the
    recording."""
    ideal: bool = False
    """Replace the network by one that costs nothing: what is left is computation and waiting for it."""
    compute: Charge = "raw"
    """What recorded computation costs: parts of the program that repeat what they usually took the rank (`steady`), or just
    what was measured (`raw`); by default as in the recording, and `raw` for traces that no simulation has recorded. In the
    summary, `regions` are what lies between two calls of MPI, with the time measured in them; `host noise` is what the
    disturbances of the machine that measured added to it, and what became of that; `cold caches` is what regions took longer
    because ranks shared its caches."""
    compute_scale: float = 1.0
    """Simulated seconds for a second of recorded computation, besides the speed of the platform's hosts; 0: none; by
    default as in the recording."""
    bytes_scale: float = 1.0
    """Make all messages so many times as long."""
    match: Match = "again"
    """Whose messages receives of any source take: what comes first on this platform (`again`), or as `recorded`."""
    selector: str = "default"
    """Who chooses collective algorithms: `default`, the thresholds of the literature, a library of some version, `best`,
    the algorithm that takes least by itself, or `recorded`: what the trace says ran, but for what --coll fixes, and, where it does not say, the selector of the
    recording. By default the selector of the recording, with what it fixed; of a captured trace, that of its MPI."""
    start_s: list[float] = field(default_factory=list)
    """Seconds after which each trace begins; those that are not named begin at 0."""
    loggops: str | None = None
    """Run a GOAL schedule under the model LogGOPS, exactly as LogGOPSim does, with these parameters in nanoseconds and
    bytes: "L=2500,o=1500,g=1000,G=6,O=0,S=65535"; "" takes these. No platform is used."""
    flops_per_s: float = 1e9
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


def settings_of(
    traces: list[Path],
    *,
    compute: str | None = None,
    compute_scale: str | None = None,
    bytes_scale: str | None = None,
    flops: str | None = None,
    start: str | None = None,
    **more: Any,
) -> ReplaySettings:
    """Settings as the command line has them: numbers as text, None where the user says nothing. `more`: as they are.

    Raises InputError for what is no such number.
    """
    numbers = {
        "compute": None if compute is None else parse_charge(compute),
        "compute_scale": None if compute_scale is None else parse_scale("--compute-scale", compute_scale, zero=True),
        "bytes_scale": None if bytes_scale is None else parse_scale("--bytes-scale", bytes_scale, zero=False),
        "flops_per_s": None if flops is None else parse_scale("--flops", flops, zero=False),
        "start_s": None if start is None else parse_starts(start),
    }
    said = {name: value for name, value in {**numbers, **more}.items() if value is not None and value is not False}
    return ReplaySettings(traces=traces, said=frozenset(said), **said)


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


def parse_scale(option: str, text: str, *, zero: bool) -> float:
    """A factor. Raises InputError for what is none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (0 < value < float("inf") or (zero and value == 0)):
        least = "0 or more" if zero else "above 0"
        raise InputError(f'{option} "{text}": expected a number {least}')
    return value


def parse_starts(text: str) -> list[float]:
    """Seconds, separated by commas. Raises InputError for anything else."""
    return [parse_scale("--start", part, zero=True) for part in text.split(",")]
