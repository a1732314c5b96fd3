# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a calibration: which experiments to make within the budget.

A plan consists of passes. Each pass draws its own sizes at random, uniformly in the logarithm, so that no size is
special. The first pass contains every kind of experiment: if the measurement ends early, repetitions are missing but no
kind of experiment.

Source: Bédaride and others 2013, section 4.1: "the message size is exponentially sampled from 1 byte to 100MiB".
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orrery.calibrate.measure import experiments as do
from orrery.calibrate.measure.experiments import Pair, PlanLine
from orrery.calibrate.measure.sharing_plan import apart, bridge, fan, queue, sharing, work
from orrery.calibrate.measure.speed import Speed

LARGEST = 100 << 20
"""Largest message size in bytes (see the source above)."""
_SURVEY_SIZES = (1, 1 << 10, 1 << 13, 1 << 16, 1 << 18, 1 << 20)
_SIZES_IN_PASS = 24
_MOST_PASSES = 12
_SIZES_BETWEEN_WORK = 4
"""Number of sizes between two measurements of processor work: six per pass, as the load of a host changes within seconds."""
_QUEUED = 1 << 20
"""Bytes of the large messages for which small messages wait in a queue."""
_DETAIL = 8 << 20
"""Bytes. For larger messages only the rate matters, so their overheads are not measured."""
_STEAL_PASSES = 3
"""Passes with experiments on stolen time and on interruptions."""
_STEAL_WINDOW_S = 0.5
"""Seconds of fixed work: 15 slices of Xen's credit scheduler."""
_STEAL_OF_BUDGET = 0.005
"""At most this part of the budget."""
_NOISE_WINDOW_S = 1.0
"""Seconds of fixed work: a hundred ticks of the slowest clock that systems have."""
_NOISE_OF_BUDGET = 0.01
"""At most this part of the budget."""
_MEMORY = Speed((1.0, 1e6), (5e-7, 2e-4))
"""Assumed times of messages inside a node."""
_TOGETHER = (1 << 20, 1 << 22)
"""Bytes of simultaneous messages inside a node. Several of the first size fit into caches, hardly any of the second."""
_TOGETHER_REPS = 5


@dataclass(frozen=True)
class PlanRequest:
    """Ranks and budget for which a plan is made."""

    first_ranks: list[int]
    """One rank of each node."""
    local_ranks: list[int]
    """The ranks of one node with several ranks; empty if there is none."""
    groups: list[list[int]]
    """`first_ranks` by cabinet or site."""
    budget_s: float
    seed: int
    """Seed of the sizes."""
    shared_kernel: bool = False
    """Whether nodes share a kernel, hence processors."""
    virtual: bool = False
    """Whether nodes are virtual machines, and `groups` their hosts."""


def survey(ranks: int) -> list[PlanLine]:
    """Experiments before the plan is made: layout, first messages of pairs, and ping-pongs that tell the network's speed."""
    slow = Speed()
    other = ranks - 1
    # Collectives before this send nothing between ranks 3 apart, so the first message of these pairs sets up their connection.
    fresh = [(a, a + 3) for a in (1, 2, 8, 9, 16, 17) if a + 3 < ranks] or [(0, other)]
    lines = [do.plain("hosts", 0.01)]
    lines += [do.pingpong([pair], 1, 8, slow, group="first", warm=0) for pair in fresh]
    lines += [do.pingpong([(0, other)], size, 5, slow, group="survey") for size in _SURVEY_SIZES]
    return lines


def sizes_of_pass(largest: int, count: int, generator: random.Random) -> list[int]:
    """Sizes in bytes from 1 to `largest`, in random order: one from each of `count` equal steps of the logarithm."""
    sizes = [round(largest ** ((step + generator.random()) / count)) for step in range(count)]
    generator.shuffle(sizes)
    return sizes


def plan(request: PlanRequest, speed: Speed) -> list[PlanLine]:
    """Lines for the whole budget, the most important ones first. `speed` estimates their durations."""
    generator = random.Random(request.seed)  # noqa: S311  reproducible, not secret
    several = len(request.first_ranks) > 1
    first = sharing(request.first_ranks, request.groups, speed, request.budget_s) if several else []
    begin = list((bridge if request.virtual else apart)(request.groups, speed)) if several else []
    first += _together(request.local_ranks)
    lines = begin + list(_pass(0, request, speed, generator)) + first
    spent = sum(line.seconds for line in lines)
    for number in range(1, _MOST_PASSES):
        more = list(_pass(number, request, speed, generator))
        if spent + sum(line.seconds for line in more) > request.budget_s:
            break
        lines += more
        spent += sum(line.seconds for line in more)
    return lines


def largest_size(budget_s: float, speed: Speed) -> int:
    """The largest size in bytes whose round trip takes at most 1/50 of the budget, but in [64 KiB, `LARGEST`]."""
    return min(LARGEST, max(1 << 16, speed.size_of(budget_s / 100)))


