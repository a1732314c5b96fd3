# SPDX-License-Identifier: BSD-3-Clause
"""Mappings of `orrery place` beside those of Scotch, of the same matrices on the same machine, by weighted hops.

    python bench/placement/scotch.py                    all six matrices
    python bench/placement/scotch.py halo-3d rows-48    some of them

4,096 ranks with shuffled numbers on 4 cabinets of 16 nodes of 64 slots. A pair of ranks counts its weight, times 20 between cabinets, 5
between nodes of a cabinet, and 1 on a node. Scotch is `scotch_gmap`, by its default strategy and by -cq, on a tree with these weights.
Shown are hops, how many ranks the fullest node has, and seconds of the whole command, the reading of the matrix included.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from time import perf_counter

RANKS, CABINETS, NODES, SLOTS = 4096, 4, 16, 64
WEIGHTS = (20, 5, 1)
"""Weights of a pair in two cabinets, on two nodes, on one node."""
_CLUSTER = f"""
name = "tree"
description = "{CABINETS} cabinets of {NODES} nodes of {SLOTS} slots; a small message takes 20, 5 and 1 us"
source = "made up for bench/placement/scotch.py"
model = "fluid"

[[cluster]]
name = "n"
cores = {SLOTS}
bandwidth_bytes_per_s = "1TB/s"
latency_s = "2.5us"
memory_bandwidth_bytes_per_s = "1TB/s"
memory_latency_s = "1us"
"""
_CABINET = f"""
[[cluster.cabinet]]
nodes = {NODES}
uplink_bytes_per_s = "10TB/s"
latency_s = "7.5us"
"""
PLATFORM = _CLUSTER + CABINETS * _CABINET
"""What `orrery place` minimises is then the time of messages, which is in proportion to the hops that both are judged by."""

Edges = dict[tuple[int, int], int]
"""Weights of pairs, the lower rank first."""


def _grid(sides: Sequence[int], *, wraps: bool) -> Iterator[tuple[int, int]]:
    """Neighbours."""
    numbers = {place: number for number, place in enumerate(product(*map(range, sides)))}
    for place, number in numbers.items():
        for axis, side in enumerate(sides):
            after = list(place)
            after[axis] += 1
            if wraps or after[axis] < side:
                after[axis] %= side
                yield number, numbers[tuple(after)]


def _random() -> Iterator[tuple[int, int]]:
    """Eight peers for each rank."""
    draw = random.Random(1)  # noqa: S311
    for rank in range(RANKS):
        for peer in draw.sample(range(RANKS), 8):
            if peer != rank:
                yield rank, peer


def _rows(length: int) -> Iterator[tuple[int, int]]:
    """All pairs of a row."""
    for first in range(0, RANKS, length):
        yield from combinations(range(first, min(first + length, RANKS)), 2)


MATRICES: dict[str, Callable[[], Iterator[tuple[int, int]]]] = {
    "halo-2d": lambda: _grid((64, 64), wraps=False),
    "halo-3d": lambda: _grid((16, 16, 16), wraps=False),
    "torus-3d": lambda: _grid((16, 16, 16), wraps=True),
    "random": _random,
    "rows-64": lambda: _rows(64),
    "rows-48": lambda: _rows(48),
}


def _edges(name: str) -> Edges:
    """With shuffled ranks; random pairs have weights of 1 to 50, all others 10."""
    numbers = list(range(RANKS))
    draw = random.Random(2)  # noqa: S311
    draw.shuffle(numbers)
    found: Edges = {}
    for rank, peer in MATRICES[name]():
        pair = min(numbers[rank], numbers[peer]), max(numbers[rank], numbers[peer])
        found[pair] = draw.randint(1, 50) if name == "random" else 10
    return found


def _judged(edges: Edges, node_of_rank: Sequence[int]) -> tuple[int, int]:
    """Weighted hops, and ranks of the fullest node."""
    hops = 0
    for (rank, peer), weight in edges.items():
        here, there = node_of_rank[rank], node_of_rank[peer]
        apart = 2 if here == there else 1 if here // NODES == there // NODES else 0
        hops += weight * WEIGHTS[apart]
    return hops, max(Counter(node_of_rank).values())


def _orrery(edges: Edges, folder: Path) -> list[int]:
    (folder / "tree.toml").write_text(PLATFORM, encoding="utf-8")
    lines = [f"{rank},{peer},{weight},{weight}\n" for (rank, peer), weight in edges.items()]
    (folder / "pairs.csv").write_text("source,target,messages,bytes\n" + "".join(lines), encoding="utf-8")
    words = ["orrery", "place", str(folder / "pairs.csv"), "-p", str(folder / "tree.toml"), "--json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    number = {host: node for node, host in enumerate(found["order"])}
    return [number[host] for host in found["hosts"]]


def _scotch(edges: Edges, folder: Path, *options: str) -> list[int]:
    """By the leaf of each rank."""
    beside: list[list[tuple[int, int]]] = [[] for _ in range(RANKS)]
    for (rank, peer), weight in edges.items():
        beside[rank].append((peer, weight))
        beside[peer].append((rank, weight))
    rows = [f"{len(row)} " + " ".join(f"{weight} {peer}" for peer, weight in row) for row in beside]
    (folder / "graph").write_text(f"0\n{RANKS} {2 * len(edges)}\n0 010\n" + "\n".join(rows) + "\n", encoding="ascii")
    across, within, inside = WEIGHTS
    tree = f"tleaf 3 {CABINETS} {across} {NODES} {within} {SLOTS} {inside}\n"
    (folder / "tree").write_text(tree, encoding="ascii")
    words = ["scotch_gmap", *options, str(folder / "graph"), str(folder / "tree"), str(folder / "map")]
    subprocess.run(words, capture_output=True, check=True)
    leaf = dict(tuple(map(int, line.split())) for line in (folder / "map").read_text().splitlines()[1:])
    return [leaf[rank] // SLOTS for rank in range(RANKS)]


def main() -> None:
    """Compare."""
    for name in sys.argv[1:] or MATRICES:
        edges = _edges(name)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            ways: dict[str, Callable[[], list[int]]] = {
                "orrery place": lambda edges=edges, folder=folder: _orrery(edges, folder),
                "scotch": lambda edges=edges, folder=folder: _scotch(edges, folder),
                "scotch -cq": lambda edges=edges, folder=folder: _scotch(edges, folder, "-cq"),
            }
            for way, found in ways.items():
                begin = perf_counter()
                nodes = found()
                took_s = perf_counter() - begin
                hops, fullest = _judged(edges, nodes)
                print(f"{name:<9} {way:<13} {hops:>10,} hops, fullest node {fullest} of {SLOTS}, {took_s:.1f} s")


if __name__ == "__main__":
    main()
