# SPDX-License-Identifier: BSD-3-Clause
"""Primes by a super-master, bosses and workers, with mpi4py.

    master_worker.py [LIMIT [LEVELS]]      primes below LIMIT, default 100000; LEVELS of groups, 0 to 2, default 1

Rank 0 has all numbers. On each level a group of ranks has a boss, its lowest rank: sites on the outer level, nodes on the
inner one. Where the MPI does not know of sites, four ranks in order stand for one. Who has nothing left to do asks the one
above; in the end each says how many primes it found. In C the same is `orrery/masterworker.h`. The program knows how many
primes there are below 20000 and below 100000, and stops with 1 where it finds another number.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from mpi4py import MPI

CHUNK = 100  # numbers that a worker gets at once
KNOWN = {20_000: 2_262, 100_000: 9_592}
Part = range | None  # None: there is no more


@dataclass
class Place:
    """Where a rank is in the tree."""

    above: int = -1
    below: list[int] = field(default_factory=list)


def tree(colours: list[list[int]]) -> list[Place]:
    """Places of all ranks, by the colours that each has on each level, outermost first."""
    places = [Place() for _ in colours]
    levels = len(colours[0])

    def put(level: int, leader: int, members: list[int]) -> None:
        groups: dict[int, list[int]] = {}
        for member in members:
            groups.setdefault(colours[member][level] if level < levels else member, []).append(member)
        if list(groups) == [colours[leader][level] if level < levels else -1]:
            put(level + 1, leader, members)  # a boss would have all of them
            return
        for first, *rest in groups.values():
            places[first].above = leader
            places[leader].below.append(first)
            if rest:
                put(level + 1, first, rest)

    put(0, 0, list(range(1, len(colours))))
    return places


def lead(world: MPI.Comm, place: Place, mine: range, chunk: int) -> int:
    """Give parts of the numbers to those below and add up what they find."""
    found, waiting, running, asked = 0, list[int](), len(place.below), False
    ended = place.above < 0
    while running > 0:
        if mine and waiting:
            part, mine = mine[:chunk], mine[chunk:]
            world.send(part, waiting.pop(0))
        elif ended and waiting:
            world.send(None, waiting.pop(0))
        elif not mine and not ended and not asked:
            world.send(None, place.above)
            asked = True
        else:
            status = MPI.Status()
            message = world.recv(status=status)
            if status.source == place.above:
                asked, mine, ended = False, message or range(0), message is None
            elif message is None:
                waiting.append(status.source)
            else:
                found, running = found + message, running - 1
    return found


def work(world: MPI.Comm, above: int) -> int:
    """Test the numbers that come, until none do."""
    found = 0
    while True:
        world.send(None, above)
        part: Part = world.recv(source=above)
        if part is None:
            return found
        found += primes(part)


def primes(part: range) -> int:
    """How many of the numbers are prime."""
    return sum(number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1)) for number in part)


def site_of(world: MPI.Comm) -> int:
    """A number that ranks of a site have in common."""
    try:
        info = MPI.Info.Create({"mpi_hw_resource_type": "site"})
        site = world.Split_type(MPI.COMM_TYPE_HW_GUIDED, info=info)
    except (AttributeError, NotImplementedError, MPI.Exception):
        return world.rank // 4
    return world.rank // 4 if site == MPI.COMM_NULL else site.allreduce(world.rank, MPI.MIN)


def main() -> int:
    """Give the exit code."""
    world = MPI.COMM_WORLD
    limit, levels = (int(word) for word in (sys.argv[1:] + ["100000", "1"][len(sys.argv) - 1 :]))
    if levels not in (0, 1, 2):
        sys.exit(f"LEVELS: found {levels}, expected 0, 1 or 2")
    node = world.Split_type(MPI.COMM_TYPE_SHARED).allreduce(world.rank, MPI.MIN)
    place = tree(world.allgather([site_of(world), node][:levels]))[world.rank]
    everything = range(limit if world.rank == 0 else 0)
    if world.size == 1:
        found = primes(everything)
    elif place.below:
        found = lead(world, place, everything, CHUNK * (10 if world.rank == 0 and levels > 0 else 1))
    else:
        found = work(world, place.above)
    if world.rank > 0:
        world.send(found, place.above)
        return 0
    right = limit not in KNOWN or found == KNOWN[limit]
    verdict = "" if limit not in KNOWN else ", right" if right else ", WRONG"
    print(f"{found} primes below {limit}{verdict}")
    return 0 if right else 1


sys.exit(main())
