# SPDX-License-Identifier: BSD-3-Clause
"""What is timed: tests by name, each at sizes and on numbers of ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from orrery.collective.call import REDUCTIONS, Call
from orrery.collective.loops import Bodies, both_ways, one_way, ping_pong, with_barrier
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.errors import InputError, did_you_mean

LATENCY = "latency"
MESSAGES = (LATENCY, "one-way", "both-ways", "message-rate")
"""Between ranks 0 and 1; the last one between pairs of all ranks."""
OF_THE_THESIS = ("bcast", "reduce", "gather", "scatter", "alltoall")
COLLECTIVES = (
    *OF_THE_THESIS,
    "allreduce",
    "allgather",
    "allgatherv",
    "alltoallv",
    "gatherv",
    "scatterv",
    "reduce_scatter",
    "scan",
    "exscan",
    "barrier",
)
TESTS = (*MESSAGES, *COLLECTIVES)
"""All there are, in the order in which they run."""
QUICK_TESTS = (LATENCY, *OF_THE_THESIS)
SIZES = "4:1MiB"
QUICK_SIZES = "4,64,1KiB,16KiB,256KiB,1MiB"
NUMBER_BYTES = 4
"""Size of the numbers that reductions reduce."""


class LoopCase(NamedTuple):
    """One loop."""

    test: str
    ranks: int
    bytes: int
    """Size of a message, or as `orrery collective` counts it; 0 for a barrier."""

    @property
    def call(self) -> Call:
        """The collective call. Of a test with messages there is none."""
        return Call(self.test, self.bytes, self.ranks, type_size=NUMBER_BYTES if self.test in REDUCTIONS else 0)

    @property
    def bodies(self) -> Bodies:
        """What each rank does in a turn, in a simulation."""
        if self.test == LATENCY:
            return ping_pong(self.bytes, self.ranks)
        if self.test == "one-way":
            return one_way(self.bytes, self.ranks)
        if self.test == "both-ways":
            return both_ways(self.bytes, self.ranks)
        if self.test == "message-rate":
            return one_way(self.bytes, self.ranks, self.pairs)
        return with_barrier(self.call)

    @property
    def pairs(self) -> int:
        """Pairs of ranks that send at once."""
        return self.ranks // 2 if self.test == "message-rate" else 1


def cases(tests: Sequence[str], ranks: str, sizes: str) -> list[LoopCase]:
    """All combinations, number of ranks by number of ranks, test by test.

    Raises InputError for a test that there is not, fewer than two ranks, or a size that reductions cannot have.
    """
    for name in tests:
        if name not in TESTS:
            raise InputError(f'"{name}" is no test; there are: {", ".join(TESTS)}{did_you_mean(name, list(TESTS))}')
    counts = rank_counts(ranks, 0)
    if min(counts) < 2:
        raise InputError(f"-n {ranks}: a message needs two ranks")
    wanted = byte_sizes(sizes)
    _check_reductions(tests, wanted)
    ordered = [name for name in TESTS if name in tests]
    return [
        LoopCase(test, count, size)
        for count in counts
        for test in ordered
        for size in ([0] if test == "barrier" else wanted)
    ]


def _check_reductions(tests: Iterable[str], sizes: Iterable[int]) -> None:
    reductions = REDUCTIONS.intersection(tests)
    odd = next((size for size in sizes if size % NUMBER_BYTES != 0), None)
    if reductions and odd is not None:
        raise InputError(f"-s {odd}: {', '.join(sorted(reductions))} reduce numbers of {NUMBER_BYTES} bytes")
