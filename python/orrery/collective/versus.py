# SPDX-License-Identifier: BSD-3-Clause
"""A collective beside the sends that would do the same, one after the other.

Source: Khan 2011, chapter 4: the time of a collective is compared with that of one message,
half a ping-pong, times the number of messages that bring the same data to the same ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.platform.trusted import verdict_of
from orrery.published import published

Side = Literal["L", "H"]
"""The collective's time is lower, or not."""

COLUMNS = ("collective", "ranks", "platform", "short_message", "long_message", "changing_length_bytes")
"""Those of the published table that are known here; the last one is empty where nothing changes."""

_FROM_ROOT = {"bcast", "scatter", "scatterv"}
_TO_ROOT = {"reduce", "gather", "gatherv"}
_ALL_PAIRS = {"alltoall", "alltoallv", "allgather", "allgatherv"}


@dataclass(frozen=True)
class SendsComparison:
    """One call and its sends, in seconds."""

    call: Call
    algorithm: str
    collective_s: float
    sends: int
    sends_s: float

    @property
    @published
    def side(self) -> Side:
        """`L`: the collective takes less time than the sends; `H`: it does not."""
        return "L" if self.collective_s < self.sends_s else "H"


@dataclass(frozen=True)
class Scenario:
    """What holds over all sizes."""

    kind: str
    ranks: int
    short_message: Side
    long_message: Side
    changes_at: list[int]
    """Sizes, in bytes, at which the collective comes to the other side."""

    @property
    @published
    def words(self) -> str:
        """As the table's author counts scenarios: always lower, always higher, a crossover at a size."""
        names = {"L": "lower", "H": "higher"}
        if not self.changes_at:
            return f"always {names[self.short_message]}"
        if len(self.changes_at) == 1:
            return f"{names[self.short_message]}, crossover at {self.changes_at[0]} B, then {names[self.long_message]}"
        sizes = ", ".join(f"{size} B" for size in self.changes_at)
        return f"{names[self.short_message]} at first, changes at {sizes}"


@dataclass(frozen=True)
class SendsStudy:
    """All comparisons, and what they amount to."""

    platform: str
    source: str
    model: str
    mapping: str
    selector: str
    barrier: bool
    comparisons: list[SendsComparison]
    missing: list[Call]
    """What Ctrl-C kept from being compared."""
    scenarios: list[Scenario]
    calibration: dict[str, Any] | None = None
    """How good that of the platform is; None where nobody judged."""

    def rows(self) -> list[tuple[str | int, ...]]:
        """In the order of `COLUMNS`; more than one change is written with blanks between."""
        return [
            (s.kind, s.ranks, self.platform, s.short_message, s.long_message, " ".join(map(str, s.changes_at)))
            for s in self.scenarios
        ]


def compare(
    calls: Sequence[Call],
    selector: _core.Selector,
    laboratory: Laboratory,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
    *,
    barrier: bool = False,
) -> SendsStudy:
    """Compare the selector's algorithm with sends. Raises InputError for collectives that no such sends replace.

    Args:
        barrier: count a barrier into the collective's time, as the paper's loop of measurement has one after each.
    """
    comparisons = []
    try:
        for done, call in enumerate(calls, start=1):
            comparisons.append(_compare(call, selector, laboratory, barrier=barrier))
            advanced(done, len(calls))
    except KeyboardInterrupt:
        laboratory.stop()
    return SendsStudy(
        platform=laboratory.platform["name"],
        source=laboratory.platform["source"],
        model=laboratory.model,
        mapping=laboratory.mapping,
        selector=selector.name,
        barrier=barrier,
        comparisons=comparisons,
        missing=list(calls[len(comparisons) :]),
        scenarios=scenarios(comparisons),
        calibration=verdict_of(laboratory.platform),
    )


def scenarios(comparisons: Iterable[SendsComparison]) -> list[Scenario]:
    """One for each collective and number of ranks."""
    return scenarios_of(
        (comparison.call.kind, comparison.call.ranks, comparison.call.size, comparison.side)
        for comparison in comparisons
    )


def scenarios_of(sides: Iterable[tuple[str, int, int, Side]]) -> list[Scenario]:
    """One for each collective and number of ranks, from collective, number of ranks, bytes and side."""
    found = []
    for (kind, ranks), group in groupby(sorted(sides), key=lambda entry: entry[:2]):
        row = [(size, side) for _, _, size, side in group]
        changes = [size for (_, before), (size, after) in pairwise(row) if before != after]
        found.append(Scenario(kind, ranks, row[0][1], row[-1][1], changes))
    return found


def sends_of(kind: str, ranks: int) -> int:
    """How many messages bring the same data to the same ranks; 0: no row of sends does."""
    if kind in _FROM_ROOT | _TO_ROOT:
        return ranks - 1
    if kind == "allreduce":  # a reduction, then a broadcast
        return 2 * (ranks - 1)
    return ranks * (ranks - 1) if kind in _ALL_PAIRS else 0


def _compare(call: Call, selector: _core.Selector, laboratory: Laboratory, *, barrier: bool) -> SendsComparison:
    choice = laboratory.chosen(selector, call)
    time = laboratory.time(call, choice)
    if barrier:
        after = Call("barrier", 0, call.ranks)
        time += laboratory.time(after, laboratory.chosen(selector, after))
    pairs = _pairs(call, laboratory)
    sends_s = sum(count * laboratory.one_way(call.size, *hosts) for hosts, count in pairs.items())
    return SendsComparison(call, choice.name, time, sum(pairs.values()), sends_s)


def _pairs(call: Call, laboratory: Laboratory) -> Counter[tuple[int, int]]:
    """How many messages go from a host to another, both standing for those that are placed alike."""
    hosts = laboratory.placement(call.ranks).host_of_rank
    alike = laboratory.alike
    others = [host for rank, host in enumerate(hosts) if rank != laboratory.root]
    root = hosts[laboratory.root]
    if call.kind in _FROM_ROOT:
        return Counter(alike(root, host) for host in others)
    if call.kind in _TO_ROOT:
        return Counter(alike(host, root) for host in others)
    if call.kind == "allreduce":  # a reduction, then a broadcast
        return Counter(alike(host, root) for host in others) + Counter(alike(root, host) for host in others)
    if call.kind in _ALL_PAIRS:
        return Counter(alike(a, b) for i, a in enumerate(hosts) for j, b in enumerate(hosts) if i != j)
    known = ", ".join(sorted(_FROM_ROOT | _TO_ROOT | _ALL_PAIRS | {"allreduce"}))
    raise InputError(f"--versus-sends: no row of sends does what {call.kind} does; it is for: {known}")
