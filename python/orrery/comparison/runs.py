# SPDX-License-Identifier: BSD-3-Clause
"""Two runs, or several of each: by how much they differ, in what, and whether that is more than noise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import mean, median
from typing import Any

import numpy as np

from orrery.comparison.alignment import Alignment, align
from orrery.comparison.pace import caution_of_pace
from orrery.comparison.pieces import Pieces, pieces_of
from orrery.comparison.runs_result import GroupLine, RunsCompared
from orrery.comparison.sample import CallsRow, RunSample
from orrery.comparison.where import where
from orrery.noise.basis import CLOCK_S, NoiseBasis, basis_of, basis_of_runs
from orrery.trace.timeline import CAUSES

_LEAST_PIECES = 3
"""In which a routine is called, for an interval of its difference."""


def compare_runs(first: Sequence[RunSample], second: Sequence[RunSample], *, paired: bool = False) -> RunsCompared:
    """Compare two sides.

    Args:
        first, second: runs of each side, one at least.
        paired: the n-th run of one side has its noise in common with the n-th of the other.
    """
    alignment, pieces = _aligned(first, second)
    basis = _basis(first, second, pieces, paired=paired)
    totals = _times(first, basis), _times(second, basis)
    whole_s = median(totals[0]), median(totals[1])
    compared = totals if pieces is None or basis.kind != "pieces" else _of_whole(pieces, whole_s)
    ratios = basis.ratios(*compared)
    lines = _Lines(first, second, basis, pieces)
    settings = _settings(first[0], second[0])
    return RunsCompared(
        first=list(first),
        second=list(second),
        verdict="unknown" if any(run.timed.incomplete for run in (*first, *second)) else basis.verdict(*compared),
        first_s=whole_s[0],
        second_s=whole_s[1],
        ratio_interval=ratios,
        p_value=basis.chance(*compared),
        why=basis.said(*compared),
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
) -> NoiseBasis:
    if len(first) + len(second) > 2:
        return basis_of_runs(len(first), len(second), paired=paired)
    basis = basis_of(first[0].timed, second[0].timed)
    if basis.kind != "nothing" or pieces is None or (first[0].timed.simulated and second[0].timed.simulated):
        return basis
    return NoiseBasis(
        "pieces", f"one run of each, in {len(pieces[0].total_s)} pieces of the same calls: other runs may differ more"
    )


def _times(side: Sequence[RunSample], basis: NoiseBasis) -> list[float]:
    """The sample that is compared: the times of all runs, or what a single one has."""
    return basis.times(side[0].timed) if len(side) == 1 else [run.timed.time_s for run in side]


def _of_whole(pieces: tuple[Pieces, Pieces], whole_s: tuple[float, float]) -> tuple[list[float], list[float]]:
    """Pieces that add up to the whole runs, which end with their last ranks; of means over ranks that is a little less."""
    first, second = (
        own.total_s * (whole / all_s if (all_s := own.total_s.sum()) > 0 else 1.0)
        for own, whole in zip(pieces, whole_s, strict=True)
    )
    return first.tolist(), second.tolist()


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
        basis: NoiseBasis,
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
        before, after = ([time_s for _, time_s in side] for side in (first, second))
        compared = self._compared(key, before, after)
        slack_s = CLOCK_S * max(calls for calls, _ in (*first, *second)) / self._ranks
        interval = self._basis.difference(*compared)
        return GroupLine(
            names=key,
            first_calls=mean(calls for calls, _ in first),
            second_calls=mean(calls for calls, _ in second),
            first_s=median(before),
            second_s=median(after),
            low_s=None if interval is None else interval[0],
            high_s=None if interval is None else interval[1],
            verdict=self._basis.verdict_of_part(*compared, slack_s),
        )

    def _compared(
        self, key: tuple[str, ...], before: list[float], after: list[float]
    ) -> tuple[list[float], list[float]]:
        """Samples of a line: times of runs, or of pieces of one, if it is a routine that is called in some of them."""
        if self._basis.kind != "pieces" or self._pieces is None or len(key) > 1:
            return before, after
        nothing = np.zeros(len(self._pieces[0].total_s))
        first, second = (own.routines_s.get(key[0], nothing) for own in self._pieces)
        if np.count_nonzero(first + second) < _LEAST_PIECES:
            return before, after
        return first.tolist(), second.tolist()


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
