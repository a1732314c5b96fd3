# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of collectives as Score-P counts them: what goes to and comes from every rank, itself included."""

from __future__ import annotations

from orrery.trace.reading import Operation

ROOTED = frozenset(("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"))


def sizes_of(operation: Operation, size: int, me: int) -> tuple[int, int]:
    """Bytes that a rank sends and receives in a collective on `size` ranks, of which it is `me`."""
    whole = operation.bytes * size
    at_root = operation.peer == me
    match operation.collective:
        case "barrier":
            return 0, 0
        case "bcast" | "scatter":
            return whole if at_root else 0, operation.bytes
        case "gather" | "reduce":
            return operation.bytes, whole if at_root else 0
        case "scan":
            return operation.bytes * (size - me), operation.bytes * (me + 1)
        case "exscan":
            return operation.bytes * (size - 1 - me), operation.bytes * me
        case _:
            return _of_vectors(operation, size, me) if operation.counts else (whole, whole)


def _of_vectors(operation: Operation, size: int, me: int) -> tuple[int, int]:
    total = sum(operation.counts)
    match operation.collective:
        case "scatterv":
            return total if operation.peer == me else 0, operation.bytes
        case "gatherv":
            return operation.bytes, total if operation.peer == me else 0
        case "reduce_scatter":
            return total, operation.counts[me] * size if me < len(operation.counts) else 0
        case "alltoallv" | "alltoallw":
            return sum(operation.counts[:size]), sum(operation.counts[size:])
        case _:  # allgatherv
            return operation.bytes * size, total
