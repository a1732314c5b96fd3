# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of two records, and whether their difference is more than noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from orrery.comparison.pace import caution_of_pace
from orrery.comparison.relation import TwoTimes, relation
from orrery.comparison.sample import side_of
from orrery.comparison.turns import TurningPoints
from orrery.noise.basis import ROUNDING, NoiseBasis, basis_of
from orrery.noise.verdict import Verdict
from orrery.published import published
from orrery.record.document import Record
from orrery.record.profile import APPLICATION
from orrery.record.speed import speed_words
from orrery.units import show_time

_SETTINGS = ("platform", "model", "mapping", "selector", "coll", "ranks", "compute", "sharing_error", "command")


@dataclass(frozen=True)
class RoutineLine:
    """Times of one routine without the routines that it calls, in seconds, mean over ranks."""

    routine: str
    first_s: float
    second_s: float
    """Medians, of repeated runs and of replicas."""
    verdict: Verdict
    """As the `verdict` of the whole, of this routine alone."""

    @property
    def change_s(self) -> float:
        """Difference of the second time to the first; 0 where only rounding differs."""
        return 0.0 if self.verdict == "equal" else self.second_s - self.first_s


@dataclass(frozen=True)
class RankLine:
    """Times of one rank in MPI, in seconds; of repeated runs and of replicas, in the first."""

    rank: int
    first_s: float
    second_s: float


@dataclass(frozen=True, kw_only=True)
class RecordsCompared(TwoTimes):
    """Result of the comparison of two records; simulated times are medians of repeated runs or of replicas."""

    first_interval_s: tuple[float, float] | None
    second_interval_s: tuple[float, float] | None
    ratio_interval: tuple[float, float] | None
    """Where the ratio of the second time to the first lies, as far as noise goes; None: nobody knows."""
    common_computation: bool
    """Whether both use the same measured computation, or both use none."""
    verdict: Verdict
    """`unknown`: nothing says how large the noise is."""
    why: str
    """What the verdict rests on."""
    p_value: float | None
    """How often chance alone sets equal sides so far apart, by a rank test of several draws; None: no test was made."""
    settings: dict[str, tuple[object, object]]
    """Settings that differ, by name: first and second value."""
    lines: list[RoutineLine]
    """By decreasing difference."""
    per_rank: list[RankLine]
    """By rank; empty: a record does not say it, or they are of different numbers of ranks."""
    cautions: list[str] = field(default_factory=list)
    """Limits of the comparison, a sentence each."""
    turns: TurningPoints | None = None
    """On which values of the platform the verdict hangs that nobody measured; None: that was not asked."""

    @property
    @published
    def sentence(self) -> str:
        """The verdict in plain words, and what it rests on."""
        return self.sentence_on("the first", "the second")

    def sentence_on(self, first: str, second: str) -> str:
        """Return `sentence` with what the two are called."""
        said = self._said(first, second)
        return said if said.startswith(second) and not second.startswith("the ") else f"{said[0].upper()}{said[1:]}"

    def _said(self, first: str, second: str) -> str:
        times = f"{show_time(self.second_s)} instead of {show_time(self.first_s)}"
        if self.verdict == "equal":
            return f"{second} takes as long as {first}, {show_time(self.first_s)}: {self.why}."
        if self.verdict == "apart":
            return f"{relation(self.first_s, self.second_s, first, 'is', second)}, {times}: {self.why}."
        looks = f"{relation(self.first_s, self.second_s, first, 'looks', second)}, {times}"
        if self.verdict == "within noise":
            return f"within noise: {looks}, but {self.why}."
        return f"unknown: {looks}, but whether that is more than noise is not known: {self.why}."


def compare(first: Record, second: Record) -> RecordsCompared:
    """Compare two records of runs or replays."""
    common = bool(first.computation) and first.computation == second.computation
    sides = side_of(first), side_of(second)
    basis = basis_of(*sides)
    before, after = map(basis.times, sides)
    settings = _settings(first, second)
    return RecordsCompared(
        first_s=median(before),
        second_s=median(after),
        first_interval_s=_interval(first),
        second_interval_s=_interval(second),
        ratio_interval=basis.ratios(before, after),
        common_computation=common,
        verdict=basis.verdict(before, after),
        why=basis.said(before, after),
        p_value=basis.chance(before, after),
        settings=settings,
        lines=_lines(first, second, basis),
        per_rank=_per_rank(first, second),
        cautions=caution_of_pace(_facts(first), _facts(second), settings),
    )


def _facts(record: Record) -> dict[str, object]:
    """The settings that are compared, by name."""
    return {name: getattr(record, name) for name in _SETTINGS} | {"speed": speed_words(record.speeds)}


def _settings(first: Record, second: Record) -> dict[str, tuple[object, object]]:
    before, after = _facts(first), _facts(second)
    found = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    if not (before["speed"] and after["speed"]):  # an earlier version did not say it
        found.pop("speed", None)
    digests = {first.platform_digest, second.platform_digest} - {""}
    if first.platform == second.platform and len(digests) > 1:  # two files of one name
        found["platform"] = (first.platform_file, second.platform_file)
    if {first.start, second.start} != {"replay"} and "replay" in (first.start, second.start):
        found.pop("command", None)  # a replay and the run that it replays have different commands
        found.pop("compute", None)
    return found


def _interval(record: Record) -> tuple[float, float] | None:
    found = record.repeats or record.interval
    return None if found is None else (found.low_s, found.high_s)


def _lines(first: Record, second: Record, basis: NoiseBasis) -> list[RoutineLine]:
    before, after = _by_routine(first, basis), _by_routine(second, basis)
    nothing_before, nothing_after = ([0.0] * len(next(iter(each.values()), [0.0])) for each in (before, after))
    slack_s = ROUNDING * max(first.simulated_s, second.simulated_s)
    lines = []
    for name in dict.fromkeys([*before, *after]):
        a, b = before.get(name, nothing_before), after.get(name, nothing_after)
        lines.append(RoutineLine(name, median(a), median(b), basis.verdict_of_part(a, b, slack_s)))
    return sorted(lines, key=lambda line: -abs(line.change_s))


def _per_rank(first: Record, second: Record) -> list[RankLine]:
    before, after = _in_mpi(first), _in_mpi(second)
    if before.keys() != after.keys():
        return []
    return [RankLine(rank, before[rank], after[rank]) for rank in sorted(before)]


def _in_mpi(record: Record) -> dict[int, float]:
    """Seconds of each rank in MPI."""
    found: dict[int, float] = {}
    for row in record.profile.per_rank:
        if row.phase is None and row.rank is not None:
            found[row.rank] = found.get(row.rank, 0.0) + (0.0 if row.name == APPLICATION else row.exclusive_s)
    return found


def _by_routine(record: Record, basis: NoiseBasis) -> dict[str, list[float]]:
    """Seconds of each routine, mean over ranks, in all of the sample."""
    samples = {"repeats": record.repeats_routines_s, "replicas": record.replicas_routines_s}
    found = samples.get(basis.source) or {
        row.name: [row.exclusive_s] * max(1, basis.draws) for row in record.profile.summed if row.phase is None
    }
    return {name: [time_s / record.ranks for time_s in times] for name, times in found.items()}
