# SPDX-License-Identifier: BSD-3-Clause
"""What was timed, and what follows from it: rates, and collectives beside the sends that would do the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from orrery.benchmark.cases import LATENCY, LoopCase
from orrery.collective.loops import WINDOW, TimedLoop
from orrery.collective.versus import Scenario, Side, scenarios_of, sends_of


class LoopJson(TypedDict):
    """One loop that was timed; null where something has no meaning, or is not known."""

    test: str
    ranks: int
    bytes: int
    """Size of a message, or as `orrery collective` counts it; 0 for a barrier."""
    repetitions: int
    """Turns that were timed."""
    time_s: float
    """Mean of a turn; of a collective with the barrier after it."""
    half_width_s: float
    """Half of the interval of 95 % of that mean."""
    latency_s: float | None
    """Half of a ping-pong."""
    rate_bytes_per_s: float | None
    """Rate of windows of messages, all pairs and directions together."""
    rate_messages_per_s: float | None
    without_barrier_s: float | None
    """`time_s` less that of the test `barrier`."""
    sends: int | None
    """Messages that do the same as the collective."""
    sends_s: float | None
    """So many times the latency."""
    side: Side | None
    """`L`: the collective takes less than the sends; `H`: it does not."""
    algorithm: str | None
    """Algorithm of a collective that was simulated, as `--coll` takes it."""


COLUMNS = tuple(LoopJson.__annotations__)
"""Names of what `LoopRow.values` gives, in its order."""


class ScenarioJson(TypedDict):
    """A collective on some number of ranks beside its sends, over all sizes."""

    test: str
    ranks: int
    short_message: Side
    long_message: Side
    changes_at: list[int]
    """Sizes, in bytes, at which it comes to the other side."""
    words: str


class MissingLoopJson(TypedDict):
    """A loop that was not timed."""

    test: str
    ranks: int
    bytes: int


class BenchmarkJson(TypedDict):
    """What `orrery benchmark` found; with `--for`, `advice` besides."""

    where: str
    """The simulated platform, or the command that started the ranks."""
    facts: dict[str, str]
    """What else there is to know."""
    rows: list[LoopJson]
    scenarios: list[ScenarioJson]
    missing: list[MissingLoopJson]
    """What Ctrl-C, or the end of the budget, left."""
    calibration: dict[str, Any] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; null: there is none."""
    cautions: list[str]
    """Limits of the results, a sentence each."""


@dataclass(frozen=True, kw_only=True)
class LoopRow:
    """One loop that was timed."""

    case: LoopCase
    timed: TimedLoop
    algorithm: str = ""
    """Algorithm of a collective that was simulated."""
    without_barrier_s: float | None = None
    """Time of a collective without that of the barrier. None for other loops, or where barriers were not timed."""
    sends: int = 0
    """Messages that do the same as the collective."""
    sends_s: float | None = None
    """So many times half a ping-pong between ranks 0 and 1. None where that was not timed."""

    @property
    def latency_s(self) -> float | None:
        """Half of a ping-pong."""
        return self.timed.mean_s / 2 if self.case.test == LATENCY else None

    @property
    def rate_messages_per_s(self) -> float | None:
        """Messages of all pairs and directions, where windows of messages are sent."""
        directions = {"one-way": 1, "both-ways": 2, "message-rate": self.case.pairs}.get(self.case.test)
        return None if directions is None else directions * WINDOW / self.timed.mean_s

    @property
    def rate_bytes_per_s(self) -> float | None:
        """`rate_messages_per_s` in bytes."""
        rate = self.rate_messages_per_s
        return None if rate is None else rate * self.case.bytes

    @property
    def side(self) -> Side | None:
        """`L`: the loop of the collective takes less than the sends; `H`: it does not."""
        if self.sends_s is None:
            return None
        return "L" if self.timed.mean_s < self.sends_s else "H"

    def values(self) -> tuple[object, ...]:
        """In the order of `COLUMNS`."""
        case, timed = self.case, self.timed
        return (case.test, case.ranks, case.bytes, timed.turns, timed.mean_s, timed.half_width_s, self.latency_s,
                self.rate_bytes_per_s, self.rate_messages_per_s, self.without_barrier_s, self.sends or None, self.sends_s,
                self.side, self.algorithm or None)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BenchmarkResults:
    """A benchmark."""

    where: str
    """The simulated platform, or the command that started the ranks."""
    facts: list[tuple[str, str]]
    """What else there is to know of it: name and value."""
    rows: list[LoopRow]
    missing: list[LoopCase] = field(default_factory=list)
    """What Ctrl-C, or the end of the time that there was, kept from being timed."""
    calibration: dict[str, Any] | None = None
    """How good that of a simulated platform is; None where nobody judged."""
    cautions: list[str] = field(default_factory=list)
    """Limits of the results, a sentence each."""

    @property
    def scenarios(self) -> list[Scenario]:
        """Each collective and number of ranks beside its sends."""
        return scenarios_of(
            (row.case.test, row.case.ranks, row.case.bytes, row.side) for row in self.rows if row.side is not None
        )

    def as_json(self) -> BenchmarkJson:
        """All of it; times in seconds, sizes in bytes."""
        return {
            "where": self.where,
            "facts": dict(self.facts),
            "rows": [cast("LoopJson", dict(zip(COLUMNS, row.values(), strict=True))) for row in self.rows],
            "scenarios": [
                {
                    "test": scenario.kind,
                    "ranks": scenario.ranks,
                    "short_message": scenario.short_message,
                    "long_message": scenario.long_message,
                    "changes_at": scenario.changes_at,
                    "words": scenario.words,
                }
                for scenario in self.scenarios
            ],
            "missing": [{"test": case.test, "ranks": case.ranks, "bytes": case.bytes} for case in self.missing],
            "calibration": self.calibration,
            "cautions": self.cautions,
        }


def rows_of(timed: Iterable[tuple[LoopCase, TimedLoop]], algorithms: dict[LoopCase, str]) -> list[LoopRow]:
    """Rows with sends and without barriers, as far as latencies and barriers were timed.

    Args:
        timed: what was.
        algorithms: of collectives, where they are known.
    """
    times = dict(timed)
    return [_row(case, timing, times, algorithms.get(case, "")) for case, timing in times.items()]


def _row(case: LoopCase, timed: TimedLoop, times: dict[LoopCase, TimedLoop], algorithm: str) -> LoopRow:
    sends = sends_of(case.test, case.ranks)
    ping_pong = times.get(LoopCase(LATENCY, case.ranks, case.bytes))
    barrier = times.get(LoopCase("barrier", case.ranks, 0))
    fenced = case.test not in ("barrier", LATENCY) and LoopRow(case=case, timed=timed).rate_messages_per_s is None
    return LoopRow(
        case=case,
        timed=timed,
        algorithm=algorithm,
        without_barrier_s=timed.mean_s - barrier.mean_s if fenced and barrier is not None else None,
        sends=sends,
        sends_s=sends * ping_pong.mean_s / 2 if sends and ping_pong is not None else None,
    )


def by_test(rows: Sequence[LoopRow]) -> Iterator[tuple[str, int, list[LoopRow]]]:
    """Test, number of ranks, and rows by size; in the order in which they were timed."""
    groups: dict[tuple[str, int], list[LoopRow]] = {}
    for row in rows:
        groups.setdefault((row.case.test, row.case.ranks), []).append(row)
    for (test, ranks), group in groups.items():
        yield test, ranks, sorted(group, key=lambda row: row.case.bytes)
