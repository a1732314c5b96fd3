# SPDX-License-Identifier: BSD-3-Clause
"""On which values of a platform a verdict hangs that nobody measured: what was found, and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

from orrery.units import show_rate, show_time

_SHOWN = 3
"""Keys that the sentence names."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A value from which on the other side is the faster one."""

    key: str
    """As `orrery platform keys` takes it."""
    above: bool
    """It turns with larger values; with smaller ones otherwise."""
    factor: float
    """Where it turns, as a multiple of what the platform says."""
    value: float | None
    """Where it turns, in the unit of the key; None: the key has several values, which were varied by one factor."""
    here: float | None
    """What the platform says."""
    base: str
    """Unit: `seconds`, `seconds per byte`, `bytes per second`; empty: a factor."""

    def said(self) -> str:
        """`memory_bandwidth_bytes_per_s above 60 GB/s (10 GB/s here)`."""
        side = "above" if self.above else "below"
        if self.value is None or self.here is None:
            return f"{self.key} {side} {self.factor:.2g} times what the platform says"
        return f"{self.key} {side} {_shown(self.value, self.base)} ({_shown(self.here, self.base, digits=4)} here)"


@dataclass(frozen=True, kw_only=True)
class TurningPoints:
    """What came of other values, one key at a time."""

    turns: list[Turn] = field(default_factory=list)
    """Those that turn the verdict, the one that is nearest to the platform's first."""
    tried: list[str] = field(default_factory=list)
    """Keys that were varied."""
    left_out: list[str] = field(default_factory=list)
    """Keys with other values of which a simulation did not come to its end, so that they may turn it, too."""
    reach: float = 1.0
    """By which factor each was varied, either way, where templates of platforms do not have values further away."""
    not_tried: str = ""
    """Why none was, in a clause; empty: they were, or there is none that was not measured."""

    def said(self) -> str:
        """A sentence; empty: there is nothing to say."""
        if self.not_tried:
            return f"On which values that nobody measured this hangs was not tried: {self.not_tried}."
        left_out = f" Not all values of {', '.join(self.left_out)} could be simulated." if self.left_out else ""
        return f"{self._found()}{left_out}".strip()

    def _found(self) -> str:
        if self.turns:
            named = " or ".join(turn.said() for turn in self.turns[:_SHOWN])
            more = f" or one of {len(self.turns) - _SHOWN} more keys (--json)" if len(self.turns) > _SHOWN else ""
            these = "this was" if len(self.turns) == 1 else "these were"
            return f"Turns with {named}{more}: nothing says that {these} measured."
        if not self.tried:
            return ""
        reach = f"up to {self.reach:.2g} times as small or as large, or as far off as in a template of a platform"
        if len(self.tried) == 1:
            return f"The verdict stays the same with another value of {self.tried[0]}, the one key that may not be measured: {reach}."
        return (
            f"The verdict stays the same with another value of any of the {len(self.tried)} keys that may not be measured, one key at a time: "
            f"{reach}."
        )


def turns_said(turns: TurningPoints | None) -> list[tuple[str, str]]:
    """Name and text among the facts of a page; nothing where there is nothing to say."""
    return [("measured", said)] if turns and (said := turns.said()) else []


def ordered(turns: list[Turn]) -> list[Turn]:
    """The one that is nearest to what the platform says first."""
    return sorted(turns, key=lambda turn: (abs(log(turn.factor)), turn.key))


def _shown(value: float, base: str, digits: int = 2) -> str:
    """With two significant digits: a bisection knows no more."""
    rounded = float(f"{value:.{digits}g}")
    if base == "bytes per second":
        return show_rate(rounded).split(" (", maxsplit=1)[0]
    if base == "seconds":
        return show_time(rounded)
    if base == "seconds per byte":
        return f"{float(f'{value * 1e9:.{digits}g}'):g} ns/B"
    return f"{rounded:g}"
