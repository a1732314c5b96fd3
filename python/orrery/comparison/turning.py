# SPDX-License-Identifier: BSD-3-Clause
"""Both sides of a comparison simulated again with other values of their platform, to find those that turn the verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import exp, log, sqrt
from pathlib import Path
from typing import Protocol

from orrery.comparison.sides import kind_of
from orrery.comparison.turns import Turn, TurningPoints, ordered
from orrery.errors import InputError
from orrery.evidence.expectation import reach_of_ratio
from orrery.noise.verdict import Verdict
from orrery.platform.core import Plain
from orrery.platform.unmeasured import UnmeasuredKey, unmeasured
from orrery.record.document import Record, read
from orrery.replay.again import RepeatableReplay, ReplayOutcome, UnrepeatableReplay, again_of_record, again_of_trace
from orrery.simulate.stopping import stopping

_MOST_EVENTS = 10_000_000
"""Events that all replays together may process, unless more are asked for: some ten seconds."""
_AS_BEFORE = 1e-3
"""Relative difference of a replay to the time that is compared, at most: traces have whole nanoseconds."""
_ROUNDING = 1e-9
_NEAR = 0.01
"""Up to which relative difference a turn is looked for."""

Advanced = Callable[[int, int], object]


class RepeatableSide(Protocol):
    """A simulation that can be done again (`RepeatableReplay`)."""

    events: int
    """How many a run of it processes, about."""

    @property
    def stopped(self) -> bool:
        """Whether it was ended from outside."""

    @property
    def platform(self) -> Plain:
        """The values of its platform."""

    @property
    def digest(self) -> str:
        """The digest of these values."""

    @property
    def model(self) -> str:
        """That it uses of the platform."""

    def run(self, platform: Plain | None = None) -> ReplayOutcome | None:
        """Simulate it, with other values if there are such; None: they cannot be, or it does not come to its end."""

    def stop(self) -> None:
        """End what is under way."""


def turns_of_files(
    first: str,
    second: str,
    times_s: tuple[float, float],
    verdict: Verdict,
    *,
    wanted: bool | None = None,
    advanced: Advanced = lambda _done, _all: None,
) -> TurningPoints | None:
    """On which values the verdict on two files hangs; None: it does not say that they differ, or they are no simulations on one platform.

    Args:
        first, second: traces or records.
        times_s: what is compared.
        verdict: on these.
        wanted: False: nothing is tried; None: what takes some seconds at most; True: whatever it takes.
        advanced: is told how many of how many steps are done.
    Raises:
        InputError: a record cannot be read.
        KeyboardInterrupt: Ctrl-C.
    """
    sides = [read(Path(name)) if kind_of(name) == "record" else Path(name) for name in (first, second)]
    return turns_between(sides[0], sides[1], times_s, verdict, wanted=wanted, advanced=advanced)


def turns_between(
    first: Record | Path,
    second: Record | Path,
    times_s: tuple[float, float],
    verdict: Verdict,
    *,
    wanted: bool | None = None,
    advanced: Advanced = lambda _done, _all: None,
) -> TurningPoints | None:
    """As `turns_of_files`, of records and of files with traces."""
    if wanted is False:
        return None
    if not wanted and isinstance(first, Record) and isinstance(second, Record) and _platforms_differ(first, second):
        return None
    if verdict != "apart":
        return TurningPoints(not_tried=f"the verdict is {verdict}") if wanted else None
    try:
        sides = [again_of_record(side) if isinstance(side, Record) else _again(side) for side in (first, second)]
    except UnrepeatableReplay as reason:
        return TurningPoints(not_tried=str(reason))
    found = None
    if sides[0] is not None and sides[1] is not None:
        found = turns_of(sides[0], sides[1], times_s, all_of_them=bool(wanted), advanced=advanced)
    return (
        TurningPoints(not_tried="they are not two simulations on one platform") if wanted and found is None else found
    )


def _platforms_differ(first: Record, second: Record) -> bool:
    return first.platform_digest != second.platform_digest


def _again(trace: Path) -> RepeatableReplay | None:
    try:
        return again_of_trace(trace)
    except InputError:
        return None


def turns_of(
    first: RepeatableSide,
    second: RepeatableSide,
    times_s: tuple[float, float],
    *,
    all_of_them: bool = False,
    advanced: Advanced = lambda _done, _all: None,
) -> TurningPoints | None:
    """On which values the verdict on two simulations hangs; None: they are not on one platform.

    Args:
        first, second: the simulations.
        times_s: what is compared.
        all_of_them: whatever the replays cost.
        advanced: is told how many of how many steps are done.
    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    if first.digest != second.digest or first.model != second.model:
        return None
    with stopping(first.stop, second.stop):
        found = _TurnSearch(first, second, advanced).turns(times_s, all_of_them=all_of_them)
    if first.stopped or second.stopped:
        raise KeyboardInterrupt
    return found


