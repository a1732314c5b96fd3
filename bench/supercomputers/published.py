# SPDX-License-Identifier: BSD-3-Clause
"""What is published of the four networks, before anything is fitted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """What is known of a network before anything is fitted."""

    title: str
    sources: tuple[str, ...]
    cores: int
    rank_bytes_per_s: float
    """What one rank reaches at most: of its network interfaces, or of a cable."""
    node_bytes_per_s: float
    """Rate of the node's link with one rank on the node."""
    latency_s: float
    """From memory to memory between the nodes of the calibration, without any software."""
    hop_s: float
    """Part of that for each cable between switches, or routers."""
    hops: float
    """How many of these a message of the calibration crosses, on average."""
    fabric: str
    """The tables of what joins the nodes."""
    wire_s_per_byte: float = 0.0
    """Seconds per byte of large messages. 0: fitted, where rows without reductions are there to fit it to."""
    copies_eager: bool = False
    """Whether a receiver copies eager messages out of buffers of the library."""
    overheads_s: tuple[float, float] | None = None
    """What a small message costs its sender and its receiver. None: fitted."""
    transport: str = ""
    """Tables of what messages wait for."""


def _dragonfly(groups: int, nodes: int, cable: str, hop_s: float) -> str:
    return f"""
[cluster.dragonfly]
groups = {groups}
routers_per_chassis = 1
nodes_per_router = {nodes}

[cluster.dragonfly.between_groups]
{cable}
latency_s = {hop_s:.4g}
"""


_TORUS = """
# A job of 8 x 8 x 8, each side folded into two dimensions; bench/supercomputers replaces it by the shape of each run.
[cluster.torus]
sizes = [4, 2, 4, 2, 4, 2]
wraps = false
bandwidth_bytes_per_s = 6.32e9
latency_s = 1e-7
"""
_ISLANDS = """
# Islands, between which a message crosses two more switches. No rate is published: as much as half of what the nodes can send.
[cluster.fat_tree]
nodes_per_leaf = 160

[[cluster.fat_tree.level]]
down = 7
bandwidth_bytes_per_s = 8e12
latency_s = 2.6e-7
"""
_UCX_OVERHEADS = (0.202e-6, 0.062e-6)
_UCX = (
    "adapter 0.6 us, switch 0.13 us (data sheets of ConnectX-6 and Quantum), UCX busy for 0.202 us to post a small message and for "
    "0.062 us to find one that has arrived (after Zambre et al. 2020, arXiv:2002.02563) [unverified]"
)


PUBLISHED = {
    "fugaku": Published(
        "Fugaku: 512 nodes, one rank on each, as a job of 8 x 8 x 8 sees them",
        (
            "Tofu D: 6.8 GB/s each way for a cable, 40.8 GB/s for a node of six interfaces",
            "an 8-byte put takes 0.49 us, cables carry 93 % of their rate (Ajima et al. 2018, doi:10.1109/CLUSTER.2018.00090)",
            "a job's torus of three or two dimensions is folded into six (Ajima et al. 2009, doi:10.1109/MC.2009.370)",
            "three sends of a rank at once together reach 6.3 GB/s: it uses one interface (README of the data)",
        ),
        48, 6.32e9, 6.32e9, 0.49e-6, 1e-7, 1.5, _TORUS, wire_s_per_byte=1 / 6.32e9, copies_eager=True,
    ),
    "lumi": Published(
        "LUMI-G: 24 groups of 128 nodes, one rank on each",
        (
            "Slingshot 11 dragonfly; 32 switches in a group, 16 end points each (LUMI's documentation)",
            "a network interface has 200 Gb/s, and a rank uses one (LUMI's documentation)",
            "a switch has 64 ports and takes 0.35 us (De Sensi et al. 2020, doi:10.1109/SC41405.2020.00039)",
            "so 17 ports of a switch leave the group, 544 in all: 23 cables of 25 GB/s to each other group",
        ),
        64, 25e9, 25e9, 1.3e-6, 0.35e-6, 0.0,
        _dragonfly(24, 128, "bandwidth_bytes_per_s = 5.75e11 # 23 cables, adaptive routing: any of them", 0.7e-6),
        wire_s_per_byte=1 / 25e9,
    ),
    "mare_nostrum": Published(
        "MareNostrum 5 ACC: 7 islands of 160 nodes, one rank on each",
        (
            "InfiniBand NDR, one rail of 200 Gb/s in use for a rank (README of the data)",
            _UCX,
            "seven islands of 160 nodes; one rail is one connection between two nodes, first in, first out",
        ),
        80, 25e9, 25e9, 1.03e-6, 0.26e-6, 0.125, _ISLANDS, copies_eager=True, overheads_s=_UCX_OVERHEADS,
        transport="\n[transport.connections]\n",
    ),
    "leonardo": Published(
        "Leonardo Booster: 20 cells of 180 nodes, one rank on each",
        (
            "dragonfly+, 18 links of 200 Gb/s between any two cells, adaptive routing; no bottleneck inside a cell (CINECA)",
            "four ports of 100 Gb/s a node (CINECA), of which UCX uses two for a message [unverified]",
            _UCX,
        ),
        32, 25e9, 25e9, 1.02e-6, 0.26e-6, 0.095,
        _dragonfly(20, 180, "bandwidth_bytes_per_s = 4.5e11 # 18 links, adaptive routing: any of them", 0.26e-6),
        copies_eager=True, overheads_s=_UCX_OVERHEADS,
    ),
}  # fmt: skip
EAGER_BYTES = 16_384
"""Assumed: the largest message that is sent at once."""
INSIDE = """
# Typical of shared memory, not measured: the rows for calibration have one rank on each node.
[[network.inside_node]]
end_bytes = 16385
protocol = "asynchronous"
send_overhead_s = 2e-7
recv_overhead_s = 2e-7

[[network.inside_node]]
protocol = "synchronous"
latency_factor = 3
"""
