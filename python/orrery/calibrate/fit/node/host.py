# SPDX-License-Identifier: BSD-3-Clause
"""What the nodes were like while they were measured: who else used their processors, and whether ranks had to share one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import Layout, Results

_SIMULATED = "Orrery"
"""In what Orrery's own MPI says of itself: its ranks share the simulating host, which simulated times do not show."""


@dataclass(frozen=True)
class Host:
    """What can be said of it; nothing where the nodes' kernels do not tell, or where the cluster is simulated."""

    foreign_share: float = 0.0
    """Part of the busiest node's processors that others used while all ranks slept, mean over the passes; 0 to 1."""
    foreign_node: str = ""
    """That node."""
    crowded_ranks: int = 0
    """Ranks that have to share processors, as they are bound to fewer than they are; 0: each can have its own."""
    crowded_processors: int = 0
    """To so many processors they are bound."""


def host_of(results: Results, layout: Layout) -> Host:
    """From the experiments `foreign` and `hosts`."""
    if _SIMULATED in layout.mpi:
        return Host()
    shares = _foreign_shares(results, layout)
    node = max(shares, key=lambda name: shares[name], default="")
    ranks, processors = crowd_of(bindings_of(results))
    return Host(shares.get(node, 0.0), node, ranks, processors)


def _foreign_shares(results: Results, layout: Layout) -> dict[str, float]:
    """By node, mean over all times at which it was looked at."""
    node_of = {rank: node for node, ranks in layout.nodes.items() for rank in ranks}
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for one in results.of("foreign"):
        for sample in one.samples:
            seen[node_of[sample.source]].append(sample.value)
    return {node: float(np.mean(values)) for node, values in seen.items()}


def bindings_of(results: Results) -> dict[str, dict[int, frozenset[int]]]:
    """Of each running kernel its ranks, each with the processors that it may run on."""
    found = results.of("hosts")
    texts: defaultdict[int, str] = defaultdict(str)
    kernels: dict[int, str] = {}
    for sample in found[-1].samples if found else []:
        word, _, text = sample.what.partition(":")
        if word == "bound":
            texts[sample.source] += text
        elif word in {"kernel", "host"}:
            # Nodes that do not tell their kernel have their name instead.
            kernels[sample.source] = text if word == "kernel" else kernels.get(sample.source, text)
    out: defaultdict[str, dict[int, frozenset[int]]] = defaultdict(dict)
    for rank, text in texts.items():
        out[kernels.get(rank, "")][rank] = _processors(text)
    return dict(out)


def _processors(text: str) -> frozenset[int]:
    """`0-3;8`."""
    numbers: set[int] = set()
    for part in filter(None, text.split(";")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def crowd_of(bindings: Mapping[str, Mapping[int, frozenset[int]]]) -> tuple[int, int]:
    """The ranks that have least processors to themselves, and how many these are; (0, 0) where each rank can have its own.

    Of each set of processors to which a rank is bound: how many ranks are bound to no other. (A necessary condition of
    Hall's theorem; for bindings that are equal, nested or apart, as launchers make them, a sufficient one, too.)
    """
    crowds = [crowd for ranks in bindings.values() for crowd in _crowds(ranks.values())]
    return max(crowds, key=lambda crowd: crowd[0] / crowd[1], default=(0, 0))


def _crowds(bound: Iterable[frozenset[int]]) -> Iterable[tuple[int, int]]:
    sets = [one for one in bound if one]
    for processors in set(sets):
        ranks = sum(other <= processors for other in sets)
        if ranks > len(processors):
            yield ranks, len(processors)
