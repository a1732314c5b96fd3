# SPDX-License-Identifier: BSD-3-Clause
"""What the rows for calibration say: times of exchanges by size, and of reductions and copies."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.supercomputers.published import PUBLISHED
from bench.supercomputers.rows import CALIBRATION, Row, is_calibration, read_rows


@dataclass
class Fit:
    """What the rows for calibration say of one system."""

    system: str
    steps: dict[int, float]
    """By bytes of a message, seconds of one exchange in which every rank sends one and receives one."""
    reduce_s_per_byte: float
    copy_s_per_byte: float
    notes: list[str]


def _mean_by_size(rows: Iterable[Row], name: str) -> dict[int, float]:
    """Seconds by size: the mean over rows of one algorithm, whose code it be."""
    found = defaultdict(list)
    for row in rows:
        if row.algorithm.startswith(name):
            found[row.bytes].append(row.time_us * 1e-6)
    return {size: statistics.fmean(times) for size, times in sorted(found.items())}


def interpolated(points: dict[int, float], at: float) -> float:
    """Straight from point to point; beyond the last one as between the last two."""
    sizes = sorted(points)
    above = next((i for i, size in enumerate(sizes) if size >= at), len(sizes) - 1)
    low, high = sizes[max(above, 1) - 1], sizes[max(above, 1)]
    return points[low] + (points[high] - points[low]) * (at - low) / (high - low)


def _fit_allreduces(system: str, rows: list[Row], ranks: int, wire: float) -> Fit:
    """From a ring, 2(p - 1) steps with p - 1 reductions, and doubling, log2 p steps with a reduction each.

    With t(b) the exchange and g the reduction of a byte, a step of doubling takes t(b) + g b, one of the ring t(b) + g b / 2.
    For large b, t(b) = w b with the published w; g is what both steps say, on average. They differ by copies: doubling copies the
    vector twice, the ring once.
    """
    ring = {
        size // ranks: time / (2 * (ranks - 1))
        for size, time in _mean_by_size(rows, "ring").items()
        if size >= 4 * ranks
    }
    doubling = {size: time / math.log2(ranks) for size, time in _mean_by_size(rows, "recursive").items()}
    large = [size for size in ring if size >= 1 << 20 and size in doubling]
    by_doubling = statistics.fmean(doubling[size] / size - wire for size in large)
    by_ring = statistics.fmean(2 * (ring[size] / size - wire) for size in large)
    both = (by_doubling + by_ring) / 2
    copy = (by_ring - by_doubling) / (ranks / (ranks - 1) - 2 / math.log2(ranks))
    steps = {size: time - both * size / 2 for size, time in ring.items()}
    note = f"reduction of a byte: {by_doubling:.3g} s by recursive doubling, {by_ring:.3g} s by the ring"
    return Fit(system, steps, both, max(copy, 0.0), [note])


def _exchanges(gathers: list[Row], copy_s_per_byte: float) -> dict[int, float]:
    """From an allgather by a ring: a copy of the own block, and p - 1 exchanges of a block."""
    block = {row.bytes: row.block for row in gathers}
    others = gathers[0].ranks - 1
    times = _mean_by_size(gathers, "ring")
    return {block[size]: (time - copy_s_per_byte * block[size]) / others for size, time in times.items()}


def _fit_leonardo(rows: list[Row]) -> Fit:
    """From an allgather by a ring, and allreduces by doubling: 7 exchanges, and 2 messages of ranks beyond the power of two.

    What these take beyond their messages are 8 reductions. A byte of a copy moves as much memory as one of a reduction.
    """
    gathers = [row for row in rows if row.collective == "allgather"]
    sums = _mean_by_size([row for row in rows if row.collective == "allreduce"], "recursive")
    rounds = math.floor(math.log2(gathers[0].ranks))
    each: dict[int, float] = {}
    cached = 0.0
    for _ in range(3):  # the copy of a block hardly matters, so this converges at once
        steps = _exchanges(gathers, cached)
        each = {
            size: (time - (rounds + 2) * interpolated(steps, size)) / (rounds + 1) / size for size, time in sums.items()
        }
        cached = statistics.median(each[size] for size in each if 1 << 17 <= size <= 1 << 23)
    said = ", ".join(f"{size}: {gamma:.3g}" for size, gamma in each.items() if size >= 1 << 14)
    note = f"reduction of a byte, by bytes of the vector, in s: {said}; the median up to 8 MiB counts"
    return Fit("leonardo", steps, cached, cached, [note])


def _fit_mare_nostrum(rows: list[Row], leonardo: Fit) -> Fit:
    """From an allgather by a ring. The rows have no reduction: it is that of Leonardo."""
    each = leonardo.reduce_s_per_byte
    return Fit("mare_nostrum", _exchanges(rows, each), each, each, ["reduction of a byte: that of Leonardo"])


def fit(folder: Path) -> list[Fit]:
    """Fit all four systems."""
    rows = [row for row in read_rows(folder) if is_calibration(row)]
    by_system = {system: [row for row in rows if row.system == system] for system in CALIBRATION}
    leonardo = _fit_leonardo(by_system["leonardo"])
    return [
        _fit_allreduces("fugaku", by_system["fugaku"], 8, PUBLISHED["fugaku"].wire_s_per_byte),
        _fit_allreduces("lumi", by_system["lumi"], 8, PUBLISHED["lumi"].wire_s_per_byte),
        _fit_mare_nostrum(by_system["mare_nostrum"], leonardo),
        leonardo,
    ]
