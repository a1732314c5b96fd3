# SPDX-License-Identifier: BSD-3-Clause
"""State of the nodes during the measurement: load by others, and ranks that had to share processors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import CalibrationResults, Layout

_SIMULATED = "Orrery"
"""Part of the version string of Orrery's own MPI. Its ranks share the simulating host, which has no effect on simulated
times."""


@dataclass(frozen=True)
class HostState:
    """State of the nodes. All values are 0 if the kernels of nodes do not give them, or if the cluster is simulated."""

    foreign_share: float = 0.0
    """Part of the processors of the busiest node that other processes used while all ranks slept, mean over passes, in [0, 1]."""
    foreign_node: str = ""
    """The busiest node."""
    crowded_ranks: int = 0
    """Number of ranks that are bound to fewer processors than they are; 0: each rank can have a processor."""
    crowded_processors: int = 0
    """Number of processors to which these ranks are bound."""


def host_of(results: CalibrationResults, layout: Layout) -> HostState:
    """Evaluate the experiments `foreign` and `hosts`."""
    if _SIMULATED in layout.mpi:
        return HostState()
    shares = _foreign_shares(results, layout)
    node = max(shares, key=lambda name: shares[name], default="")
    ranks, processors = crowd_of(bindings_of(results))
    return HostState(shares.get(node, 0.0), node, ranks, processors)


def _foreign_shares(results: CalibrationResults, layout: Layout) -> dict[str, float]:
    """Load by others for each node, mean over all samples."""
    node_of = {rank: node for node, ranks in layout.nodes.items() for rank in ranks}
    seen: defaultdict[str, list[float]] = defaultdict(list)
    for experiment in results.of("foreign"):
        for sample in experiment.samples:
            seen[node_of[sample.source]].append(sample.value)
    return {node: float(np.mean(values)) for node, values in seen.items()}


def bindings_of(results: CalibrationResults) -> dict[str, dict[int, frozenset[int]]]:
    """For each running kernel: its ranks, each with the processors to which it is bound."""
    found = results.of("hosts")
    texts: defaultdict[int, str] = defaultdict(str)
    kernels: dict[int, str] = {}
    for sample in found[-1].samples if found else []:
        word, _, text = sample.what.partition(":")
        if word == "bound":
            texts[sample.source] += text
        elif word in {"kernel", "host"}:
            # A node whose kernel is unknown is identified by its name.
            kernels[sample.source] = text if word == "kernel" else kernels.get(sample.source, text)
    out: defaultdict[str, dict[int, frozenset[int]]] = defaultdict(dict)
    for rank, text in texts.items():
        out[kernels.get(rank, "")][rank] = _processors(text)
    return dict(out)


def _processors(text: str) -> frozenset[int]:
    """Read a set of processors such as `0-3;8`."""
    numbers: set[int] = set()
    for part in filter(None, text.split(";")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def crowd_of(bindings: Mapping[str, Mapping[int, frozenset[int]]]) -> tuple[int, int]:
    """Number of ranks and of processors in the most crowded set of processors; (0, 0) if each rank can have a processor.

    For each set of processors to which a rank is bound, counts the ranks that are bound to a subset of it. (This is a necessary
    condition of Hall's theorem. It is sufficient for bindings that are equal, nested or disjoint, as launchers make them.)
    """
    crowds = [crowd for ranks in bindings.values() for crowd in _crowds(ranks.values())]
    return max(crowds, key=lambda crowd: crowd[0] / crowd[1], default=(0, 0))


def _crowds(bound: Iterable[frozenset[int]]) -> Iterable[tuple[int, int]]:
    sets = [processors for processors in bound if processors]
    for processors in set(sets):
        ranks = sum(other <= processors for other in sets)
        if ranks > len(processors):
            yield ranks, len(processors)
