# SPDX-License-Identifier: BSD-3-Clause
"""How quiet this machine was while something was measured: a fixed loop beside each measurement."""

from __future__ import annotations

import hashlib
import time

_BLOCK = bytes(1 << 20)
_BLOCKS = 16


class Disturbance:
    """Times of the same work, done once beside each measurement: on a quiet machine they are equal."""

    def __init__(self) -> None:
        self.seconds = list[float]()

    def spin(self) -> None:
        """Do the work, some ten milliseconds on one processor, and remember how long it took."""
        begin = time.perf_counter()
        digest = hashlib.sha256()
        for _ in range(_BLOCKS):
            digest.update(_BLOCK)
        self.seconds.append(time.perf_counter() - begin)

    @property
    def spread(self) -> float:
        """Longest time of all, relative to the shortest, less 1."""
        return max(self.seconds) / min(self.seconds) - 1

    def __str__(self) -> str:
        return f"{self.spread:.0%}" if self.seconds else "-"
