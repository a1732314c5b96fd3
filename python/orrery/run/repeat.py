# SPDX-License-Identifier: BSD-3-Clause
"""One run several times: how far this host's noise moves its time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orrery.record.document import Record
    from orrery.run.settings import RunSettings

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianInterval:
    """The median of equal runs, and where the median of all such runs is with some confidence, in seconds."""

    median_s: float
    low_s: float
    high_s: float
    confidence: float
    """Of the interval: 0.95 or a little more; less where there are fewer than six runs."""

    @classmethod
    def of(cls, times_s: Sequence[float]) -> MedianInterval:
        """That of at least two runs, from the order of their times alone: no distribution is assumed.

        The interval from the k-th smallest to the k-th largest of n times misses the median with probability
        2 * (C(n, 0) + ... + C(n, k - 1)) / 2^n. The narrowest one of 95 % is taken; where even all times have less, all.

        Source: David and Nagaraja, Order Statistics, 2003, section 7.1.
        """
        from statistics import median

        ordered, count = sorted(times_s), len(times_s)
        best, missed, confidence = 0, 0, 1.0
        for k in range(count // 2):
            missed += comb(count, k)
            holds = 1 - 2 * missed / 2**count
            if k > 0 and holds < _CONFIDENCE:
                break
            best, confidence = k, holds
        return cls(
            median_s=median(ordered), low_s=ordered[best], high_s=ordered[count - 1 - best], confidence=confidence
        )


def repeated(settings: RunSettings, simulate: Callable[[RunSettings], Record]) -> Record:
    """The run whose time is the median, with the times of all. One that fails ends it, and is given.

    Its trace is that of the run that is given. Output of the program passes through in the first run only.
    """
    records: list[Record] = []
    traces: list[Path | None] = []
    try:
        for number in range(settings.repeat):
            if number == 1:
                _no_input()
            trace = settings.trace and settings.trace.with_name(f"{settings.trace.name}.{number}")
            traces.append(trace)
            records.append(simulate(replace(settings, trace=trace, silent=number > 0)))
            if records[-1].end != "completed":
                return _kept(records[-1], trace, settings.trace)
        times_s = [record.simulated_s for record in records]
        middle = sorted(range(len(records)), key=lambda i: times_s[i])[(len(records) - 1) // 2]
        record = replace(records[middle], repeats_s=times_s, repeats=MedianInterval.of(times_s))
        return _kept(record, traces[middle], settings.trace)
    finally:
        for trace in filter(None, traces):
            with suppress(OSError):
                trace.unlink()


def _no_input() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _kept(record: Record, trace: Path | None, place: Path | None) -> Record:
    if trace is not None and place is not None and trace.exists():
        trace.replace(place)
    return record