class _TurnSearch:
    def __init__(self, first: RepeatableSide, second: RepeatableSide, advanced: Advanced) -> None:
        self._first, self._second, self._advanced = first, second, advanced
        self._before_s = 0.0
        """How much longer the second takes on the platform as it is."""
        self._left_out: set[str] = set()
        """Keys with values that could not be simulated."""

    def turns(self, times_s: tuple[float, float], *, all_of_them: bool) -> TurningPoints:
        from concurrent.futures import ThreadPoolExecutor

        replays = 2 * len(_ends(self._keys(files=False)))
        events = replays * (self._first.events + self._second.events) // 2
        if events > _MOST_EVENTS and not all_of_them:
            return TurningPoints(
                not_tried=f"{replays:,} replays would process some {events:.2g} events (--turns does it)"
            )
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
            ended = list(workers.map(lambda side: side.run(), (self._first, self._second)))
            if reason := _why_not(ended, times_s):
                return TurningPoints(not_tried=reason)
            first, second = (replay for replay in ended if replay is not None)
            self._before_s = second.time_s - first.time_s
            keys = self._keys(files=first.files or second.files)
            ends = _ends(keys)
            found = list(workers.map(self._turn, *zip(*ends, strict=True), self._counted(len(ends)))) if ends else []
        turns = ordered([turn for turn in found if turn is not None])
        tried = [key.key for key in keys if key.key not in self._left_out]
        return TurningPoints(turns=turns, tried=tried, left_out=sorted(self._left_out), reach=_reach())

    def _keys(self, *, files: bool) -> list[UnmeasuredKey]:
        return unmeasured(self._first.platform, self._first.model, _reach(), files=files)

    def _counted(self, steps: int) -> Sequence[Callable[[], object]]:
        """For each step what it calls at its end."""
        done: list[int] = []

        def told() -> None:
            done.append(1)
            self._advanced(len(done), steps)

        return [told] * steps

    def _turn(self, key: UnmeasuredKey, end: float, told: Callable[[], object]) -> Turn | None:
        """Where it turns on the way to the end of the range; None: at its end it does not."""
        try:
            if not self._turned(key, end):
                return None
            same, other = 1.0, end
            while abs(log(other / same)) > _NEAR:
                middle = sqrt(same * other)
                if self._turned(key, middle):
                    other = middle
                else:
                    same = middle
        finally:
            told()
        factor = sqrt(same * other)
        value = None if key.value is None else key.value * factor
        return Turn(key=key.key, above=end > 1, factor=factor, value=value, here=key.value, base=key.base)

    def _turned(self, key: UnmeasuredKey, factor: float) -> bool:
        """Whether the other side is the faster one."""
        platform = key.on(self._first.platform, factor)
        first, second = self._first.run(platform), self._second.run(platform)
        if first is None or second is None:
            self._left_out.add(key.key)
            return False
        longer_s = second.time_s - first.time_s
        return longer_s * self._before_s < 0 and abs(longer_s) > _ROUNDING * first.time_s


def _reach() -> float:
    """By which factor a value that nobody measured may be off: as ratios were on platforms by hand, in 9 of 10 cases."""
    return exp(reach_of_ratio("", 2, 0, statement=None))


def _ends(keys: Sequence[UnmeasuredKey]) -> list[tuple[UnmeasuredKey, float]]:
    """Both ends of each range, as factors."""
    return [(key, end) for key in keys for end in (key.low, key.high) if end != 1.0]


def _why_not(ended: Sequence[ReplayOutcome | None], times_s: tuple[float, float]) -> str:
    """Why replays say nothing of what is compared; empty: they do."""
    for which, replay, time_s in zip(("first", "second"), ended, times_s, strict=True):
        if replay is None:
            return f"a replay of the {which} does not come to its end"
        if abs(replay.time_s - time_s) > _AS_BEFORE * time_s:
            return f"a replay of the {which} takes {replay.time_s:.4g} s instead of {time_s:.4g} s: the platform, the trace or an option of it is not as it was"
    first_s, second_s = (replay.time_s for replay in ended if replay is not None)
    if (second_s - first_s) * (times_s[1] - times_s[0]) <= 0:
        return "replays are as fast as each other"
    return ""
