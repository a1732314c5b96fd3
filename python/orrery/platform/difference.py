# SPDX-License-Identifier: BSD-3-Clause
"""Two platforms, value by value: equal, within what their calibrations leave open, or apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any, Literal

from orrery.platform import draws, messages
from orrery.platform.core import Plain
from orrery.platform.draws import Key
from orrery.platform.pace import arithmetic_s, paced
from orrery.platform.schema import Platform
from orrery.published import published
from orrery.toml_lines import dotted

Verdict = Literal["equal", "within", "apart"]
About = Literal["network", "processors"]
_ELSEWHERE: set[Key] = {
    ("name",), ("description",), ("source",), ("measured",), ("calibration",), ("network", "between_nodes"), ("network", "inside_node"),
}  # fmt: skip
"""What describes a platform is not compared, regimes are by messages.py."""
_OF_PROCESSORS = ("overhead", "work_s", "handling_noise", "compute.", "speed", "connection_setup")
"""What is in the names of values that the load of the hosts changes, not the network."""


_ROUNDING = 1e-12
"""Relative; of values that a factor was taken from."""


@dataclass(frozen=True)
class ComparedValue:
    """One value of a platform."""

    value: object
    low: float | None = None
    """Lower end of the interval of 95 % that the calibration states; None: it states none."""
    high: float | None = None

    def reach(self) -> tuple[float, float] | None:
        """The interval; of a number without one, the number. None for what is no number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        # A median or a mean may lie beside the percentiles of other draws.
        low = self.value if self.low is None else min(self.low, self.value)
        return low, self.value if self.high is None else max(self.high, self.value)


@dataclass(frozen=True)
class ValueDifference:
    """A value of both platforms."""

    key: str
    first: ComparedValue
    second: ComparedValue

    @property
    @published
    def verdict(self) -> Verdict:
        """`within`: the two intervals have a value in common."""
        if self.first.value == self.second.value:
            return "equal"
        first, second = self.first.reach(), self.second.reach()
        if first is None or second is None:
            return "apart"
        if math.isclose(float(str(self.first.value)), float(str(self.second.value)), rel_tol=_ROUNDING):
            return "equal"
        return "within" if first[0] <= second[1] and second[0] <= first[1] else "apart"

    @property
    @published
    def about(self) -> About:
        """Whether it is a matter of the network and its protocols, or of how fast processors handle messages."""
        return "processors" if any(word in self.key for word in _OF_PROCESSORS) else "network"


def compare(first: Platform, second: Platform, *, same_pace: bool = False) -> list[ValueDifference]:
    """All values of either platform, those of the regimes as costs of messages of some sizes; names and texts on the
    origin are left out, and LogGPS where it only repeats what hybrid says.

    With `same_pace` what processors do is taken to take as much longer or shorter on the second one, and in each set of values
    that its calibration could have given, as makes the same arithmetic take what it took on the first; `speed` is left out.
    Raises InputError where a calibration does not say that.
    """
    pace_s = arithmetic_s(first.model_dump()) if same_pace else None
    of_first, of_second = _values(first, pace_s), _values(second, pace_s)
    nothing = ComparedValue(None)
    keys = dict.fromkeys([*of_first, *of_second])
    return [ValueDifference(key, of_first.get(key, nothing), of_second.get(key, nothing)) for key in keys]


def _values(platform: Platform, pace_s: float | None) -> dict[str, ComparedValue]:
    plain = platform.model_dump()
    sets = [draws.drawn(plain, number) for number in range(draws.count_of(plain))]
    found = _singles(platform)
    if pace_s is not None:
        plain, sets = _at_pace(plain, pace_s, plain), [_at_pace(drawn, pace_s, plain) for drawn in sets]
        found = {key: _moved(key, value, plain, sets) for key, value in found.items() if not key.endswith(".speed")}
    if platform.network is not None:
        found |= {f"network.{name}": ComparedValue(value) for name, value in messages.limits(plain)}
        found |= _costs(plain, sets)
    return found


def _singles(platform: Platform) -> dict[str, ComparedValue]:
    """Values that are compared by themselves, with the intervals that the file states."""
    stated = platform.calibration.intervals if platform.calibration else {}
    tables = platform.model_dump(by_alias=True)
    if platform.network is not None and platform.calibration is not None:
        del tables["loggps"]  # orrery calibrate computes it from the rest
    return {
        dotted(key): ComparedValue(value, *stated.get(dotted(key), ()))
        for key, value in draws.leaves(tables)
        if not {key[:1], key[:2]} & _ELSEWHERE and key[-1] != "name"
    }


def _at_pace(values: Plain, pace_s: float, file: Plain) -> Plain:
    """`values` are a set of those of the platform `file`, in which the arithmetic goes with the speed."""
    took_s = arithmetic_s(file) * file["clusters"][0]["speed"] / values["clusters"][0]["speed"]
    return paced(values, pace_s / took_s)


def _moved(key: str, before: ComparedValue, plain: Plain, sets: Sequence[Plain]) -> ComparedValue:
    """The value at another pace; as it was where that does not matter."""
    now = _found(plain, key)
    if now is None or now == before.value:
        return before
    values = [value for drawn in sets if (value := _found(drawn, key)) is not None]
    return ComparedValue(now, *(_interval(values) if len(values) > 1 else ()))


def _found(plain: Plain, key: str) -> float | None:
    place: Any = plain
    try:
        for part in draws.parts(key):
            place = place[part]
    except (KeyError, IndexError, TypeError):
        return None
    return place if isinstance(place, float) else None


def _costs(plain: Plain, sets: Sequence[Plain]) -> dict[str, ComparedValue]:
    """What messages cost, with intervals from the sets of values that the calibration could have given as well."""
    others = [[cost_s for _, _, cost_s in messages.costs(drawn)] for drawn in sets]
    found = {}
    for index, (name, size, cost_s) in enumerate(messages.costs(plain)):
        values = [costs[index] for costs in others]
        interval = _interval(values) if len(values) > 1 else ()
        found[f"network.{name} of {size} B"] = ComparedValue(cost_s, *interval)
    return found


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Interval of 95 % of the values."""
    fortieths = quantiles(values, n=40, method="inclusive")
    return fortieths[0], fortieths[-1]
