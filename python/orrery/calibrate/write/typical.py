# SPDX-License-Identifier: BSD-3-Clause
"""Typical values for messages inside a node, written and marked as such if they were not measured."""

MEMORY_LATENCY_S = 300e-9
MEMORY_BANDWIDTH_BYTES_PER_S = 6e9

MEMORY_HYBRID = """
[[network.inside_node]]               # typical, NOT MEASURED: calibrate with --ppn 2 to measure it
end_bytes = 4097
protocol = "asynchronous"
send_overhead_s = 200e-9
send_overhead_s_per_byte = 0.15e-9
recv_overhead_s = 200e-9
recv_overhead_s_per_byte = 0.15e-9

[[network.inside_node]]               # typical, NOT MEASURED
protocol = "synchronous"
send_overhead_s = 500e-9
recv_overhead_s = 500e-9
latency_factor = 3
bandwidth_factor = 0.5
"""

MEMORY_LOGGPS = """
[loggps.inside_node]                  # from the values above, NOT MEASURED
latency_s = 300e-9
overhead_s = 200e-9
send_overhead_s_per_byte = 0.15e-9
recv_overhead_s_per_byte = 0.15e-9
gap_s_per_byte_short = 1.7e-10
gap_s_per_byte = 3.3e-10
short_limit_bytes = 4097
sync_threshold_bytes = 4096
"""
