# SPDX-License-Identifier: BSD-3-Clause
"""What all ranks did in the same calls, from their boards: when they came to a collective and left it, both ends of messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from orrery import _core
from orrery.watch.board import ANY_TAG, COLLECTIVES, RECEIVES, SENDS, UNORDERED, WORLD, Board, BoardCell, CallTimes

KINDS = tuple(_core.collective_kinds())
"""Collectives by their numbers on boards, which are those of traces."""
FROM_ROOT = {"bcast", "scatter", "scatterv"}
"""Only the root is waited for."""
TO_ROOT = {"reduce", "gather", "gatherv"}
"""Only the root waits for all."""


class Presence(NamedTuple):
    """One rank in one collective call, in seconds."""

    begin_s: float
    end_s: float


@dataclass(frozen=True)
class CollectiveCells:
    """All collective calls of one class: the cells of all ranks of the communicator."""

    kind: str
    members: tuple[int, ...]
    """World ranks."""
    cells: dict[int, BoardCell]
    """By world rank."""

    @property
    def calls(self) -> int:
        """That all ranks have made."""
        return min(cell.calls for cell in self.cells.values())

    @property
    def root(self) -> int:
        """Rank in the communicator."""
        return next(iter(self.cells.values())).peer

    def moments(self) -> Iterator[dict[int, Presence]]:
        """The calls of which all ranks have times, by world rank, in the order of the calls."""
        common = set.intersection(*(set(cell.samples) for cell in self.cells.values()))
        for number in sorted(common):
            yield {
                rank: Presence(cell.samples[number].begin_s, cell.samples[number].end_s)
                for rank, cell in self.cells.items()
            }


def collectives_of(boards: Mapping[int, Board], members: Mapping[int, tuple[int, ...]]) -> list[CollectiveCells]:
    """Classes of calls that all ranks of their communicators have made."""
    found: dict[tuple[int, int, int, int], dict[int, BoardCell]] = defaultdict(dict)
    ranks = next((board.ranks for board in boards.values()), 0)
    for board in boards.values():
        for cell in board.cells:
            if cell.what == COLLECTIVES and cell.ranks > 1 and cell.collective < len(KINDS):
                found[cell.comm, cell.collective, cell.peer, cell.bucket][board.rank] = cell
    joined = []
    for (comm, kind, _, _), cells in found.items():
        of_comm = tuple(range(ranks)) if comm == WORLD else members.get(comm, ())
        if of_comm and set(of_comm) == set(cells):
            joined.append(CollectiveCells(KINDS[kind], of_comm, cells))
    return joined


class JoinedMessage(NamedTuple):
    """Both ends of a message, world ranks; `sent` and `received`: what the two did."""

    source: int
    target: int
    bytes: int
    sent: CallTimes
    received: CallTimes


@dataclass
class Traffic:
    """Messages between ranks."""

    calls: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    """Sent, by source and target."""
    bytes: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    messages: list[JoinedMessage] = field(default_factory=list)
    """Those of which both ends have times."""
    each: list[float] = field(default_factory=list)
    """How many messages each of them stands for."""
    unordered: int = 0
    """Sent to ranks that do not tell which of them they received."""


def traffic_of(boards: Mapping[int, Board]) -> Traffic:
    """Who sent what to whom; the n-th send and the n-th receive of one channel are one message."""
    receives: dict[tuple[int, int, int, int], BoardCell] = {}
    confused: set[tuple[int, int, int]] = set()
    for board in boards.values():
        for cell in board.cells:
            if cell.what == RECEIVES and cell.tag == ANY_TAG and cell.flags & UNORDERED:
                confused.add((cell.comm, cell.peer, board.rank))
            elif cell.what == RECEIVES:
                receives[cell.comm, cell.peer, board.rank, cell.tag] = cell
    traffic = Traffic()
    for board in boards.values():
        for cell in board.cells:
            if cell.what != SENDS:
                continue
            pair = (board.rank, cell.peer)
            traffic.calls[pair] += cell.calls
            traffic.bytes[pair] += cell.bytes
            if (cell.comm, *pair) in confused:
                traffic.unordered += cell.calls
            elif (other := receives.get((cell.comm, *pair, cell.tag))) is not None:
                _join(traffic, pair, cell, other)
    return traffic


def _join(traffic: Traffic, pair: tuple[int, int], sends: BoardCell, receives: BoardCell) -> None:
    common = sorted(sends.samples.keys() & receives.samples.keys())
    each = sends.calls / len(common) if common else 0.0
    for number in common:
        sent, received = sends.samples[number], receives.samples[number]
        traffic.messages.append(JoinedMessage(*pair, sent.bytes, sent, received))
        traffic.each.append(each)


class JoinedWait(NamedTuple):
    """A rank that waited for another one."""

    rank: int
    late: int
    seconds: float


def waits_in(kind: str, root: int, moment: Mapping[int, Presence]) -> Iterator[JoinedWait]:
    """Who waited for whom in a collective call; `root`: world rank.

    A rank waits for the last one that came before it could leave. Of calls from a root only this is waited for, and of
    calls to a root only this waits.
    """
    for rank, (begin_s, end_s) in moment.items():
        if kind in TO_ROOT and rank != root:
            continue
        others = [root] if kind in FROM_ROOT else moment
        came = [(moment[other].begin_s, other) for other in others if begin_s < moment[other].begin_s <= end_s]
        if came:
            late_s, late = max(came)
            yield JoinedWait(rank, late, late_s - begin_s)


def waits_for_messages(messages: Iterable[JoinedMessage], each: Iterable[float]) -> Iterator[JoinedWait]:
    """Receivers that waited for their senders, and senders that waited for their receivers, times how often that was."""
    for message, times in zip(messages, each, strict=True):
        sent, received = message.sent, message.received
        if received.begin_s < sent.posted_s < received.end_s and received.together == 1:
            yield JoinedWait(message.target, message.source, times * (sent.posted_s - received.begin_s))
        elif sent.begin_s < received.posted_s < sent.end_s and sent.together == 1:
            yield JoinedWait(message.source, message.target, times * (received.posted_s - sent.begin_s))
