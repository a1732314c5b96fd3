# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of Intel MPI that its settings can name, `I_MPI_ADJUST_BCAST` and its like.

Source of the numbers: Intel's Developer Reference, "I_MPI_ADJUST Family Environment Variables". Each name there was held against the
algorithm of ours that it stands for: bytes that each of 6 and 8 nodes sends in a call, counted at their interfaces (release 2021.18).
Left out are topology-aware ones, which are the same as others where nodes have one rank, and those that are none of ours.
"""

from __future__ import annotations

from collections.abc import Mapping

NUMBERS: Mapping[str, Mapping[str, int]] = {
    "barrier": {"dissemination": 1, "recursive_doubling": 2},
    "bcast": {
        "binomial_halving": 1,
        "scatter_recursive_doubling_allgather": 2,
        "scatter_ring_allgather": 3,
        "pipeline:segment=13KiB": 7,
    },
    "reduce": {"pipeline:segment=13KiB": 1, "binomial": 2, "reduce_scatter_gather": 5},
    "allreduce": {"recursive_doubling": 1, "reduce_scatter_allgather": 2, "reduce_bcast": 5, "ring": 8},
    "gather": {"binomial": 1, "linear": 3},
    "scatter": {"binomial": 1, "linear": 3},
    "allgather": {"recursive_doubling": 1, "bruck": 2, "ring": 3},
    "alltoall": {"bruck": 1, "linear": 2, "pairwise": 3},
}
"""By collective and by our algorithm, as `--coll` has it."""
PIPELINE_SEGMENT = 13 * 1024
"""Bytes, by times: with this segment a pipeline of ours takes as long as number 7 of bcast and 1 of reduce, to 2.7 % (root mean square) for
16 to 128 KB on 4 and 8 nodes. Intel does not say which it is."""

FOR_POWERS_OF_TWO = {("bcast", "scatter_recursive_doubling_allgather"), ("allgather", "recursive_doubling")}
"""On other numbers of ranks the library runs another algorithm under these numbers."""


def number_of(kind: str, algorithm: str) -> int | None:
    """Number under which the library has our algorithm, without parameters; None: it has none."""
    names = {spelled.partition(":")[0]: number for spelled, number in NUMBERS.get(kind, {}).items()}
    return names.get(algorithm)


def variable(kind: str) -> str:
    """Name of the environment variable for a collective."""
    return f"I_MPI_ADJUST_{kind.upper()}"
