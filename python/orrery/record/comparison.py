# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of two records, and whether their difference is more than noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from orrery.record.document import Record

Verdict = Literal["equal", "apart", "within noise", "unknown"]
_SETTINGS = ("platform", "model", "mapping", "selector", "coll", "ranks", "compute", "command")


@dataclass(frozen=True)
class Line:
    """Times of one routine without the routines that it calls, in seconds, mean over ranks."""

    routine: str
    first_s: float
    second_s: float


@dataclass(frozen=True)
class Compared:
    """Result of the comparison of two records."""

    first_s: float
    second_s: float
    """Simulated times; the medians of repeated runs or of replicas."""
    first_interval_s: tuple[float, float] | None
    second_interval_s: tuple[float, float] | None
    common_computation: bool
    """Whether both use the same measured computation, or both use none."""
    verdict: Verdict
    why: str
    settings: dict[str, tuple[object, object]]
    """Settings that differ, by name: first and second value."""
    lines: list[Line]
    """By decreasing difference."""

    @property
    def ratio(self) -> float:
        """Ratio of the second time to the first; NaN, in JSON null, if the first is 0."""
        return self.second_s / self.first_s if self.first_s > 0 else float("nan")

    def as_json(self) -> dict[str, Any]:
        """The fields and the ratio; times in seconds."""
        ratio = self.ratio if self.first_s > 0 else None
        return asdict(self) | {"ratio": ratio}


def compare(first: Record, second: Record) -> Compared:
    """Compare two records of runs or replays."""
    one, other = _interval(first), _interval(second)
    common = bool(first.computation) and first.computation == second.computation
    times = (_time(first), _time(second))
    verdict, why = _verdict(times, (one, other), common=common, noisy=first.noisy or second.noisy)
    settings = {
        name: (getattr(first, name), getattr(second, name))
        for name in _SETTINGS
        if getattr(first, name) != getattr(second, name)
    }
    if {first.start, second.start} != {"replay"} and "replay" in (first.start, second.start):
        settings.pop("command", None)  # a replay and the run that it replays have different commands
        settings.pop("compute", None)
    return Compared(*times, one, other, common, verdict, why, settings, _lines(first, second))


def _interval(record: Record) -> tuple[float, float] | None:
    found = record.repeats or record.interval
    return None if found is None else (found.low_s, found.high_s)


def _time(record: Record) -> float:
    found = record.repeats or record.interval
    return record.simulated_s if found is None else found.median_s


def _verdict(
    times: tuple[float, float],
    intervals: tuple[tuple[float, float] | None, tuple[float, float] | None],
    *,
    common: bool,
    noisy: bool,
) -> tuple[Verdict, str]:
    one, other = intervals
    if one is not None and other is not None:
        if one[0] <= other[1] and other[0] <= one[1]:
            return "within noise", "their intervals have a time in common"
        return "apart", "their intervals have no time in common"
    if not common:
        return "unknown", (
            "computation was measured anew for each, which host noise alone makes differ; use --repeat 6 for both, or record "
            "once (-o FILE.trace) and replay both"
        )
    if noisy:
        return "unknown", "both are one draw of the platform's noise; use --replicas 20 for both"
    if times[0] == times[1]:
        return "equal", "to the last bit, on common computation"
    return "apart", "on common computation, and nothing is drawn: all of the difference is the simulation's"


def _lines(first: Record, second: Record) -> list[Line]:
    one, other = _by_routine(first), _by_routine(second)
    lines = [Line(name, one.get(name, 0.0), other.get(name, 0.0)) for name in dict.fromkeys([*one, *other])]
    return sorted(lines, key=lambda line: -abs(line.second_s - line.first_s))


def _by_routine(record: Record) -> dict[str, float]:
    rows = (row for row in record.profile.summed if row.phase is None)
    return {row.name: row.exclusive_s / record.ranks for row in rows}
