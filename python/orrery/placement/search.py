# SPDX-License-Identifier: BSD-3-Clause
"""Mappings to try: found from several starts, each improved by exchange, the best by cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orrery import _core
from orrery.collective.laboratory import Laboratory
from orrery.placement.grid import Grid, find_grid, tiles
from orrery.placement.matrix import TrafficMatrix
from orrery.placement.partitioners import partitioners
from orrery.placement.tree import Tree

_DIVISIONS = 2
"""Seeds of the search's own start."""


@dataclass(frozen=True)
class SearchResult:
    """A mapping that the search found."""

    host_of_rank: list[int]
    start: str
    """What it was improved from."""
    pairs_s: float
    """Its cost: of pairs of ranks, mean of all ranks."""
    busiest_s: float
    """And of the busiest border of a part."""

    @property
    def cost_s(self) -> float:
        """Both."""
        return self.pairs_s + self.busiest_s


@dataclass(frozen=True)
class Kinds:
    """Ranks that need different hosts."""

    of_rank: list[int]
    hosts: list[set[int]]
    """By kind: where its ranks may be."""
    slots: Mapping[int, int]
    """Ranks that each host has room for."""

    def allow(self, host_of_rank: Sequence[int]) -> bool:
        """Whether all ranks are where they may be, and have room there."""
        return all(host in self.hosts[kind] for kind, host in zip(self.of_rank, host_of_rank, strict=True)) and all(
            number <= self.slots[host] for host, number in slots_like(host_of_rank).items()
        )


class MappingSearch:
    """A search on some hosts, with room for so many ranks on each."""

    def __init__(
        self, matrix: TrafficMatrix, laboratory: Laboratory, slots: Mapping[int, int], kinds: Kinds | None, seed: int
    ) -> None:
        self._matrix = matrix
        self._slots = slots
        self._seed = seed
        self._kinds = kinds
        self._tree = Tree.of(laboratory, sorted(slots))
        self._core = _core.PlacementSearch(
            **matrix.for_core(),
            parts=self._tree.for_core(laboratory, slots, matrix.typical_bytes),
            **self._kinds_for_core(),
        )
        self._host_of_leaf = {leaf: host for host, leaf in self._tree.leaf_of_host.items()}

    def best(self, given: Sequence[int]) -> SearchResult:
        """The best mapping that was found. `given`: one that is improved as well, where its hosts are among these.

        Raises InputError if the ranks fit nowhere.
        """
        found: SearchResult | None = None
        for start, mapping in self._starts(given):
            improved = self._improved(start, mapping)
            if found is None or improved.cost_s < found.cost_s * (1 - 1e-9):
                found = improved
        assert found is not None  # noqa: S101  it has a start of its own
        return found

    def cost(self, host_of_rank: Sequence[int]) -> tuple[float, float]:
        """Cost of pairs and of the busiest border, in seconds."""
        return self._core.cost([self._tree.leaf_of_host[host] for host in host_of_rank])

    def _starts(self, given: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
        if (grid := find_grid(self._matrix)) is not None:
            yield f"blocks of the grid {grid.name}", self._tiled(grid)
        for seed in range(_DIVISIONS):
            yield "recursive bisection", self._core.divide(self._seed + seed)
        for name, partition in partitioners():
            yield name, self._partitioned(partition)
        if set(given) <= set(self._slots):
            yield "the mapping that is given", [self._tree.leaf_of_host[host] for host in given]

    def _improved(self, start: str, mapping: list[int]) -> SearchResult:
        leaves = self._core.exchange(self._core.fit(mapping), self._seed)
        pairs_s, busiest_s = self._core.cost(leaves)
        return SearchResult([self._host_of_leaf[leaf] for leaf in leaves], start, pairs_s, busiest_s)

    def _tiled(self, grid: Grid) -> list[int]:
        return self._down(lambda ranks, rooms: tiles(grid, ranks, rooms))

    def _partitioned(
        self, partition: Callable[[TrafficMatrix, np.typing.NDArray[np.int64], list[int]], list[int]]
    ) -> list[int]:
        def divide(ranks: np.typing.NDArray[np.int64], rooms: list[int]) -> list[np.typing.NDArray[np.int64]]:
            part = np.array(partition(self._matrix, ranks, rooms), dtype=np.int64)
            return [ranks[part == number] for number in range(len(rooms))]

        return self._down(divide)

    def _down(
        self, divide: Callable[[np.typing.NDArray[np.int64], list[int]], list[np.typing.NDArray[np.int64]]]
    ) -> list[int]:
        """A mapping from the whole to the leaves, where `divide(ranks, rooms)` gives the ranks of each part."""
        mapping = np.zeros(self._matrix.ranks, dtype=np.int64)

        def go(part: int, ranks: np.typing.NDArray[np.int64]) -> None:
            inside = self._tree.inside(part)
            if not inside or not len(ranks):
                mapping[ranks] = part
                return
            rooms = [sum(self._slots[host] for host in self._tree.parts[child].hosts) for child in inside]
            for child, its_ranks in zip(inside, divide(ranks, rooms), strict=True):
                go(child, its_ranks)

        go(0, np.arange(self._matrix.ranks))
        return [int(leaf) for leaf in mapping]

    def _kinds_for_core(self) -> dict[str, Any]:
        if self._kinds is None:
            return {}
        parts = self._tree.parts
        return {
            "kind_of_rank": self._kinds.of_rank,
            "may_use": [
                [part.level == "node" and part.hosts[0] in hosts for part in parts] for hosts in self._kinds.hosts
            ],
        }


def slots_like(host_of_rank: Sequence[int]) -> dict[int, int]:
    """Room for as many ranks on each host as this mapping has there."""
    return dict(Counter(host_of_rank))
