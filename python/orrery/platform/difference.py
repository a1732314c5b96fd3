# SPDX-License-Identifier: BSD-3-Clause
"""Two platforms, value by value: equal, within what their calibrations leave open, or apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Literal

from orrery.platform import draws, messages
from orrery.platform.core import Plain
from orrery.platform.load import dotted
from orrery.platform.schema import Platform
from orrery.platform.topology_mistakes import Key

Verdict = Literal["equal", "within", "apart"]
About = Literal["network", "processors"]
_ELSEWHERE: set[Key] = {
    ("name",), ("description",), ("source",), ("calibration",), ("hybrid", "network"), ("hybrid", "memory"),
}  # fmt: skip
"""What describes a platform is not compared, regimes are by messages.py."""
_OF_PROCESSORS = ("overhead", "work_s", "noise.handling", "compute.", "speed", "first_message")
"""What is in the names of values that the load of the hosts changes, not the network."""


@dataclass(frozen=True)
class Value:
    """One value of a platform."""

    value: object
    low: float | None = None
    """Of the interval of 95 % that the calibration states; None: it states none."""
    high: float | None = None

    def reach(self) -> tuple[float, float] | None:
        """The interval; of a number without one, the number. None for what is no number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        # A median or a mean may lie beside the percentiles of other draws.
        low = self.value if self.low is None else min(self.low, self.value)
        return low, self.value if self.high is None else max(self.high, self.value)


@dataclass(frozen=True)
class Difference:
    """A value of both platforms."""

    key: str
    first: Value
    second: Value

    @property
    def verdict(self) -> Verdict:
        """`within`: the two intervals have a value in common."""
        if self.first.value == self.second.value:
            return "equal"
        one, other = self.first.reach(), self.second.reach()
        if one is None or other is None:
            return "apart"
        return "within" if one[0] <= other[1] and other[0] <= one[1] else "apart"

    @property
    def about(self) -> About:
        """Whether it is a matter of the network and its protocols, or of how fast processors handle messages."""
        return "processors" if any(word in self.key for word in _OF_PROCESSORS) else "network"


def compare(first: Platform, second: Platform) -> list[Difference]:
    """All values of either platform, those of the regimes as costs of messages of some sizes; names and texts on the
    origin are left out, and LogGPS where it only repeats what hybrid says.
    """
    one, other = _values(first), _values(second)
    nothing = Value(None)
    keys = dict.fromkeys([*one, *other])
    return [Difference(key, one.get(key, nothing), other.get(key, nothing)) for key in keys]


def _values(platform: Platform) -> dict[str, Value]:
    plain = platform.model_dump()
    stated = platform.calibration.intervals if platform.calibration else {}
    tables = platform.model_dump(by_alias=True)
    if platform.hybrid is not None and platform.calibration is not None:
        del tables["loggps"]  # orrery calibrate computes it from the rest
    found = {
        dotted(key): Value(value, *stated.get(dotted(key), ()))
        for key, value in draws.leaves(tables)
        if not {key[:1], key[:2]} & _ELSEWHERE and key[-1] != "name"
    }
    if platform.hybrid is not None:
        found |= {f"hybrid.{name}": Value(value) for name, value in messages.limits(plain)}
        found |= _costs(plain)
    return found


def _costs(plain: Plain) -> dict[str, Value]:
    """What messages cost, with intervals from the sets of values that the calibration could have given as well."""
    sets = [draws.drawn(plain, number) for number in range(draws.count_of(plain))]
    others = [[cost_s for _, _, cost_s in messages.costs(one)] for one in sets]
    found = {}
    for index, (name, size, cost_s) in enumerate(messages.costs(plain)):
        values = [costs[index] for costs in others]
        interval = _interval(values) if len(values) > 1 else ()
        found[f"hybrid.{name} of {size} B"] = Value(cost_s, *interval)
    return found


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Of 95 %."""
    fortieths = quantiles(values, n=40, method="inclusive")
    return fortieths[0], fortieths[-1]
