# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls as the command line names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orrery import _core
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError

_REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
_NUMBER_BYTES = 8


@dataclass(frozen=True)
class Call:
    """One collective call of `ranks` ranks; `size` in bytes, as `orrery collective --help` explains."""

    kind: str
    size: int
    ranks: int
    immediate: bool = False
    """A non-blocking call."""

    @property
    def element(self) -> int:
        """Bytes of one element: reductions are of numbers of 8 bytes."""
        return _NUMBER_BYTES if self.kind in _REDUCTIONS else 1

    def core(self, root: int, places: _core.Places | None = None) -> _core.CollectiveCall:
        """As the core takes it. Raises InputError for a size that is not a whole number of elements.

        Hierarchical algorithms serve the call only where `places` are known.
        """
        if self.size % self.element != 0:
            raise InputError(f"-s {self.size}: {self.kind} is of numbers of {self.element} bytes")
        return _core.CollectiveCall(
            self.kind,
            size=self.ranks,
            bytes=self.size,
            root=root,
            element=self.element,
            immediate=self.immediate,
            places=places,
        )


def calls(kinds: Iterable[str], ranks: str, sizes: str, root: int, *, immediate: bool = False) -> list[Call]:
    """All combinations, in the order in which they were given. Raises InputError for what is no number or size."""
    known = sorted({algorithm.collective for algorithm in _core.algorithms()})
    found = []
    for kind in kinds:
        if kind not in known or kind.startswith("neighbor"):
            usable = ", ".join(name for name in known if not name.startswith("neighbor"))
            raise InputError(f'"{kind}" is not a collective that can be shown; there are: {usable}')
        for size in byte_sizes(sizes):
            found += [Call(kind, size, count, immediate) for count in rank_counts(ranks, root)]
    return found