def _pass(number: int, request: PlanRequest, speed: Speed, generator: random.Random) -> Iterator[PlanLine]:
    """One pass: experiments between nodes (if there are several), inside a node (if one has several ranks), and of calls."""
    ranks = request.first_ranks
    yield do.plain("clocks", 0.02 * len(ranks), rounds=50)
    yield do.foreign()
    if len(ranks) > 1:
        yield from _between_nodes(number, request, speed, generator)
    if request.local_ranks:
        yield from _inside_node(number, request, speed, generator)
    pair = _pair(number, ranks if len(ranks) > 1 else request.local_ranks)
    yield do.plain("calls", 0.5, rank=pair[0], reps=3, count=20)
    yield do.plain("nonblocking", 0.2, a=pair[0], b=pair[1], reps=12)
    yield do.plain("compute", 0.2, rank=pair[0], bytes=65536, reps=3)
    if request.shared_kernel:
        yield do.time_slice()
    elif number < _STEAL_PASSES:
        window_s = min(_STEAL_WINDOW_S, request.budget_s * _STEAL_OF_BUDGET)
        yield do.steal(pair[0], window_s)
        yield do.steal(-1, window_s)
        if not request.virtual:
            yield do.noise(min(_NOISE_WINDOW_S, request.budget_s * _NOISE_OF_BUDGET))


def _pair(number: int, ranks: Sequence[int]) -> Pair:
    """The pair of ranks of pass `number`; successive passes have different pairs if there are more than two ranks."""
    return ranks[2 * number % len(ranks)], ranks[(2 * number + 1) % len(ranks)]


def _between_nodes(number: int, request: PlanRequest, speed: Speed, generator: random.Random) -> Iterator[PlanLine]:
    ranks, pair = request.first_ranks, _pair(number, request.first_ranks)
    largest = largest_size(request.budget_s, speed)
    each_s = request.budget_s * 0.5 / (_SIZES_IN_PASS * 4)
    for index, size in enumerate(sizes_of_pass(largest, _SIZES_IN_PASS, generator), 1):
        yield from _one_size(pair, size, speed, each_s / 4, "net")
        if request.shared_kernel and index % _SIZES_BETWEEN_WORK == 0:
            yield from work(ranks, speed)
    near = request.groups[number % len(request.groups)]
    first = 2 * number % len(near)
    near = [*near[first:], *near[:first]]
    if len(near) > 2:
        yield fan(near, speed)
        if number > 0:
            yield queue(near, _QUEUED, speed)
    for of in ("send", "recv"):
        if number < 3:
            yield do.limit(pair, of, 256, 4 << 20, speed)


def _inside_node(number: int, request: PlanRequest, speed: Speed, generator: random.Random) -> Iterator[PlanLine]:
    pair = _pair(number, request.local_ranks)
    several = len(request.first_ranks) > 1
    largest = largest_size(request.budget_s, speed if several else _MEMORY)
    each_s = request.budget_s * 0.5 / (_SIZES_IN_PASS * 4)
    for size in sizes_of_pass(min(largest, _DETAIL), _SIZES_IN_PASS, generator):
        yield from _one_size(pair, size, _MEMORY, each_s / (20 if several else 4), "memory")
    if number < 3:
        yield do.limit(pair, "send", 64, 4 << 20, _MEMORY, group="memory")
        yield do.limit(pair, "recv", 64, 4 << 20, _MEMORY, group="memory")


def _together(ranks: Sequence[int]) -> list[PlanLine]:
    """Simultaneous large messages of 1, 2, 4, ... pairs in one node, which share its memory bandwidth."""
    lines = []
    count = 1
    while count <= len(ranks) // 2:
        pairs = [(ranks[2 * index], ranks[2 * index + 1]) for index in range(count)]
        lines += [
            do.flows("together", pairs, size, _TOGETHER_REPS, count * _MEMORY.time(size), group="inside")
            for size in _TOGETHER
        ]
        count *= 2
    return lines


def _one_size(pair: Pair, size: int, speed: Speed, allowance_s: float, group: str) -> Iterator[PlanLine]:
    """Experiments with one size: ping-pong, and lone messages with early and with late receives."""
    time = speed.time(size)
    lone = time + 0.007
    yield do.pingpong([pair], size, do.repetitions(2 * time, allowance_s, 2, 25), speed, group=group)
    yield do.ping(pair, "recvfirst", size, do.repetitions(lone, allowance_s, 2, 12), speed, group=group)
    if size <= _DETAIL and time < 0.5:
        late = do.repetitions(lone + do.gap_s(size, speed), allowance_s, 3, 8)
        yield do.ping(pair, "sendfirst", size, late, speed, group=group)
        yield do.ping(pair, "recvfirst", size, min(late, 4), speed, group=group, call="isend")
