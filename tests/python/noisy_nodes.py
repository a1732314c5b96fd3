# SPDX-License-Identifier: BSD-3-Clause
"""A platform whose nodes have the noise that a test gives them, and a network that costs next to nothing."""

from __future__ import annotations

_NODES = """
name = "noisy"
description = "one rank a node"
source = "made for a test"
model = "hybrid"

[[cluster]]
name = "c"
nodes = 1024
cores = 1
bandwidth_bytes_per_s = "100GB/s"
latency_s = "1ns"
memory_bandwidth_bytes_per_s = "100GB/s"
memory_latency_s = "1ns"

[network]
between_nodes = [{ protocol = "asynchronous" }]
inside_node = [{ protocol = "asynchronous" }]
"""


def noisy_nodes(*kinds: tuple[float, float]) -> str:
    """The text of the file. `kinds`: of interruption, in which time each comes, and how long it takes, in seconds."""
    return _NODES + "".join(
        f"\n[[node.noise]]\nevery_s = {every_s}\ntakes_s = {takes_s}\n" for every_s, takes_s in kinds
    )
