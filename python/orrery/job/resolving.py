# SPDX-License-Identifier: BSD-3-Clause
"""From a profile and a number of ranks to the ranks of each group: blanks, shares and `$NPROCS` become numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb

from orrery.errors import did_you_mean
from orrery.job import ranks as rank_list
from orrery.job.profile import (
    MOST_CHARACTERS,
    MOST_DEPTH,
    MOST_GROUPS,
    MOST_PAIRS,
    InterGroupDemand,
    JobGroup,
    JobProfile,
    NetworkDemand,
)
from orrery.job.source import Key, Source

ALL = "$NPROCS"
REST = "rest"
_SHARE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s*%\s*")
_EXPECTED = f'expected a whole number above 0, "{ALL}", a share such as "25 %", or "{REST}"'


@dataclass(frozen=True, slots=True)
class ResolvedGroup:
    """A group with its ranks."""

    name: str
    """Its own name behind those of the groups around it, with "/" between them."""
    colour: int
    """The number that stands for the name: the position in `JobGroups.all`."""
    depth: int
    """0 for groups of the whole job."""
    parent: int | None
    """Colour of the group around it."""
    ranks: tuple[int, ...]
    """Ranks of MPI_COMM_WORLD, in the order that they have in the group."""
    asked: JobGroup
    """As the profile has it."""
    key: Key
    """Where the group is in the profile, for messages."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What is asked of the network between two groups beside each other."""

    first: int
    """Colour."""
    second: int
    """Colour."""
    asked: NetworkDemand
    """What."""
    key: Key
    """Where the table is in the profile, for messages."""


@dataclass(frozen=True, slots=True)
class JobGroups:
    """All groups of a job with their ranks, a group before those inside it."""

    size: int
    """Number of ranks of the job."""
    all: tuple[ResolvedGroup, ...]
    """By colour."""
    pairs: tuple[Pair, ...] = field(default=())
    """What is asked between groups."""

    def named(self, name: str) -> ResolvedGroup | None:
        """The group of a name such as "ocean/east"."""
        return next((group for group in self.all if group.name == name), None)

    def inside(self, colour: int | None) -> list[ResolvedGroup]:
        """The groups directly inside of one; None: of the job."""
        return [group for group in self.all if group.parent == colour]

    def innermost(self) -> list[int]:
        """For each rank the colour of the smallest group that has it."""
        colours = [-1] * self.size
        for group in self.all:
            for rank in group.ranks:
                colours[rank] = group.colour
        return colours


@dataclass(frozen=True, slots=True)
class Job:
    """A profile and where it came from."""

    profile: JobProfile
    source: Source

    def resolve(self, size: int) -> JobGroups:
        """The ranks of each group.

        Args:
            size: number of ranks of the job, at least 1.
        Raises:
            InputError: the groups do not fit the ranks; names file, key and cure.
        """
        resolving = _GroupResolver(self.source, size)
        resolving.divide(self.profile, range(size), (), None)
        return JobGroups(size, tuple(resolving.done), tuple(resolving.pairs))


