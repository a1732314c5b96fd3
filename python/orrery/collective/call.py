# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls as the command line names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orrery import _core
from orrery.errors import InputError

ROOTED = {word for word, rooted, _ in _core.collective_vocabulary() if rooted}
REDUCTIONS = {word for word, _, reduces in _core.collective_vocabulary() if reduces}
ALL = "all"
"""Instead of an algorithm's name."""
_NUMBER_BYTES = 8

Operation = Literal["built-in", "commutative", "not-commutative"]
"""One of MPI's own, or a user's that commutes or does not."""


@dataclass(frozen=True)
class Call:
    """One collective call of `ranks` ranks; `size` in bytes, as `orrery collective --help` explains."""

    kind: str
    size: int
    ranks: int
    immediate: bool = False
    """A non-blocking call."""
    type_size: int = 0
    """Bytes of one element of the datatype; 0: 8 for reductions, 1 for others."""
    operation: Operation = "built-in"
    """Operation of a reduction."""
    in_place: bool = False
    """An alltoall(v, w) whose blocks are replaced in place."""
    type_extent: int = 0
    """Bytes from one element of the datatype to the next; 0: as many as one element has."""

    @property
    def element(self) -> int:
        """Bytes of one element."""
        return self.type_size or (_NUMBER_BYTES if self.kind in REDUCTIONS else 1)

    def core(self, root: int, places: _core.Places | None = None) -> _core.CollectiveCall:
        """As the core takes it. Raises InputError for a size that is not a whole number of elements.

        Hierarchical algorithms serve the call only where `places` are known.
        """
        if self.size % self.element != 0:
            what = "elements" if self.type_size else "numbers"
            raise InputError(f"-s {self.size}: {self.kind} is of {what} of {self.element} bytes")
        return _core.CollectiveCall(
            self.kind,
            size=self.ranks,
            bytes=self.size,
            root=root,
            element=self.element,
            immediate=self.immediate,
            places=places,
            commutative=self.operation != "not-commutative",
            built_in=self.operation == "built-in",
            in_place=self.in_place,
            extent=self.type_extent,
        )
