# SPDX-License-Identifier: BSD-3-Clause
"""Measured times beside expected ones, class by class.

The time of a collective call is that from the last rank's arrival to the last one's leaving: what ranks wait for each other
before is not in it. The time of a message is that from when both ends have started it until the receiver, which waits
for it meanwhile, has it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from orrery.collective.call import REDUCTIONS, ROOTED, Call, Operation
from orrery.noise.intervals import MedianInterval
from orrery.record.expected import ExpectedInterval
from orrery.watch.board import COMMUTES, UNEQUAL
from orrery.watch.expectation import MOST_MESSAGES, Expectation, Leg
from orrery.watch.joined import CollectiveCells, JoinedMessage, Presence, Traffic
from orrery.watch.result import CollectiveClass, ComparedTime, MessageClass, Verdict

RangeOf = Callable[[float], ExpectedInterval | None]
FEWEST = 5
"""Times that a verdict needs."""
_AT_ONCE = 0.5
"""Ranks come at once if it is within this share of the expected time."""
_STARTED_AT_ONCE = 0.25
"""Messages that one call completes start at once if it is within this share of the expected time."""
_LONG_BEFORE = 3
"""A message that started so many expected times earlier is over."""


def call_of(class_: CollectiveCells) -> tuple[Call | None, str]:
    """The call that a class of calls is, at its mean size; or why there is none."""
    cells = list(class_.cells.values())
    if any(cell.flags & UNEQUAL for cell in cells):
        return None, "its blocks differ"
    means = _means(class_)
    if max(means) > 1.05 * min(means) + 1:
        return None, "its blocks differ"
    cell = cells[0]
    element = max(1, cell.element) if class_.kind in REDUCTIONS or cell.element <= min(means) else 1
    size = 0 if class_.kind == "barrier" else round(fmean(means) / element) * element
    operation: Operation = "built-in" if class_.kind not in REDUCTIONS or cell.flags & COMMUTES else "not-commutative"
    extent = cell.extent if element == cell.element else 0
    return Call(class_.kind, size, len(class_.members), type_size=element, operation=operation, type_extent=extent), ""


def begin(classes: Iterable[CollectiveCells], expectation: Expectation, most_messages: int = MOST_MESSAGES) -> None:
    """Start all simulations that these classes need; they run side by side."""
    for class_ in classes:
        call, _ = call_of(class_)
        if call is not None:
            expectation.begin(call, class_.members, class_.root, most_messages)


def compared_collectives(classes: Sequence[CollectiveCells], expectation: Expectation | None) -> list[CollectiveClass]:
    """By class, those with the most time first. Communicators of one size are put together."""
    groups: dict[tuple[str, int, int, int], list[CollectiveCells]] = defaultdict(list)
    for class_ in classes:
        bucket = next(iter(class_.cells.values())).bucket
        groups[class_.kind, len(class_.members), bucket, class_.root].append(class_)
    found = [_collective_class(group, expectation) for group in groups.values()]
    return sorted(found, key=lambda class_: -class_.time_s)


@dataclass(frozen=True)
class _Moment:
    """One call: seconds from the last arrival to the last leaving, and from the first arrival to the last."""

    time_s: float
    apart_s: float
    last: int
    expected_s: float | None

    @classmethod
    def of(cls, moment: dict[int, Presence], expected_s: float | None) -> _Moment:
        begins = {rank: presence.begin_s for rank, presence in moment.items()}
        last = max(begins, key=lambda rank: begins[rank])
        end_s = max(presence.end_s for presence in moment.values())
        return cls(max(0.0, end_s - begins[last]), begins[last] - min(begins.values()), last, expected_s)

    @property
    def at_once(self) -> bool:
        return self.expected_s is None or self.apart_s <= _AT_ONCE * self.expected_s


def _collective_class(group: Sequence[CollectiveCells], expectation: Expectation | None) -> CollectiveClass:
    first = group[0]
    call, why_not = call_of(first)
    moments: list[_Moment] = []
    algorithm = ""
    for class_ in group:
        expected_s = None
        own, why = call_of(class_)
        if own is None:
            why_not = why
        elif expectation is not None:
            simulated = expectation.collective(own, class_.members, class_.root)
            expected_s, algorithm, why_not = simulated.time_s, simulated.algorithm or algorithm, simulated.why_not
        moments += [_Moment.of(moment, expected_s) for moment in class_.moments()]
    close = [moment for moment in moments if moment.at_once]
    together = len(close) >= FEWEST
    used = close if together else moments
    size = call.size if call is not None else round(fmean(_means(first)))
    last = Counter(moment.last for moment in moments).most_common(1)
    ranks = len(first.members)
    return CollectiveClass(
        kind=first.kind,
        ranks=ranks,
        communicators=len(group),
        root=first.root if first.kind in ROOTED else None,
        bytes=size,
        calls=sum(class_.calls for class_ in group),
        time_s=fmean(cell.time_s for class_ in group for cell in class_.cells.values()),
        timed=len(moments),
        compared=_compared(
            [(moment.time_s, moment.expected_s) for moment in used],
            lambda time_s: expectation.range_of(first.kind, ranks, size, time_s) if expectation else None,
            judged=together,
        ),
        algorithm=algorithm,
        apart_s=median(moment.apart_s for moment in moments) if moments else None,
        together=together,
        last=last[0][0] if last else None,
        last_share=last[0][1] / len(moments) if last else 0.0,
        left_out=why_not,
    )


def _means(class_: CollectiveCells) -> list[float]:
    """Bytes of a call, as `orrery collective -s` has them; mean of each rank."""
    blocks = len(class_.members) if class_.kind in ("alltoallv", "alltoallw") else 1
    return [cell.bytes / cell.calls / blocks for cell in class_.cells.values()]


def _compared(times: Sequence[tuple[float, float | None]], range_of: RangeOf, *, judged: bool) -> ComparedTime:
    """`times`: measured and expected ones, in pairs."""
    if not times:
        return ComparedTime(samples=0)
    measured_s = median(time_s for time_s, _ in times)
    ratios = [time_s / expected_s for time_s, expected_s in times if expected_s]
    if not ratios:
        return ComparedTime(samples=len(times), measured_s=measured_s)
    expected_s = median(expected_s for _, expected_s in times if expected_s)
    expected = range_of(expected_s)
    low, high = (expected.low_s, expected.high_s) if expected is not None else (None, None)
    interval = MedianInterval.of(ratios * 2 if len(ratios) == 1 else ratios)
    return ComparedTime(
        samples=len(ratios),
        measured_s=measured_s,
        expected_s=expected_s,
        low_s=low,
        high_s=high,
        ratio=interval.median_s,
        ratio_low=interval.low_s,
        ratio_high=interval.high_s,
        verdict=_verdict(interval, len(ratios), expected, expected_s, judged=judged),
    )


def _verdict(
    interval: MedianInterval, samples: int, expected: ExpectedInterval | None, expected_s: float, *, judged: bool
) -> Verdict:
    if samples < FEWEST or expected is None or not judged:
        return ""
    if interval.low_s * expected_s > expected.high_s:
        return "slower"
    if interval.high_s * expected_s < expected.low_s:
        return "faster"
    return "as expected"


@dataclass(frozen=True)
class Exchange:
    """Messages that one call of a rank completed, for which it waited from the moment at which the last of them started."""

    rank: int
    legs: tuple[Leg, ...]
    """Received and sent, but for those that were over long before."""
    time_s: float
    """From that moment to the end of the call."""
    expected_s: float
    stands_for: float
    """Messages."""

    @property
    def received(self) -> list[Leg]:
        """Messages to the rank."""
        return [leg for leg in self.legs if leg.target == self.rank]

    @property
    def bytes(self) -> int:
        """Received."""
        return sum(leg.bytes for leg in self.received)


_Sampled = tuple[JoinedMessage, float]
_Groups = Mapping[tuple[int, float], Sequence[_Sampled]]
"""By rank and end of a call: what the call completed, and how many messages each of these stands for."""


def exchanges_of(traffic: Traffic, expectation: Expectation) -> list[Exchange]:
    """Those that can be compared: the rank was waiting, and nothing was on its way already that needs nobody to receive it."""
    groups: dict[tuple[int, float], list[_Sampled]] = defaultdict(list)
    for message, each in zip(traffic.messages, traffic.each, strict=True):
        if message.source != message.target:
            groups[message.target, message.received.end_s].append((message, each))
            groups[message.source, message.sent.end_s].append((message, each))
    found = (_exchange(rank, groups, own, expectation) for (rank, _), own in groups.items())
    return [exchange for exchange in found if exchange is not None]


def _exchange(rank: int, groups: _Groups, own: Sequence[_Sampled], expectation: Expectation) -> Exchange | None:
    wait = next((message.received for message, _ in own if message.target == rank), None)
    if wait is None or len(own) != wait.together:
        return None
    began_s = max(_start_s(message) for message, _ in own)
    usual_s = expectation.exchange(rank, _legs_of(own))
    last = [(message, each) for message, each in own if _start_s(message) > began_s - _LONG_BEFORE * usual_s]
    slack_s = _STARTED_AT_ONCE * usual_s
    awaited = wait.begin_s <= began_s + slack_s and wait.end_s > began_s
    on_its_way = any(message.target == rank and message.sent.posted_s < began_s - slack_s for message, _ in last)
    if not awaited or (on_its_way and len(last) == 1):
        return None
    legs = _legs_of(last)
    if not any(leg.target == rank for leg in legs):
        return None
    meanwhile = _meanwhile(rank, groups, last, began_s - _LONG_BEFORE * usual_s) if len(legs) > 1 else []
    expected_s = expectation.exchange(rank, [*legs, *meanwhile])
    each = sum(each for message, each in last if message.target == rank)
    return Exchange(rank, tuple(legs), wait.end_s - began_s, expected_s, each)


def _meanwhile(rank: int, groups: _Groups, own: Sequence[_Sampled], since_s: float) -> list[Leg]:
    """Messages of others that the peers complete in the same calls: they share the peers' links."""
    found: dict[int, JoinedMessage] = {}
    for message, _ in own:
        peer = message.source if message.target == rank else message.target
        end_s = message.sent.end_s if peer == message.source else message.received.end_s
        for other, _ in groups[peer, end_s]:
            if rank not in (other.source, other.target) and _start_s(other) > since_s:
                found[id(other)] = other
    return [Leg(other.source, other.target, other.bytes) for other in found.values()]


