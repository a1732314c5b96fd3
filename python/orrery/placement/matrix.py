# SPDX-License-Identifier: BSD-3-Clause
"""Who sends how much to whom: the matrix that ranks are placed for, from files or from a simulation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_RANKS = 1 << 20
"""Ranks of a matrix, at most."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A symmetric matrix by rows, as the core takes it: both directions of a pair are added up, and stand in both rows."""

    offsets: Integers
    """Where each row begins, and the end."""
    peers: Integers
    messages: Floats
    bytes: Floats


@dataclass(frozen=True, eq=False)
class TrafficMatrix:
    """What ranks send each other, one entry for each pair that sends anything, by sender and receiver."""

    ranks: int
    sources: Integers
    targets: Integers
    messages: Floats
    bytes: Floats
    cautions: list[str] = field(default_factory=list)
    """What is not in it, a sentence each."""

    @classmethod
    def of(
        cls, ranks: int, edges: Iterable[tuple[int, int, float, float]], cautions: Iterable[str] = ()
    ) -> TrafficMatrix:
        """From sender, receiver, messages and bytes; what comes twice is added up, and what a rank sends itself is left out."""
        table = np.array(list(edges), dtype=np.float64).reshape(-1, 4)
        table = table[table[:, 0] != table[:, 1]]
        pairs = table[:, 0].astype(np.int64) * ranks + table[:, 1].astype(np.int64)
        keys, place = np.unique(pairs, return_inverse=True)
        return cls(
            ranks,
            keys // ranks,
            keys % ranks,
            _sums(place, table[:, 2], len(keys)),
            _sums(place, table[:, 3], len(keys)),
            list(cautions),
        )

    @property
    def all_bytes(self) -> float:
        """Bytes of all messages."""
        return float(self.bytes.sum())

    @property
    def typical_bytes(self) -> int:
        """Size of the message that a byte is in, in the mean of all bytes; 1 at least."""
        if not self.all_bytes:
            return 1
        sizes = self.bytes / np.maximum(self.messages, 1)
        return max(1, round(float((sizes * self.bytes).sum() / self.all_bytes)))

    def rows(self) -> Rows:
        """The matrix by rows, both directions of a pair together."""
        ranks = self.ranks
        pairs = np.concatenate([self.sources * ranks + self.targets, self.targets * ranks + self.sources])
        keys, place = np.unique(pairs, return_inverse=True)
        return Rows(
            np.searchsorted(keys // ranks, np.arange(ranks + 1)),
            keys % ranks,
            _sums(place, np.tile(self.messages, 2), len(keys)),
            _sums(place, np.tile(self.bytes, 2), len(keys)),
        )

    def for_core(self) -> dict[str, Any]:
        """Keyword arguments of the core."""
        rows = self.rows()
        return {name: getattr(rows, name).tolist() for name in ("offsets", "peers", "messages", "bytes")}


def _sums(place: Integers, values: Floats, number: int) -> Floats:
    """What is at each place, added up."""
    return np.bincount(place, values, number).astype(np.float64)
