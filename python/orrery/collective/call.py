# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls as the command line names them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from orrery import _core
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError

DEFAULT_SIZES = "8,64,512,4KiB,32KiB,256KiB,1MiB"
"""Where the user names none: both sides of every limit between protocols that is usual."""
ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
ALL = "all"
"""Instead of an algorithm's name."""
_NEED = {"segment": "--algorithm", "fanout": "--algorithm NAME", "most_messages": "--algorithm all"}
"""Settings that act only beside others."""
_CHOOSE = {"selector": "--selector", "coll": "--coll", "rules": "--selector-rules"}
"""Settings that say who chooses, by name."""
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


def check_acts(kinds: Sequence[str], *, root: bool, operation: bool) -> None:
    """Raises InputError for a root, or an operation, that the user gave and that acts on none of `kinds`."""
    if root and not ROOTED.intersection(kinds):
        raise InputError(f"--root: {', '.join(kinds)}: has none; it is for {', '.join(sorted(ROOTED))}")
    if operation and not REDUCTIONS.intersection(kinds):
        raise InputError(f"--operation: {', '.join(kinds)}: reduces nothing; it is for {', '.join(sorted(REDUCTIONS))}")


def check_algorithms(algorithms: Sequence[str], given: Collection[str]) -> None:
    """Raises InputError for what does not act beside the algorithms that the user named.

    Args:
        algorithms: names, or `ALL`; empty: the selector chooses.
        given: by name, settings that the user gave.
    """
    named = any(name != ALL for name in algorithms)
    there = {"--algorithm": bool(algorithms), "--algorithm NAME": named, "--algorithm all": ALL in algorithms}
    for name, need in _NEED.items():
        if name in given and not there[need]:
            raise InputError(f"--{name.replace('_', '-')}: acts only with {need}")
    if named and ALL not in algorithms and (found := [option for name, option in _CHOOSE.items() if name in given]):
        raise InputError(f"{', '.join(found)}: chooses nothing beside --algorithm NAME")


def calls(
    kinds: Iterable[str],
    ranks: str,
    sizes: str | None,
    root: int,
    *,
    immediate: bool = False,
    type_size: int = 0,
    operation: Operation = "built-in",
    in_place: bool = False,
    type_extent: int = 0,
) -> list[Call]:
    """All combinations, in the order in which they were given. Without `sizes`: `DEFAULT_SIZES`, of a barrier none.

    Raises InputError for what is no number or size.
    """
    if type_size < 0:
        raise InputError(f"--type-size {type_size}: expected the bytes of one element")
    if type_extent < 0:
        raise InputError(f"--type-extent {type_extent}: expected the bytes from one element to the next")
    known = sorted({algorithm.collective for algorithm in _core.algorithms()})
    found = []
    for kind in kinds:
        if kind not in known or kind.startswith("neighbor"):
            usable = ", ".join(name for name in known if not name.startswith("neighbor"))
            raise InputError(f'"{kind}" is not a collective that can be shown; there are: {usable}')
        if in_place and not kind.startswith("alltoall"):
            raise InputError(f"--in-place is for alltoall, alltoallv and alltoallw; {kind} sends the same in place")
        for size in byte_sizes(sizes or ("0" if kind == "barrier" else DEFAULT_SIZES)):
            found += [
                Call(kind, size, count, immediate, type_size, operation, in_place, type_extent)
                for count in rank_counts(ranks, root)
            ]
    return found
