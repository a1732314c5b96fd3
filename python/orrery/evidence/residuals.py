# SPDX-License-Identifier: BSD-3-Clause
"""Residuals: how far measured times were from predictions, and what the platforms said of themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import ceil, inf
from pathlib import Path
from typing import Any, NamedTuple

from orrery.evidence.difficulty import Difficulty, DifficultyCase
from orrery.evidence.statement import Statement

LEVEL = 0.9
"""Probability with which an interval contains the real time."""
_FILE = Path(__file__).with_name("residuals.json")


class Hour(NamedTuple):
    """A calibration, and what was measured in the same hour."""

    name: str
    cluster: str
    """Hours of one cluster have the same nodes and links."""
    statement: Statement


class CallResidual(NamedTuple):
    """Residual of one measured collective."""

    hour: int
    """Its position in `Residuals.hours`."""
    kind: str
    ranks: int
    bytes: int
    residual: float
    """ln(measured over predicted)."""


class ProgramResidual(NamedTuple):
    """Residual of one run of a program."""

    hour: int
    name: str
    ranks: int
    message_bytes: int
    """Mean size of its messages."""
    residual: float
    """(measured - predicted time) / predicted time in MPI. Computation is replayed as recorded, so it adds no error."""


class HandWrittenResiduals(NamedTuple):
    """Residuals of one machine whose platform was written by hand."""

    machine: str
    calls: tuple[float, ...]
    """|ln(measured over predicted)| of each measured collective."""
    ratios: tuple[float, ...]
    """|ln(measured over predicted)| of the ratio of two algorithms for one call."""


@dataclass(frozen=True)
class Residuals:
    """Residuals of collectives, of programs, and of machines with platforms that were written by hand."""

    hours: tuple[Hour, ...]
    calls: tuple[CallResidual, ...]
    programs: tuple[ProgramResidual, ...] = ()
    hand_written: tuple[HandWrittenResiduals, ...] = ()
    known_score: float | None = field(default=None, compare=False)
    """`score`, where it was written down: it takes a while."""

    @cached_property
    def difficulty(self) -> Difficulty:
        """The difficulty of collectives by all residuals."""
        return Difficulty(self._cases())

    @cached_property
    def score(self) -> float:
        """Quantile of the scores of collectives. A score is an error over its difficulty, by all clusters but its own.

        With a single cluster it is the difficulty by all residuals.
        """
        if self.known_score is not None:
            return self.known_score
        scores: list[tuple[float, float]] = []
        for cluster in self.clusters:
            others = self.without(cluster) if len(self.clusters) > 1 else self
            scores += [
                (case.error / others.difficulty.of(case.kind, case.ranks, case.bytes, case.statement), case.weight)
                for case in self._cases(cluster)
            ]
        return weighted_quantile(scores)

    @cached_property
    def program_score(self) -> float:
        """Quantile of the errors of programs, each over the difficulty of a call with messages of their mean size."""
        return quantile([abs(program.residual) / self.difficulty_of(program) for program in self.programs])

    def difficulty_of(self, program: ProgramResidual) -> float:
        """Difficulty of a call with as many ranks, and messages of the mean size of the program's."""
        statement = self.hours[program.hour].statement
        return self.difficulty.of("", program.ranks, program.message_bytes, statement)

    @cached_property
    def most_ranks(self) -> int:
        """Largest number of ranks of a collective."""
        return max(call.ranks for call in self.calls)

    @cached_property
    def most_ranks_of_programs(self) -> int:
        """Largest number of ranks of a program."""
        return max(program.ranks for program in self.programs)

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """Clusters with collectives, in the order of the hours."""
        measured = {call.hour for call in self.calls}
        return tuple(dict.fromkeys(hour.cluster for number, hour in enumerate(self.hours) if number in measured))

    def without(self, cluster: str) -> Residuals:
        """Without the collectives of a cluster."""
        return Residuals(
            self.hours,
            tuple(call for call in self.calls if self.hours[call.hour].cluster != cluster),
            self.programs,
            self.hand_written,
        )

    def _cases(self, cluster: str | None = None) -> Iterator[DifficultyCase]:
        """Calls, of one cluster or of all. All clusters together weigh the same, and so do the hours of a cluster."""
        calls = Counter(call.hour for call in self.calls)
        hours = Counter(self.hours[hour].cluster for hour in calls)
        for call in self.calls:
            hour = self.hours[call.hour]
            if cluster in (None, hour.cluster):
                weight = 1 / hours[hour.cluster] / calls[call.hour]
                yield DifficultyCase(call.kind, call.ranks, call.bytes, hour.statement, abs(call.residual), weight)


@cache
def evidence() -> Residuals:
    """The residuals that come with Orrery."""
    return from_json(json.loads(_FILE.read_text(encoding="utf-8")))


def from_json(document: dict[str, Any]) -> Residuals:
    """What `to_json` wrote."""
    return Residuals(
        tuple(_hour(row) for row in document["hours"]),
        tuple(CallResidual(*row) for row in document["collectives"]),
        tuple(ProgramResidual(*row) for row in document["programs"]),
        tuple(
            HandWrittenResiduals(name, tuple(calls), tuple(ratios)) for name, calls, ratios in document["hand_written"]
        ),
        document["score"],
    )


def _hour(row: list[Any]) -> Hour:
    name, cluster, grade, host, unsteadiness, spreads = row
    ends = tuple((inf if end is None else end, spread) for end, spread in spreads)
    return Hour(name, cluster, Statement(grade, host, unsteadiness, ends))


def to_json(residuals: Residuals, head: dict[str, Any]) -> str:
    """JSON with one line for each residual. `head`: what stands before them."""
    tables = {
        "hours": [_hour_row(hour) for hour in residuals.hours],
        "collectives": [list(row) for row in residuals.calls],
        "programs": [list(row) for row in residuals.programs],
        "hand_written": [list(row) for row in residuals.hand_written],
    }
    between = ",\n"
    parts = [f'"{name}": [\n{between.join(map(json.dumps, rows))}\n]' for name, rows in tables.items()]
    return f"{json.dumps({**head, 'score': round(residuals.score, 5)})[:-1]}{between}{between.join(parts)}}}\n"


def _hour_row(hour: Hour) -> list[Any]:
    said = hour.statement
    spreads = [[None if end == inf else end, round(spread, 5)] for end, spread in said.spreads]
    return [hour.name, hour.cluster, said.grade, said.host, round(said.unsteadiness, 5), spreads]


def quantile(residuals: Sequence[float], level: float = LEVEL) -> float:
    """The residual of rank ceil((n + 1) level). Requires n >= level / (1 - level), which is 9 for 0.9."""
    return sorted(residuals)[ceil((len(residuals) + 1) * level) - 1]


def weighted_quantile(scores: Iterable[tuple[float, float]], level: float = LEVEL) -> float:
    """The smallest score up to which scores have `level` of the weight of all. `scores`: each with its weight."""
    ordered = sorted(scores)
    left = level * sum(weight for _, weight in ordered)
    for score, weight in ordered:
        left -= weight
        if left <= 0:
            return score
    return ordered[-1][0]
