# SPDX-License-Identifier: BSD-3-Clause
"""How one time compares with another, as a ratio and in words."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.published import published

_SEVERAL = 2.0
"""Ratio from which on it is said as such, not in percent."""


@dataclass(frozen=True, kw_only=True)
class TwoTimes:
    """Times of two sides, in seconds; medians, where a side has several."""

    first_s: float
    second_s: float

    @property
    @published
    def ratio(self) -> float:
        """Ratio of the second time to the first; NaN (in JSON, null) if the first is 0."""
        return self.second_s / self.first_s if self.first_s > 0 else float("nan")


def relation(first_s: float, second_s: float, first: str, verb: str, second: str) -> str:
    """How the second compares with the first: "SECOND is 4.2 % faster than FIRST", which is 4.2 % less time."""
    if first_s == second_s:
        return f"{second} {verb} as fast as {first}"
    if min(first_s, second_s) <= 0:
        return f"{second} {verb} {'slower' if second_s > first_s else 'faster'} than {first}"
    ratio = second_s / first_s
    if ratio >= _SEVERAL:
        return f"{second} {verb} {ratio:.3g} times as slow as {first}"
    if ratio <= 1 / _SEVERAL:
        return f"{second} {verb} {1 / ratio:.3g} times as fast as {first}"
    return f"{second} {verb} {abs(ratio - 1) * 100:.3g} % {'slower' if ratio > 1 else 'faster'} than {first}"
