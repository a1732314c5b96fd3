# SPDX-License-Identifier: BSD-3-Clause
"""Platform files of what is published and what was fitted."""

from __future__ import annotations

from bench.supercomputers.fit import Fit, interpolated
from bench.supercomputers.published import EAGER_BYTES, INSIDE, PUBLISHED


def regimes(found: Fit) -> str:
    """Lines from each measured exchange to the next one, as tables of a platform file.

    An exchange takes L + b / B + o. Where no overheads are published, what the smallest one takes beyond the published latency is
    software, half of it on either side.
    """
    known = PUBLISHED[found.system]
    sizes = sorted(found.steps)
    smallest = found.steps[sizes[0]]
    half = max((smallest - known.latency_s) / 2, 0.0)
    send, recv = known.overheads_s or (half, half)
    ends = [size for size in sizes[1:-1] if size != EAGER_BYTES]
    tables = []
    for low, high in zip(sorted({sizes[0], *ends, EAGER_BYTES}), sorted({*ends, EAGER_BYTES, sizes[-1]}), strict=True):
        first, last = interpolated(found.steps, low), interpolated(found.steps, high)
        slope = max((last - first) / (high - low), 1 / known.rank_bytes_per_s)
        constant = max(first - slope * low, 0.0)
        eager = high <= EAGER_BYTES
        copy = min(found.copy_s_per_byte, slope - 1 / known.rank_bytes_per_s) if eager and known.copies_eager else 0.0
        factor = 1 if eager else 3
        tables.append(
            "[[network.between_nodes]]\n"
            + (f"end_bytes = {high + 1}\n" if high != sizes[-1] else "")
            + f'protocol = "{"asynchronous" if eager else "synchronous"}"\n'
            + f"send_overhead_s = {send:.4g}\nrecv_overhead_s = {recv:.4g}\n"
            + (f"recv_overhead_s_per_byte = {copy:.4g}\n" if copy else "")
            + f"latency_factor = {factor}\n"
            + f"latency_s = {constant - recv - factor * known.latency_s:.4g}\n"
            + f"bandwidth_factor = {1 / (slope - copy) / known.rank_bytes_per_s:.4g}\n"
        )
    return "\n".join(tables)


def platform_file(found: Fit) -> str:
    """The platform file of a system, with where its values come from."""
    known = PUBLISHED[found.system]
    lines = "".join(f"# - {line}\n" for line in known.sources)
    notes = "".join(f"# - {line}\n" for line in found.notes)
    node_latency = (known.latency_s - known.hop_s * known.hops) / 2
    return f"""# SPDX-License-Identifier: BSD-3-Clause
# Written by `python -m bench.supercomputers fit` (docs/lab/supercomputers.md).
# Published:
{lines}# Fitted to the rows for calibration of the measurements of PICO (github.com/HLC-Lab/pico, 413bc5d):
# - latency_s, bandwidth_factor and overheads of the regimes between nodes: time of one exchange, by size
{notes}# Assumed: messages of up to {EAGER_BYTES} bytes are eager; all that is inside a node.

name = "{found.system.replace("_", "-")}"
description = "{known.title}"
source = "published figures, and 86 measured collectives of few nodes; inside a node typical values, not measured"
model = "hybrid"

[[cluster]]
name = "{found.system.replace("_", "-")}"
cores = {known.cores}
bandwidth_bytes_per_s = {known.node_bytes_per_s:.4g}
latency_s = {node_latency:.4g}
memory_bandwidth_bytes_per_s = 1e11
memory_latency_s = 3e-7
{known.fabric}{known.transport}
[compute]
reduce_s_per_byte = {found.reduce_s_per_byte:.4g}
copy_s_per_byte = {found.copy_s_per_byte:.4g}

{regimes(found)}{INSIDE}"""
