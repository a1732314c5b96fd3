# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of collectives as Score-P counts them: what goes to and comes from every rank, itself included."""

from __future__ import annotations

from orrery.trace.reading import Operation

ROOTED = frozenset(("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"))


def sizes_of(one: Operation, size: int, me: int) -> tuple[int, int]:
    """Bytes that a rank sends and receives in a collective on `size` ranks, of which it is `me`."""
    whole = one.bytes * size
    at_root = one.peer == me
    match one.collective:
        case "barrier":
            return 0, 0
        case "bcast" | "scatter":
            return whole if at_root else 0, one.bytes
        case "gather" | "reduce":
            return one.bytes, whole if at_root else 0
        case "scan":
            return one.bytes * (size - me), one.bytes * (me + 1)
        case "exscan":
            return one.bytes * (size - 1 - me), one.bytes * me
        case _:
            return _of_vectors(one, size, me) if one.counts else (whole, whole)


def _of_vectors(one: Operation, size: int, me: int) -> tuple[int, int]:
    total = sum(one.counts)
    match one.collective:
        case "scatterv":
            return total if one.peer == me else 0, one.bytes
        case "gatherv":
            return one.bytes, total if one.peer == me else 0
        case "reduce_scatter":
            return total, one.counts[me] * size if me < len(one.counts) else 0
        case "alltoallv" | "alltoallw":
            return sum(one.counts[:size]), sum(one.counts[size:])
        case _:  # allgatherv
            return one.bytes * size, total
