# SPDX-License-Identifier: BSD-3-Clause
"""Which collective calls of a program would better be something else, from its trace.

Source: Khan 2011, section 4.4: measure collectives beside the sends that would do the same, and take the
sends where they take less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from orrery import _core
from orrery.benchmark.cases import LATENCY, LoopCase
from orrery.benchmark.results import BenchmarkResults
from orrery.collective.call import REDUCTIONS, Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.predict import usual_segments, variants
from orrery.collective.versus import sends_of
from orrery.errors import InputError
from orrery.published import published
from orrery.trace.collective_sums import CollectiveSum, read_collective_sums

_MOST_MESSAGES = 300_000
"""Algorithms that send more are not tried."""
_LEAST_GAIN = 0.02
"""Share of a call's time: what gains less is not worth a word."""


@dataclass(frozen=True, kw_only=True)
class UsedCall:
    """Calls of a program that are alike."""

    kind: str
    ranks: int
    """Size of the communicator."""
    bytes: int
    calls: int
    """Calls by the rank that makes most."""
    commutes: bool = True
    """Whether the operations of all these reductions commute."""


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What such calls cost, one of them, and what else would."""

    used: UsedCall
    time_s: float | None
    """None: not known here."""
    sends_s: float | None
    """Time of as many sends as do the same, one after the other; None: no such sends do, or it is not known."""
    algorithm: str = ""
    """That the selector chooses."""
    other: str = ""
    """The algorithm that takes least; empty: no other one takes less, or none was tried."""
    other_s: float | None = None

    @property
    @published
    def better(self) -> str:
        """`sends`, an algorithm, or nothing: what takes at least 2 % less."""
        options = [("sends", self.sends_s), (self.other, self.other_s)]
        known = [(name, time_s) for name, time_s in options if name and time_s is not None]
        if self.time_s is None or not known:
            return ""
        name, best = min(known, key=lambda option: option[1])
        return name if best < (1 - _LEAST_GAIN) * self.time_s else ""

    @property
    @published
    def gain_s(self) -> float:
        """Seconds that all such calls would take less, as an estimate from single calls."""
        times = {"sends": self.sends_s, self.other: self.other_s}
        best = times.get(self.better) if self.better else None
        return 0.0 if best is None or self.time_s is None else self.used.calls * (self.time_s - best)


def uses_of(trace: Path) -> tuple[list[UsedCall], list[str]]:
    """Collective calls of a trace, by kind, ranks and size, and what is not among them, a sentence each.

    Raises InputError where it cannot be read, or has none.
    """
    sums = read_collective_sums(trace)
    kept, left_out = sums.comparable()
    alike: dict[tuple[str, int, int], list[CollectiveSum]] = defaultdict(list)
    for calls in kept:
        alike[calls.kind, len(sums.members[calls.comm]), calls.bytes].append(calls)
    if not alike:
        lost = f" ({sums.damage[0]})" if sums.damage else ""
        raise InputError(
            f"--for {trace}: has no blocking collective calls of several ranks whose blocks are alike{lost}"
        )
    used = [
        UsedCall(
            kind=kind,
            ranks=ranks,
            bytes=size,
            calls=sums.most_calls(found),
            commutes=kind not in REDUCTIONS or all(calls.commutative for calls in found),
        )
        for (kind, ranks, size), found in alike.items()
    ]
    missing = [f"calls that are lost: {what}" for what in sums.damage[:1]]
    return used, missing + [sums.said(reason, found) for reason, found in left_out.items()]


def simulated_advice(
    uses: Iterable[UsedCall],
    laboratory: Laboratory,
    selector: _core.Selector,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> list[Advice]:
    """Simulate each call by all algorithms, and its sends; the greatest gain first. Ctrl-C ends it."""
    found, uses = [], list(uses)
    try:
        for used in uses:
            found.append(_simulated(used, laboratory, selector))
            advanced(len(found), len(uses))
    except KeyboardInterrupt:
        laboratory.stop()
    return _sorted(found)


def _simulated(used: UsedCall, laboratory: Laboratory, selector: _core.Selector) -> Advice:
    element = next(size for size in (8, 4, 1) if used.bytes % size == 0)
    call = Call(used.kind, used.bytes, used.ranks, type_size=element)
    whole = laboratory.whole(call)
    chosen = laboratory.chosen(selector, call)
    every = variants(call, whole, usual_segments(used.bytes))
    others = [c for c in every if c.name != chosen.name and _core.estimated_messages(whole, c) <= _MOST_MESSAGES]
    laboratory.begin([(call, choice) for choice in [chosen, *others]])
    times = {choice.name: laboratory.time(call, choice) for choice in others}
    best = min(times, key=lambda name: times[name], default="")
    hosts = laboratory.placement(used.ranks).where
    sends = sends_of(used.kind, used.ranks)
    return Advice(
        used=used,
        time_s=laboratory.time(call, chosen),
        sends_s=sends * laboratory.one_way(used.bytes, hosts[0], hosts[1]) if sends else None,
        algorithm=chosen.name,
        other=best,
        other_s=times.get(best),
    )


def measured_advice(uses: Iterable[UsedCall], results: BenchmarkResults) -> list[Advice]:
    """From what was measured: times between two sizes are interpolated; outside of them nothing is known."""
    return _sorted(
        [Advice(used=used, time_s=_between(results, used.kind, used), sends_s=_sends(results, used)) for used in uses]
    )


def _sends(results: BenchmarkResults, used: UsedCall) -> float | None:
    ping_pong, sends = _between(results, LATENCY, used), sends_of(used.kind, used.ranks)
    return None if ping_pong is None or not sends else sends * ping_pong / 2


def _between(results: BenchmarkResults, test: str, used: UsedCall) -> float | None:
    """Seconds of a turn of a test at the size of a call, on as many ranks; without the barrier, where that is known."""
    curve = sorted(_curve(results, test, used.ranks))
    for (low, low_s), (high, high_s) in zip(curve, curve[1:] or curve, strict=False):
        if used.bytes in (low, high):
            return low_s if used.bytes == low else high_s
        if low < used.bytes < high and min(low_s, high_s) > 0:
            share = log(used.bytes / low) / log(high / low)
            return exp((1 - share) * log(low_s) + share * log(high_s))
    return None


def _curve(results: BenchmarkResults, test: str, ranks: int) -> Iterator[tuple[int, float]]:
    for row in results.rows:
        if row.case == LoopCase(test, ranks, row.case.bytes):
            yield row.case.bytes, row.time_s if row.without_barrier_s is None else row.without_barrier_s


def _sorted(found: list[Advice]) -> list[Advice]:
    return sorted(
        found,
        key=lambda advice: (
            -advice.gain_s,
            -(advice.time_s or 0.0) * advice.used.calls,
            advice.used.kind,
            advice.used.bytes,
        ),
    )
