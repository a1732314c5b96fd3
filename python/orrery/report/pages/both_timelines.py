# SPDX-License-Identifier: BSD-3-Clause
"""The timelines of two runs on one axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from orrery.page.parts import TimelinePart
from orrery.report.pages.timeline import picture
from orrery.trace.timeline import CriticalPath, Intervals, Level, Messages, Timeline, read_timeline

_MOST_CELLS = 2_000_000
_MOST_BUCKETS = 16_384
_MOST_EVENTS = 750_000
"""Events that are read of each run, at most."""


def both_timelines(first: Path, second: Path, names: tuple[str, str]) -> TimelinePart:
    """Ranks of the first run above those of the second, both from time 0 on.

    Args:
        first, second: traces.
        names: what the runs are called.
    Raises:
        InputError: a trace cannot be read, or does not say when anything happened.
    """
    # Both have buckets of one length only if they cover the same time and have as many: the ends come first.
    ends = [read_timeline(path, cells=1, events=0, waits=0) for path in (first, second)]
    axis_ns = max(timeline.end_ns for timeline in ends)
    ranks = max(1, sum(timeline.ranks for timeline in ends))
    buckets = max(1, min(_MOST_BUCKETS, _MOST_CELLS // ranks))
    of_first, of_second = (
        read_timeline(path, cells=buckets * ranks, buckets=buckets, events=_MOST_EVENTS, axis_ns=axis_ns)
        for path in (first, second)
    )
    drawn = picture(_merged(of_first, of_second))
    note = f"A is {names[0]}, B is {names[1]}; both begin at 0. {drawn.note}"
    return replace(drawn, title="Both timelines", note=note, ranks_of_first=of_first.ranks)


def _merged(first: Timeline, second: Timeline) -> Timeline:
    routines, of_routine = _names(first.routines, second.routines)
    algorithms, of_algorithm = _names(first.algorithms, second.algorithms)
    behind = first.ranks
    both_hosts = len(first.hosts) == first.ranks and len(second.hosts) == second.ranks
    return replace(
        first,
        ranks=first.ranks + second.ranks,
        end_ns=max(first.end_ns, second.end_ns),
        operations=first.operations + second.operations,
        calls=first.calls + second.calls,
        messages=first.messages + second.messages,
        complete=first.complete and second.complete,
        levels=[_level(a, b) for a, b in zip(first.levels, second.levels, strict=True)],
        intervals=_intervals(first.intervals, second.intervals, behind, of_routine, of_algorithm),
        sent=_messages(first.sent, second.sent, behind),
        wait_sums=[*first.wait_sums, *(replace(wait, rank=wait.rank + behind) for wait in second.wait_sums)],
        caused_ns=[*first.caused_ns, *second.caused_ns],
        path=_path(first.path, second.path, behind, of_routine),
        routines=routines,
        algorithms=algorithms,
        hosts=[f"A {host}" for host in first.hosts] + [f"B {host}" for host in second.hosts] if both_hosts else [],
        damage=[*first.damage, *second.damage],
    )


def _level(first: Level, second: Level) -> Level:
    return replace(first, cells=_view(np.concatenate([_array(first.cells), _array(second.cells)])))


def _names(first: Mapping[int, str], second: Mapping[int, str]) -> tuple[dict[int, str], Any]:
    """All names by number, and the numbers of those of the second by what they were, shape (numbers,)."""
    found = dict(first)
    numbers = {name: number for number, name in found.items()}
    of_second = np.zeros(max(second, default=0) + 1, dtype=np.uint16)
    for number, name in second.items():
        if name not in numbers:
            numbers[name] = max(found, default=0) + 1
            found[numbers[name]] = name
        of_second[number] = numbers[name]
    return found, of_second


def _array(column: Any) -> Any:
    return np.asarray(column)


def _view(values: Any) -> memoryview:
    return np.ascontiguousarray(values).data


def _joined(first: Any, second: Any, shift: int = 0) -> Any:
    a, b = _array(first), _array(second)
    return np.concatenate([a, (b + np.asarray(shift, dtype=b.dtype)).astype(a.dtype)])


def _intervals(first: Intervals, second: Intervals, behind: int, of_routine: Any, of_algorithm: Any) -> Intervals:
    """Those of the second stand behind, as they are by rank."""
    columns = {
        name: _joined(getattr(first, name), getattr(second, name))
        for name in ("begin_ns", "end_ns", "bytes", "comm", "state")
    }
    columns["rank"] = _joined(first.rank, second.rank, behind)
    columns["routine"] = _joined(first.routine, of_routine[_array(second.routine)])
    columns["algorithm"] = _joined(first.algorithm, of_algorithm[_array(second.algorithm)])
    return Intervals(**{name: _view(values) for name, values in columns.items()})


def _messages(first: Messages, second: Messages, behind: int) -> Messages:
    shifts = {"source": behind, "destination": behind}
    columns = {
        name: _joined(getattr(first, name), getattr(second, name), shifts.get(name, 0))
        for name in Messages.__dataclass_fields__
    }
    order = np.argsort(columns["begin_ns"], kind="stable")
    return Messages(**{name: _view(values[order]) for name, values in columns.items()})


def _path(first: CriticalPath, second: CriticalPath, behind: int, of_routine: Any) -> CriticalPath:
    columns = {name: _joined(getattr(first, name), getattr(second, name)) for name in ("begin_ns", "end_ns", "state")}
    columns["rank"] = _joined(first.rank, second.rank, behind)
    columns["routine"] = _joined(first.routine, of_routine[_array(second.routine)])
    order = np.argsort(columns["begin_ns"], kind="stable")
    views: dict[str, Any] = {name: _view(values[order]) for name, values in columns.items()}
    return replace(first, **views)
