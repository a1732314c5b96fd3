# SPDX-License-Identifier: BSD-3-Clause
"""Calls on the platform of a run."""

from __future__ import annotations

import json
import statistics
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.supercomputers.folding import folded, folded_position
from bench.supercomputers.places import Places
from bench.supercomputers.rows import VECTORS, Row
from bench.supercomputers.twins import SEGMENTS

from orrery import _core
from orrery.platform import core
from orrery.platform.prepared import prepare

_RINGS = {"ring", "segmented_ring", "scatter_allgather_ring", "pairwise"}
"""Algorithms of as many exchanges of a block as there are other ranks, once or twice."""
_EQUAL_STEPS = {"ring", "segmented_ring", "neighbor_exchange", "scatter_allgather_ring"}
"""Algorithms all of whose steps cross the same links."""


REPETITIONS = 3
"""How often a call is repeated behind a barrier; the median counts, as in the data."""


GROUP_NODES = {"fugaku": 0, "lumi": 128, "mare_nostrum": 160, "leonardo": 180}
"""How many nodes a group of the platform has; 0: the nodes are a torus, in the order of ranks."""
INTERFACES = {"fugaku": 1, "lumi": 4, "mare_nostrum": 4, "leonardo": 2}
"""How many ranks of a node have network interfaces of their own."""


class Simulated:
    """Calls on the platform of one run. What has been simulated is kept in a file, by all that it depends on."""

    def __init__(self, file: Path, row: Row, places: Places, kept: dict[str, float]) -> None:
        platform = prepare(str(file))
        cluster = platform["clusters"][0]
        if row.shape:
            sides = [int(side) for side in row.shape.split("x")]
            cluster["torus"] = cluster["torus"] | {"sizes": [size for side in sides for size in folded(side)]}
            self.where = [folded_position(rank, sides) for rank in range(row.ranks)]
        else:
            self.where = places.hosts(row, GROUP_NODES[row.system])
        interfaces = min(row.ppn, INTERFACES[row.system])
        cluster["bandwidth_bytes_per_s"] *= interfaces
        for regime in platform["network"]["between_nodes"]:
            regime["bandwidth_factor"] /= interfaces  # a message takes one of them
        self._rank_bytes_per_s: float = cluster["bandwidth_bytes_per_s"] / row.ppn
        cluster["cores"] = max(cluster["cores"], row.ppn)
        self._digest = sha256(json.dumps([platform, self.where], sort_keys=True, default=str).encode()).hexdigest()[:16]
        self._hardware = core.build(platform)
        self._model = core.parameters(platform, "hybrid")
        self._compute = platform["compute"]
        self._reduce_s_per_byte: float = platform["compute"]["reduce_s_per_byte"]
        self._costs = {name: platform["compute"][name] for name in ("reduce_s_per_byte", "copy_s_per_byte")}
        self._barrier = "recursive_doubling" if row.system in ("leonardo", "mare_nostrum") else "dissemination"
        self._network = platform["network"]
        self._kept = kept

    def time_s(self, row: Row, algorithm: str, *, as_measured: bool) -> float:
        """Seconds of a call: behind a barrier, the longest that a rank spends in it; otherwise all ranks begin at one moment."""
        segment = SEGMENTS.get((row.system, row.collective, algorithm), 0)
        key = f"{self._digest} {row.collective} {algorithm} {row.bytes} {segment} {as_measured}"
        if key not in self._kept:
            call = self._call(row, algorithm)
            choice = _core.named_choice(call, algorithm, segment)
            kind = (
                "reduce_scatter_block" if row.collective == "reduce_scatter" and algorithm == "bine" else row.collective
            )
            self._kept[key] = self._behind_barrier_s(kind, call, choice) if as_measured else self._alone_s(call, choice)
        return self._kept[key]

    def _alone_s(self, call: _core.CollectiveCall, choice: _core.Choice) -> float:
        cost = _core.simulate_call(
            self._hardware, self._model, call, choice, host_of_rank=self.where, **self._costs
        )  # fmt: skip
        return cost.time_s

    def _behind_barrier_s(self, kind: str, call: _core.CollectiveCall, choice: _core.Choice) -> float:
        selector = _core.Selector("default", f"{kind}={choice.name},barrier={self._barrier}")
        times = _core.simulate_timed_calls(
            self._hardware, self._model, call, selector, REPETITIONS, host_of_rank=self.where, **self._costs
        )  # fmt: skip
        return statistics.median(times)

    def messages(self, row: Row, algorithm: str) -> int:
        """About how many."""
        call = self._call(row, algorithm)
        return _core.estimated_messages(call, _core.named_choice(call, algorithm))

    def _call(self, row: Row, algorithm: str) -> _core.CollectiveCall:
        block = row.block
        kind = row.collective
        if kind == "reduce_scatter":
            if algorithm == "bine":
                kind = "reduce_scatter_block"
            else:
                block *= row.ranks
        return _core.CollectiveCall(kind, size=row.ranks, bytes=block, element=4)

    def bound_s(self, row: Row, algorithm: str) -> float:
        """Seconds that the call takes at least, where that is known: as many exchanges one after the other, or a rank's messages."""
        p = row.ranks
        block = row.bytes / p if row.collective in VECTORS else row.block
        if algorithm in _RINGS:
            rounds = 2 if row.collective == "allreduce" else 1
            reduced = (p - 1) * block if row.collective in ("allreduce", "reduce_scatter") else 0
            return rounds * (p - 1) * self._exchange_s(block) + reduced * self._reduce_s_per_byte
        if algorithm == "neighbor_exchange":
            return p / 2 * self._exchange_s(2 * block)
        if algorithm == "sparbit":
            return sum(max(self._exchange_s(block), (1 << k) * self._sent_s(block)) for k in range(p.bit_length() - 1))
        if row.collective == "alltoall" and algorithm.startswith("linear"):
            return max(self._exchange_s(block), (p - 1) * self._sent_s(block))
        return 0.0

    def is_known(self, row: Row, algorithm: str) -> bool:
        """Whether the bound is the time: steps are alike, or nothing but the links of nodes is in the way."""
        return algorithm in _EQUAL_STEPS or not row.shape

    def _sent_s(self, size: float) -> float:
        """What each of many messages at once takes a rank: its overheads, or its turn on the link."""
        regime = self._regime(size)
        own: float = regime["send_overhead_s"] + regime["recv_overhead_s"] + size * regime["recv_overhead_s_per_byte"]
        return max(own, size / self._rank_bytes_per_s)

    def _regime(self, size: float) -> dict[str, Any]:
        table = self._network["between_nodes"]
        return next(regime for regime in table if regime["end_bytes"] is None or size < regime["end_bytes"])

    def _exchange_s(self, size: float) -> float:
        regime = self._regime(size)
        route = self._hardware.route(self.where[0], self.where[-1])
        latency: float = max(regime["latency_factor"] * route.latency_s + regime["latency_s"], 0.0)
        rate: float = min(regime["bandwidth_factor"] * route.bandwidth_bytes_per_s, self._rank_bytes_per_s)
        received: float = regime["recv_overhead_s"] + size * regime["recv_overhead_s_per_byte"]
        return latency + size / rate + received
