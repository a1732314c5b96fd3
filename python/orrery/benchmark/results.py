# SPDX-License-Identifier: BSD-3-Clause
"""What was timed, and what follows from it: rates, and collectives beside the sends that would do the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from orrery.benchmark.cases import COLLECTIVES, LATENCY, LoopCase
from orrery.collective.loops import WINDOW, TimedLoop
from orrery.collective.versus import Scenario, Side, scenarios_of, sends_of
from orrery.published import SPREAD, UNWRITTEN, published


@dataclass(frozen=True, kw_only=True)
class LoopRow:
    """One loop that was timed; in JSON null where something has no meaning, or is not known."""

    case: LoopCase = field(metadata=SPREAD)
    repetitions: int
    """Turns that were timed."""
    time_s: float
    """Mean of a turn; of a collective with the barrier after it."""
    half_width_s: float
    """Half of the interval of 95 % of that mean."""
    without_barrier_s: float | None
    """`time_s` of a collective less that of the test `barrier`."""
    sends: int | None
    """Messages that do the same as the collective."""
    sends_s: float | None
    """So many times half a ping-pong between ranks 0 and 1."""
    algorithm: str | None
    """Algorithm of a collective that was simulated, as `--coll` takes it."""

    @property
    @published
    def latency_s(self) -> float | None:
        """Half of a ping-pong."""
        return self.time_s / 2 if self.case.test == LATENCY else None

    @property
    @published
    def rate_messages_per_s(self) -> float | None:
        """Rate of windows of messages, all pairs and directions together."""
        directions = {"one-way": 1, "both-ways": 2, "message-rate": self.case.pairs}.get(self.case.test)
        return None if directions is None else directions * WINDOW / self.time_s

    @property
    @published
    def rate_bytes_per_s(self) -> float | None:
        """`rate_messages_per_s` in bytes."""
        rate = self.rate_messages_per_s
        return None if rate is None else rate * self.case.bytes

    @property
    @published
    def side(self) -> Side | None:
        """`L`: the loop of the collective takes less than the sends; `H`: it does not."""
        if self.sends_s is None:
            return None
        return "L" if self.time_s < self.sends_s else "H"


@dataclass(frozen=True)
class LoopScenario(Scenario):
    """A collective on some number of ranks beside its sends, over all sizes."""

    kind: str = field(metadata=UNWRITTEN)

    @property
    @published
    def test(self) -> str:
        """The collective."""
        return self.kind


@dataclass(frozen=True, kw_only=True)
class BenchmarkResults:
    """What `orrery benchmark` found; with `--for`, `advice` besides."""

    where: str
    """The simulated platform, or the command that started the ranks."""
    facts: dict[str, str]
    """What else there is to know."""
    rows: list[LoopRow]
    missing: list[LoopCase] = field(default_factory=list)
    """What Ctrl-C, or the end of the budget, left."""
    calibration: dict[str, Any] | None = None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""
    cautions: list[str] = field(default_factory=list)
    """Limits of the results, a sentence each."""

    @property
    @published
    def scenarios(self) -> list[LoopScenario]:
        """Each collective and number of ranks beside its sends."""
        sides = [(*row.case, row.side) for row in self.rows if row.side is not None]
        return [LoopScenario(**vars(scenario)) for scenario in scenarios_of(sides)]


def rows_of(timed: Iterable[tuple[LoopCase, TimedLoop]], algorithms: dict[LoopCase, str]) -> list[LoopRow]:
    """Rows with sends and without barriers, as far as latencies and barriers were timed.

    Args:
        timed: what was.
        algorithms: of collectives, where they are known.
    """
    times = dict(timed)
    return [_row(case, timing, times, algorithms.get(case)) for case, timing in times.items()]


def _row(case: LoopCase, timed: TimedLoop, times: dict[LoopCase, TimedLoop], algorithm: str | None) -> LoopRow:
    sends = sends_of(case.test, case.ranks)
    ping_pong = times.get(LoopCase(LATENCY, case.ranks, case.bytes))
    barrier = times.get(LoopCase("barrier", case.ranks, 0))
    fenced = case.test in COLLECTIVES and case.test != "barrier"
    return LoopRow(
        case=case,
        repetitions=timed.turns,
        time_s=timed.mean_s,
        half_width_s=timed.half_width_s,
        without_barrier_s=timed.mean_s - barrier.mean_s if fenced and barrier is not None else None,
        sends=sends or None,
        sends_s=sends * ping_pong.mean_s / 2 if sends and ping_pong is not None else None,
        algorithm=algorithm,
    )


def by_test(rows: Sequence[LoopRow]) -> Iterator[tuple[str, int, list[LoopRow]]]:
    """Test, number of ranks, and rows by size; in the order in which they were timed."""
    groups: dict[tuple[str, int], list[LoopRow]] = {}
    for row in rows:
        groups.setdefault((row.case.test, row.case.ranks), []).append(row)
    for (test, ranks), group in groups.items():
        yield test, ranks, sorted(group, key=lambda row: row.case.bytes)
