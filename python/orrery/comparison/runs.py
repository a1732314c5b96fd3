# SPDX-License-Identifier: BSD-3-Clause
"""Two runs, or several of each: by how much they differ, in what, and whether that is more than noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import mean
from typing import Any

import numpy as np

from orrery.comparison.alignment import Alignment, align
from orrery.comparison.noise import DifferenceInterval, RunsBasis
from orrery.comparison.pace import caution_of_pace
from orrery.comparison.pieces import Pieces, pieces_of
from orrery.comparison.runs_result import GroupLine, RunsCompared
from orrery.comparison.sample import CallsRow, RunSample
from orrery.comparison.verdict import Verdict
from orrery.comparison.where import where
from orrery.trace.timeline import CAUSES

_ROUNDING = 1e-12
"""Share of the longer of two times: what differs by less is equal."""
_LEAST_PIECES = 3
"""In which a routine is called, for an interval of its difference."""
_CLOCK_S = 1e-9
"""What times of a call in traces are rounded to."""


def compare_runs(first: Sequence[RunSample], second: Sequence[RunSample], *, paired: bool = False) -> RunsCompared:
    """Compare two sides.

    Args:
        first, second: runs of each side, one at least.
        paired: the n-th run of one side has its noise in common with the n-th of the other.
    """
    alignment, pieces = _aligned(first, second)
    basis = _basis(first, second, pieces, paired=paired)
    totals = (np.array([sample.total_s for sample in first]), np.array([sample.total_s for sample in second]))
    whole_s = (float(np.median(totals[0])), float(np.median(totals[1])))
    if pieces is not None and basis.kind == "within":
        low, high = _around(whole_s, *basis.ratio(pieces[0].total_s, pieces[1].total_s))
    else:
        low, high = basis.ratio(*totals)
    lines = _Lines(first, second, basis, pieces)
    settings = _settings(first[0], second[0])
    return RunsCompared(
        first=list(first),
        second=list(second),
        verdict="unknown" if any(run.incomplete for run in (*first, *second)) else _verdict(whole_s, low, high),
        first_s=whole_s[0],
        second_s=whole_s[1],
        ratio_interval=None if np.isnan(low) or np.isnan(high) else (float(low), float(high)),
        p_value=basis.chance(*totals),
        why=basis.said(*totals),
        settings=settings,
        routines=lines.by(lambda row: (row.routine,)),
        causes=lines.by_cause(),
        per_rank=lines.by_rank(),
        sizes=lines.by(lambda row: None if row.bytes_up_to is None else (row.routine, str(row.bytes_up_to))),
        comms=lines.by(lambda row: None if row.comm is None else (row.routine, str(row.comm))),
        sites=lines.by(lambda row: (row.routine, row.site) if row.site else None),
        aligned=alignment,
        where=where(first, second),
        cautions=[*_cautions(first, second), *caution_of_pace(first[0].facts, second[0].facts, settings)],
    )


def _aligned(
    first: Sequence[RunSample], second: Sequence[RunSample]
) -> tuple[Alignment | None, tuple[Pieces, Pieces] | None]:
    """Alignment of the calls of two single traces, and their pieces of the same calls; None: there are none."""
    if len(first) > 1 or len(second) > 1 or first[0].calls is None or second[0].calls is None:
        return None, None
    calls, names = (first[0].calls, second[0].calls), (first[0].routines, second[0].routines)
    alignment = align(*calls, names)
    return alignment, pieces_of(alignment, calls, names)


def _basis(
    first: Sequence[RunSample], second: Sequence[RunSample], pieces: tuple[Pieces, Pieces] | None, *, paired: bool
) -> RunsBasis:
    if paired and len(first) > 1:
        return RunsBasis("pairs", f"{len(first)} pairs of runs")
    if min(len(first), len(second)) > 1:
        return RunsBasis("runs", f"{len(first)} and {len(second)} runs")
    if len(first) + len(second) > 2:
        return RunsBasis("nothing", "one side is a single run: give several of both")
    before, after = first[0], second[0]
    if {before.clock, after.clock} == {"simulated"} and _outside(before) == _outside(after):
        return RunsBasis("exact", "both are simulated with equal computation: nothing but the simulation differs")
    if pieces is None:
        return RunsBasis("nothing", "one run of each: give several of both, or traces of which the calls are alike")
    return RunsBasis(
        "within", f"one run of each, in {len(pieces[0].total_s)} pieces of the same calls: other runs may differ more"
    )


def _outside(sample: RunSample) -> list[int]:
    """Nanoseconds outside of MPI, in the order of the rows."""
    return [round(row.time_s * 1e9) for row in sample.rows if not row.in_mpi]


def _around(whole_s: tuple[float, float], low: float, high: float) -> tuple[float, float]:
    """The interval of a ratio of means over ranks, around the ratio of the whole runs, which end with their last ranks."""
    shift = whole_s[1] / whole_s[0] - (low + high) / 2 if whole_s[0] > 0 else 0.0
    return low + shift, high + shift


def _verdict(whole_s: tuple[float, float], low: float, high: float) -> Verdict:
    if abs(whole_s[1] - whole_s[0]) <= max(_ROUNDING * max(whole_s), _CLOCK_S):
        return "equal"
    if np.isnan(low):
        return "unknown"
    return "within noise" if low <= 1 <= high else "apart"


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _settings(first: RunSample, second: RunSample) -> dict[str, tuple[object, object]]:
    return {
        name: (first.facts.get(name), second.facts.get(name))
        for name in dict.fromkeys([*first.facts, *second.facts])
        if first.facts.get(name) != second.facts.get(name)
    }


def _cautions(first: Sequence[RunSample], second: Sequence[RunSample]) -> list[str]:
    said = [f"{sample.name}: {caution}" for side in (first, second) for sample in side for caution in sample.cautions]
    clocks = {sample.clock for side in (first, second) for sample in side}
    if len(clocks) > 1:
        said.append("one side is simulated, the other measured")
    if any(len(sample.rank_s) != len(first[0].rank_s) for sample in (*first, *second)):
        said.append("numbers of ranks differ, or are not known of all: times are means over the ranks of each")
    return said


class _Lines:
    """Lines of both sides by what groups their rows."""

    def __init__(
        self,
        first: Sequence[RunSample],
        second: Sequence[RunSample],
        basis: RunsBasis,
        pieces: tuple[Pieces, Pieces] | None,
    ) -> None:
        self._sides = (first, second)
        self._basis, self._pieces = basis, pieces
        self._ranks = max(1, min(sample.ranks for sample in (*first, *second)))

    def by(self, group: Callable[[CallsRow], tuple[str, ...] | None]) -> list[GroupLine]:
        """Means over ranks. `group`: names of a row's group; None: it is in none."""

        def sums(sample: RunSample) -> dict[tuple[str, ...], tuple[float, float]]:
            found = _sums((group(row), row.calls, row.time_s) for row in sample.rows)
            each = _ranks_of_rows(sample)
            return {key: (calls, time_s / each) for key, (calls, time_s) in found.items()}

        return self._lines(sums)

    def by_cause(self) -> list[GroupLine]:
        """Means over ranks; nothing where causes are not known of both."""
        if not all(sample.says_causes for side in self._sides for sample in side):
            return []

        def sums(sample: RunSample) -> dict[tuple[str, ...], tuple[float, float]]:
            parts: list[tuple[tuple[str, ...] | None, float, float]] = []
            for row in sample.rows:
                if not row.in_mpi or not row.waited_s:
                    continue
                parts += [
                    ((row.routine, cause), 0, own) for cause, own in zip(CAUSES, row.waited_s, strict=True) if own
                ]
                parts.append(((row.routine, "transfer"), row.calls, row.time_s - sum(row.waited_s)))
            return {key: (calls, time_s / sample.ranks) for key, (calls, time_s) in _sums(parts).items()}

        return self._lines(sums)

    def by_rank(self) -> list[GroupLine]:
        """Seconds of each rank in MPI; nothing where ranks are not known of both."""
        if not all(len(sample.rank_s) == sample.ranks for side in self._sides for sample in side):
            return []

        def sums(sample: RunSample) -> dict[tuple[str, ...], tuple[float, float]]:
            return _sums(((str(row.rank),), row.calls, row.time_s) for row in sample.rows if row.in_mpi)

        return self._lines(sums)

    def _lines(self, sums: Callable[[RunSample], dict[tuple[str, ...], tuple[float, float]]]) -> list[GroupLine]:
        first, second = ([sums(sample) for sample in side] for side in self._sides)
        keys = dict.fromkeys(key for side in (first, second) for run in side for key in run)
        lines = [self._line(key, [run.get(key, (0, 0.0)) for run in first], [run.get(key, (0, 0.0)) for run in second])
                 for key in keys]  # fmt: skip
        return sorted(lines, key=lambda line: -abs(line.change_s))

    def _line(
        self, key: tuple[str, ...], first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]]
    ) -> GroupLine:
        before, after = (np.array([time_s for _, time_s in side]) for side in (first, second))
        found = self._difference(key, before, after)
        known = not np.isnan(found.low_s)
        most_calls = max(calls for calls, _ in (*first, *second))
        alike = abs(found.value_s) <= max(
            _ROUNDING * max(before.max(), after.max()), _CLOCK_S * most_calls / self._ranks
        )
        noise = found.low_s <= 0 <= found.high_s
        return GroupLine(
            names=key,
            first_calls=mean(calls for calls, _ in first),
            second_calls=mean(calls for calls, _ in second),
            first_s=float(np.median(before)),
            second_s=float(np.median(after)),
            low_s=_known(found.low_s),
            high_s=_known(found.high_s),
            verdict="equal" if alike else "unknown" if not known else "within noise" if noise else "apart",
        )

    def _difference(self, key: tuple[str, ...], before: Any, after: Any) -> DifferenceInterval:
        if self._basis.kind != "within":
            return self._basis.difference(before, after)
        value = float(np.median(after) - np.median(before))
        if (
            self._pieces is None
            or len(key) > 1
            or not (key[0] in self._pieces[0].routines_s or key[0] in self._pieces[1].routines_s)
        ):
            return DifferenceInterval(value, np.nan, np.nan)
        nothing = np.zeros(len(self._pieces[0].total_s))
        both = sum(own.routines_s.get(key[0], nothing) for own in self._pieces)
        if np.count_nonzero(both) < _LEAST_PIECES:
            return DifferenceInterval(value, np.nan, np.nan)
        return self._basis.difference(*(own.routines_s.get(key[0], nothing) for own in self._pieces))


def _ranks_of_rows(sample: RunSample) -> int:
    """Ranks that the rows are of: a record without rows for ranks has their means."""
    return sample.ranks if sample.rank_s else 1


def _sums(rows: Iterable[tuple[Hashable | None, float, float]]) -> dict[Any, tuple[float, float]]:
    found: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, calls, time_s in rows:
        if key is not None:
            found[key][0] += calls
            found[key][1] += time_s
    return {key: (calls, time_s) for key, (calls, time_s) in found.items()}