def _legs_of(messages: Sequence[_Sampled]) -> list[Leg]:
    return [Leg(message.source, message.target, message.bytes) for message, _ in messages]


def _start_s(message: JoinedMessage) -> float:
    """When both ends had started it."""
    return max(message.sent.posted_s, message.received.posted_s)


def compared_messages(exchanges: Sequence[Exchange], expectation: Expectation) -> list[MessageClass]:
    """By way and size: messages that came alone, and those that came at once."""
    groups: dict[tuple[str, int], list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        groups[_way(exchange, expectation), exchange.bytes.bit_length()].append(exchange)
    return [_message_class(way, groups[way, bits], expectation) for way, bits in sorted(groups)]


def _way(exchange: Exchange, expectation: Expectation) -> str:
    ways = sorted({expectation.way(leg.source, leg.target) for leg in exchange.received})
    several = f", of {len(exchange.legs)} at once" if len(exchange.legs) > 1 else ""
    return " and ".join(ways) + several


def _message_class(way: str, group: Sequence[Exchange], expectation: Expectation) -> MessageClass:
    """A class of messages; how far expected times are off is known for single ones, not for several at once."""
    size = round(fmean(exchange.bytes for exchange in group))
    return MessageClass(
        way=way,
        bytes=size,
        pairs=len({leg[:2] for exchange in group for leg in exchange.received}),
        messages=round(sum(exchange.stands_for for exchange in group)),
        compared=_compared(
            [(exchange.time_s, exchange.expected_s) for exchange in group],
            lambda time_s: expectation.range_of("bcast", 2, size, time_s) if len(group[0].legs) == 1 else None,
            judged=True,
        ),
    )
