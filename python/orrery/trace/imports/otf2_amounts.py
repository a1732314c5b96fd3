# SPDX-License-Identifier: BSD-3-Clause
"""What the members of a communicator say of one collective call, put together; and what the sizes of it mean.

The format leaves that to who writes. Score-P counts what goes to and comes from every rank, itself included: an allreduce
of 8 bytes on 4 ranks sends and receives 32. With MPI_IN_PLACE a rank does not count itself, which is not said; it is taken
where only then the size is a multiple of 8, or of 4, bytes. Others are taken to count each buffer once in reductions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from orrery.trace.imports.target import equal_parts

KINDS = ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
         "alltoallw", "allreduce", "reduce", "reduce_scatter", "scan", "exscan", "reduce_scatter_block")  # fmt: skip
"""Collectives by their number in the format; what follows makes and frees communicators and windows."""

CREATE_HANDLE = 17
_VECTORS = {"gatherv", "scatterv", "allgatherv", "reduce_scatter"}


@dataclass
class CallAmounts:
    """One call; bytes as the trace has them."""

    kind: str
    sent: int = 0
    """The most that a rank sent."""
    received: int = 0
    each: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Where ranks differ: sent and received, by rank of the communicator."""

    def note(self, rank: int, sent: int, received: int) -> None:
        """What one rank says of it."""
        self.sent, self.received = max(self.sent, sent), max(self.received, received)
        if self.kind in _VECTORS:
            self.each[rank] = (sent, received)

    def of_each(self, size: int, position: int) -> list[int]:
        """What each of `size` ranks sent (0) or received (1)."""
        return [self.each.get(rank, (0, 0))[position] for rank in range(size)]


class Amounts:
    """What is known of the collective calls of a trace, by communicator and number of the call."""

    def __init__(self, creator: str) -> None:
        """`creator`: who wrote the trace. Orrery counts as Score-P does, but for MPI_IN_PLACE, where it counts all."""
        self._exact = creator.startswith("Orrery")
        self._summed = self._exact or creator.startswith("Score-P")
        self._calls: dict[int, list[CallAmounts]] = defaultdict(list)

    def call(self, comm: int, number: int, kind: str) -> CallAmounts:
        """The call of that number; the first time the one behind the last."""
        calls = self._calls[comm]
        if number == len(calls):
            calls.append(CallAmounts(kind))
        return calls[number]

    def sizes(self, call: CallAmounts, size: int, own: tuple[int, int], *, is_root: bool) -> tuple[int, list[int]]:
        """Bytes, and bytes by rank, of a call as `orrery::collective::Call` has them.

        `size`: ranks of the communicator; `own`: what the asking rank has sent and received.
        """
        if call.kind in _VECTORS or call.kind in ("alltoallv", "alltoallw"):
            return self._vector(call, size, own, is_root=is_root)
        match call.kind:
            case "barrier":
                return 0, []
            case "bcast" | "scatter":
                return call.received or self._part(call.sent, size), []
            case "gather" | "reduce":
                return call.sent, []
            case "allgather" | "alltoall" | "new_comm":
                return self._share(call.received, size), []
            case "reduce_scatter_block":
                return self._part(call.received, size), []
            case "exscan":
                return call.sent // max(1, size - 1) if self._summed else call.sent, []
            case _:  # allreduce, scan
                return self._part(call.sent, size), []

    def _vector(self, call: CallAmounts, size: int, own: tuple[int, int], *, is_root: bool) -> tuple[int, list[int]]:
        match call.kind:
            case "gatherv":
                return own[0], call.of_each(size, 0) if is_root else []
            case "scatterv":
                return own[1], call.of_each(size, 1) if is_root else []
            case "allgatherv":
                return self._part(own[0], size), [self._part(amount, size) for amount in call.of_each(size, 0)]
            case "reduce_scatter":
                counts = [self._part(amount, size) for amount in call.of_each(size, 1)]
                return sum(counts), counts
            case _:  # alltoallv, alltoallw
                return 0, equal_parts(own[0], size) + equal_parts(own[1], size)

    def _part(self, total: int, size: int) -> int:
        return self._share(total, size) if self._summed else total

    def _share(self, total: int, size: int) -> int:
        return total // max(1, size) if self._exact else _share(total, size)


def _share(total: int, size: int) -> int:
    """Bytes of one rank, if `total` is the sum over all `size` of them, or over all others."""
    shares = [total // count for count in (size, size - 1) if count > 0 and total % count == 0]
    return next((share for unit in (8, 4, 1) for share in shares if share % unit == 0), total // max(1, size))
