# SPDX-License-Identifier: BSD-3-Clause
"""Which ranks, nodes and links are slower than they should be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from orrery.noise.intervals import MedianInterval
from orrery.watch.board import Board
from orrery.watch.compared import FEWEST, Exchange
from orrery.watch.expectation import Expectation
from orrery.watch.joined import CollectiveCells, Traffic, waits_for_messages, waits_in
from orrery.watch.result import RankWait, Slowdown

_MOST_WAITING = 20
_OF_RUN = 0.02
"""A rank is named if others wait for it for this share of the run on average, or longer."""
_LEAST_S = 0.01
"""And for so many seconds."""
_OF_WAITING = 0.5
"""And if it is this share of all waiting."""
_REACH = 1.5
"""Where nothing is known of how far expected times are off: messages take so many times as long as they should."""
_WHERE = {
    "from": "messages from node {0}",
    "into": "messages into node {0}",
    "node": "messages from and into node {0}",
    "link": "messages from node {0} to node {1}",
}
_OTHERS = 3
"""Pairs of nodes that it takes to compare a pair with the others, not only with the platform."""


def waiting_of(classes: Iterable[CollectiveCells], traffic: Traffic) -> list[RankWait]:
    """Who waited for whom, and how long, in all calls; the longest first."""
    seconds: dict[tuple[int, int], float] = defaultdict(float)
    for class_ in classes:
        moments = list(class_.moments())
        root = class_.members[class_.root] if 0 <= class_.root < len(class_.members) else -1
        for moment in moments:
            for wait in waits_in(class_.kind, root, moment):
                seconds[wait.rank, wait.late] += wait.seconds * class_.calls / len(moments)
    for wait in waits_for_messages(traffic.messages, traffic.each):
        seconds[wait.rank, wait.late] += wait.seconds
    found = [RankWait(rank=rank, late=late, seconds=time) for (rank, late), time in seconds.items()]
    return sorted(found, key=lambda wait: -wait.seconds)


def shown(waiting: Sequence[RankWait]) -> list[RankWait]:
    """The longest."""
    return list(waiting[:_MOST_WAITING])


def late_ranks(waiting: Sequence[RankWait], boards: Mapping[int, Board], run_s: float) -> list[Slowdown]:
    """Ranks for which the others wait most of the time that they wait at all."""
    caused: dict[int, float] = defaultdict(float)
    for wait in waiting:
        caused[wait.late] += wait.seconds
    total = sum(caused.values())
    found = []
    for rank, seconds in caused.items():
        mean_s = seconds / max(1, len(boards) - 1)
        if mean_s < max(_LEAST_S, _OF_RUN * run_s) or seconds < _OF_WAITING * total:
            continue
        own = boards[rank].mpi_s / run_s
        others = median(board.mpi_s for board in boards.values() if board.rank != rank) / run_s
        computes = others - own > mean_s / run_s / 2
        why = "it computes longer" if computes else "it does not compute longer, its calls take longer"
        words = (
            f"others wait for rank {rank} ({boards[rank].host}) for {100 * mean_s / run_s:.0f} % of the run, "
            f"{100 * seconds / total:.0f} % of all waiting; it is in MPI for {100 * own:.0f} % of the run, "
            f"others for {100 * others:.0f} %: {why}"
        )
        found.append(Slowdown(what="rank", names=[str(rank)], factor=None, words=words))
    return found


_Side = tuple[str, int, int]
"""What may be slow: "from", "into", "node" or "link", the host that sends, the host that receives; -1: any."""


@dataclass(frozen=True)
class _ExchangeGroup:
    """Exchanges with messages between the same hosts."""

    ways: frozenset[tuple[int, int]]
    """Source and target."""
    ratios: MedianInterval
    reach: float

    def has(self, side: _Side) -> bool:
        """Whether a message had to do with it."""
        what, source, target = side
        if what == "node":
            return any(source in way for way in self.ways)
        return any(source in (-1, way[0]) and target in (-1, way[1]) for way in self.ways)

    @property
    def sides(self) -> set[_Side]:
        """What may have made it slow."""
        sides: set[_Side] = set()
        for source, target in self.ways:
            sides |= {("link", source, target), ("from", source, -1), ("into", -1, target)}
            sides |= {("node", source, -1), ("node", target, -1)}
        return sides


def slow_links(exchanges: Sequence[Exchange], expectation: Expectation) -> list[Slowdown]:
    """Nodes and links that explain why messages took longer than expected, and longer than those of others.

    Of what may explain a slow exchange (a link, a node that sends, one that receives, a node in both directions) all that
    also took part in exchanges that were not slow is excluded. Of the rest what explains the most is named, as a link or
    a direction where only that does; then what explains the most of what is left.
    """
    groups = _groups(exchanges, expectation)
    usual = median(group.ratios.median_s for group in groups) if groups else 0.0
    slow = [group for group in groups if group.ratios.low_s > group.reach * _base(group, groups)]
    fine = [group for group in groups if group not in slow]
    if len(slow) == len(groups) or (len(groups) > _OTHERS and usual > median(group.reach for group in groups)):
        found = [_all_slow(usual)] if groups else []
    else:
        found = []
    while slow and fine:
        sides = {side for group in slow for side in group.sides if not any(other.has(side) for other in fine)}
        if not sides:
            break
        best = _best(sides, slow)
        explained = [group for group in slow if group.has(best)]
        found.append(_finding(best, explained, expectation))
        slow = [group for group in slow if group not in explained]
    return found


def _best(sides: Collection[_Side], slow: Sequence[_ExchangeGroup]) -> _Side:
    """What explains the most; of equals the link, then the node, if both of its directions do, then the direction."""
    explains = {side: sum(group.has(side) for group in slow) for side in sides}
    most = max(explains.values())
    equal = sorted(side for side, count in explains.items() if count == most)
    sources = {source for what, source, _ in equal if what == "from"}
    both = sources & {target for what, _, target in equal if what == "into"}
    if both and not any(what == "link" for what, _, _ in equal):
        return ("node", min(both), -1)
    return min(equal, key=lambda side: ("link", "from", "into", "node").index(side[0]))


def _groups(exchanges: Sequence[Exchange], expectation: Expectation) -> list[_ExchangeGroup]:
    """Messages within a node tell nothing of links."""
    hosts = expectation.placed.host_of_rank
    by_ways: dict[frozenset[tuple[int, int]], list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        ways = frozenset((hosts[leg.source], hosts[leg.target]) for leg in exchange.legs)
        if ways := frozenset(way for way in ways if way[0] != way[1]):
            by_ways[ways].append(exchange)
    found = []
    for ways, group in by_ways.items():
        if len(group) < FEWEST:
            continue
        expected_s = median(exchange.expected_s for exchange in group)
        size = round(median(exchange.bytes for exchange in group))
        expected = expectation.range_of("bcast", 2, size, expected_s)
        # Platforms by hand are off as a whole, which the comparison with other links takes out.
        reach = expected.high_s / expected_s if expected is not None and not expected.by_hand else _REACH
        interval = MedianInterval.of([exchange.time_s / exchange.expected_s for exchange in group])
        found.append(_ExchangeGroup(ways, interval, max(reach, _REACH)))
    return found


def _base(group: _ExchangeGroup, groups: Sequence[_ExchangeGroup]) -> float:
    """What others take, as a multiple of what is expected, where there are enough of them."""
    others = [other.ratios.median_s for other in groups if other is not group]
    return median(others) if len(others) >= _OTHERS else 1.0


def _all_slow(usual: float) -> Slowdown:
    words = f"messages between nodes take {usual:.3g} times as long as the platform expects, whatever their way"
    return Slowdown(what="messages", names=[], factor=usual, words=words)


def _finding(side: _Side, explained: Sequence[_ExchangeGroup], expectation: Expectation) -> Slowdown:
    what, source, target = side
    names = [expectation.name_of(host) for host in (source, target) if host >= 0]
    factor = median(group.ratios.median_s for group in explained)
    where = _WHERE[what].format(*names)
    words = f"{where} take {factor:.3g} times as long as expected, and longer than others"
    return Slowdown(what=what, names=names, factor=factor, words=words)  # type: ignore[arg-type]