@dataclass
class _GroupResolver:
    source: Source
    size: int
    done: list[ResolvedGroup] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)

    def divide(
        self, around: JobProfile | JobGroup, pool: Sequence[int], key: Key, parent: ResolvedGroup | None
    ) -> None:
        """Give the ranks of `pool` to the groups inside of `around`, and theirs to those inside of them."""
        keys = [(*key, "group", number) for number in range(len(around.groups))]
        self._check_level(around.groups, keys, parent)
        colours: dict[str, int] = {}
        for group, its_key, ranks in zip(around.groups, keys, self._dealt(around.groups, keys, pool), strict=True):
            name = f"{parent.name}/{group.name}" if parent else group.name
            if len(name) > MOST_CHARACTERS:
                raise self.source.error(
                    (*its_key, "name"), f'with those around it, "{name}" is longer than {MOST_CHARACTERS} characters'
                )
            depth = parent.depth + 1 if parent else 0
            colour = colours[group.name] = len(self.done)
            resolved = ResolvedGroup(name, colour, depth, parent.colour if parent else None, ranks, group, its_key)
            self.done.append(resolved)
            if group.groups:
                self.divide(group, ranks, its_key, resolved)
            elif group.between:
                raise self.source.error((*its_key, "between"), "the group has no groups inside; remove it")
        for number, between in enumerate(around.between):
            self._add_pairs(between, colours, (*key, "between", number))

    def _check_level(self, groups: list[JobGroup], keys: list[Key], parent: ResolvedGroup | None) -> None:
        if parent and parent.depth + 1 >= MOST_DEPTH:
            raise self.source.error(keys[0], f"groups lie more than {MOST_DEPTH} deep inside of each other")
        if len(self.done) + len(groups) > MOST_GROUPS:
            raise self.source.error(keys[-1], f"there are more than {MOST_GROUPS} groups")
        seen: set[str] = set()
        for group, key in zip(groups, keys, strict=True):
            if group.name in seen:
                raise self.source.error((*key, "name"), f'another group beside it is "{group.name}"; give each its own')
            seen.add(group.name)

    def _dealt(self, groups: list[JobGroup], keys: list[Key], pool: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Those that name ranks have these, the others the next ones that are left."""
        named = [self._named(group, key, pool) for group, key in zip(groups, keys, strict=True)]
        taken: set[int] = set()
        for key, ranks in zip(keys, named, strict=True):
            if both := taken.intersection(ranks or ()):
                raise self.source.error((*key, "ranks"), f"rank {min(both)} is in another group already")
            taken.update(ranks or ())
        counts = self._counts(groups, keys, named, len(pool))
        left = iter([rank for rank in pool if rank not in taken])
        for count, ranks in zip(counts, named, strict=True):
            yield tuple(ranks) if ranks is not None else tuple(next(left) for _ in range(count))

    def _named(self, group: JobGroup, key: Key, pool: Sequence[int]) -> list[int] | None:
        if group.ranks is None:
            return None
        key = (*key, "ranks")
        try:
            ranks = rank_list.parse(group.ranks, self.size)
        except ValueError as error:
            raise self.source.error(key, f'"{group.ranks}": {error}') from None
        if strange := set(ranks).difference(pool):
            raise self.source.error(key, f'"{group.ranks}": rank {min(strange)} is not in the group around it')
        return ranks

    def _counts(self, groups: list[JobGroup], keys: list[Key], named: list[list[int] | None], there: int) -> list[int]:
        """Numbers of ranks. Raises InputError unless each has one at least, and all together those that are there."""
        wanted = [self._wanted(group, key, there) for group, key in zip(groups, keys, strict=True)]
        wanted = [
            Fraction(len(ranks)) if ranks is not None and want is None else want
            for want, ranks in zip(wanted, named, strict=True)
        ]
        counts = _whole(wanted, there)
        has = sum(counts)
        for key, count, ranks in zip(keys, counts, named, strict=True):
            if ranks is not None and len(ranks) != count:
                raise self.source.error(
                    (*key, "processes"), f"makes {count} ranks, but `ranks` names {len(ranks)}; remove one of both"
                )
            if count < 1:
                raise self.source.error(
                    (*key, "processes") if has > there or None not in wanted else key,
                    f"makes no rank of {there}; start the job with more, or give the others fewer",
                )
        if has != there:
            cure = "fewer" if has > there else f'more, one of them processes = "{REST}"'
            raise self.source.error(
                keys[-1][:-1], f"the groups have {has} ranks, but there are {there} to divide; ask for {cure}"
            )
        return counts

    def _wanted(self, group: JobGroup, key: Key, there: int) -> Fraction | None:
        """Number of ranks, not rounded; None: as many as are left."""
        asked = group.processes
        if asked is None:
            asked = _sum_of_numbers(group) if group.ranks is None else None
        if asked is None or asked == REST:
            return None
        if asked == ALL:
            return Fraction(self.size)
        if isinstance(asked, int):
            if asked < 1:
                raise self.source.error((*key, "processes"), f"= {asked}: {_EXPECTED}")
            return Fraction(asked)
        share = _SHARE.fullmatch(asked)
        if not share or not 0 < Fraction(share[1]) <= 100:
            raise self.source.error((*key, "processes"), f'= "{asked}": {_EXPECTED}{did_you_mean(asked, [ALL, REST])}')
        return Fraction(share[1]) / 100 * there

    def _add_pairs(self, between: InterGroupDemand, colours: dict[str, int], key: Key) -> None:
        names = between.groups if between.groups is not None else list(colours)
        for name in names:
            if name not in colours:
                known = ", ".join(colours)
                near = did_you_mean(name, colours)
                raise self.source.error((*key, "groups"), f'there is no group "{name}" at this level{near} ({known})')
        if len(set(names)) < max(2, len(names)):
            raise self.source.error((*key, "groups"), "expected at least two groups, each once")
        if len(self.pairs) + comb(len(names), 2) > MOST_PAIRS:
            raise self.source.error(
                key, f"something is asked for between more than {MOST_PAIRS:,} pairs of groups; name fewer"
            )
        self.pairs += [Pair(colours[first], colours[second], between, key) for first, second in combinations(names, 2)]


def _sum_of_numbers(group: JobGroup) -> int | None:
    """Ranks of a group whose subgroups all have plain numbers."""
    numbers = [
        inner.processes if isinstance(inner.processes, int) else _sum_of_numbers(inner) for inner in group.groups
    ]
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None


def _whole(wanted: list[Fraction | None], there: int) -> list[int]:
    """Whole numbers of ranks: shares by the largest remainder, the first of equals first; the rest evenly."""
    counts = [0 if want is None else int(want) for want in wanted]
    shares = [number for number, want in enumerate(wanted) if want is not None and want != counts[number]]
    more = round(sum((wanted[number] or 0) - counts[number] for number in shares))
    for number in sorted(shares, key=lambda number: counts[number] - (wanted[number] or 0))[:more]:
        counts[number] += 1
    blank = [number for number, want in enumerate(wanted) if want is None]
    left = max(0, there - sum(counts))
    for position, number in enumerate(blank):
        counts[number] = left // len(blank) + (position < left % len(blank))
    return counts
