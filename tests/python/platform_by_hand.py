# SPDX-License-Identifier: BSD-3-Clause
"""A small platform file as somebody writes it by hand, of which tests change what they are about."""

from __future__ import annotations

_TEXT = """
name = "by-hand"
{head}
[[cluster]]
name = "by-hand"
nodes = 4
cores = {cores}
bandwidth_bytes_per_s = "1GB/s"
latency_s = "5us"
memory_bandwidth_bytes_per_s = "{memory}"
memory_latency_s = "300ns"
[[network.between_nodes]]
protocol = "synchronous"
send_overhead_s = "1us"
[[network.inside_node]]
protocol = "synchronous"
{tables}
"""


def platform_by_hand(head: str = "", *, cores: int = 1, memory: str = "10GB/s", tables: str = "") -> str:
    """The file's text: `head` stands before the first table, `tables` behind the last one."""
    return _TEXT.format(head=head, cores=cores, memory=memory, tables=tables)
