# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms of the data Orrery has, too."""

from __future__ import annotations

from bench.supercomputers.rows import Row

TWINS: dict[str, dict[str, str]] = {
    "allreduce": {
        "recursive_doubling": "recursive_doubling", "ring": "ring", "ring_segmented": "segmented_ring",
        "segmented_ring": "segmented_ring", "rabenseifner": "rabenseifner", "nonoverlapping": "nonoverlapping",
        "basic_linear": "basic_linear", "bine_lat": "swing_doubling", "bine_bdw_remap": "swing",
    },
    "allgather": {
        "recursive_doubling": "recursive_doubling", "ring": "ring", "neighbor": "neighbor_exchange", "brucks": "bruck",
        "bruck": "bruck", "k_bruck": "bruck", "sparbit": "sparbit", "linear": "gather_bcast", "bine_permute_remap": "bine",
    },
    "reduce_scatter": {
        "recursive_halving": "recursive_halving", "ring": "ring", "non_overlapping": "nonoverlapping",
        "pairwise": "pairwise", "recursive_doubling": "recursive_doubling", "bine_permute_remap": "bine",
    },
    "bcast": {
        "split_binary": "split_binary_tree", "split_binary_tree": "split_binary_tree", "binary": "binary_tree",
        "binary_tree": "binary_tree", "binomial": "binomial", "knomial": "knomial", "chain": "chain",
        "pipeline": "pipeline", "scatter_allgather": "scatter_allgather",
        "scatter_allgather_ring": "scatter_allgather_ring", "bine_lat_reversed": "bine_tree",
        "bine_lat_new": "bine_tree", "bine_lat_i_new": "bine_tree",
    },
    "reduce": {
        "linear": "linear", "binary": "binary", "binomial": "binomial", "in_order_binary": "in_order_binary",
        "chain": "chain", "pipeline": "pipeline", "rabenseifner": "reduce_scatter_gather", "bine_lat": "bine_tree",
    },
    "gather": {
        "linear": "basic_linear", "basic_linear": "basic_linear", "binomial": "binomial", "linear_synch": "linear_sync",
        "linear_sync": "linear_sync",
    },
    "scatter": {
        "linear": "basic_linear", "basic_linear": "basic_linear", "binomial": "binomial", "linear_nb": "linear",
    },
    "alltoall": {
        "linear": "linear", "pairwise": "pairwise", "modified_bruck": "bruck", "linear_sync": "linear_sync",
    },
}  # fmt: skip
"""By collective: algorithms as the data name them, without what says whose code it is, and as Orrery names them."""
_CODE = ("_ompi", "_mpich", "_over")


SEGMENTS = {("fugaku", "reduce", "in_order_binary"): 65536}
"""Segments that the library says it uses (column `selected`); elsewhere none."""
COMPOSED = {
    ("allgather", "linear"),
    ("allreduce", "nonoverlapping"),
    ("allreduce", "basic_linear"),
    ("reduce_scatter", "non_overlapping"),
}
"""On Fugaku: the library's own choices for two other collectives, one after the other; these are bound to its topology."""


def twin(row: Row) -> str:
    """Orrery's name for the algorithm of the row; empty: there is none."""
    name = row.algorithm
    for code in _CODE:
        name = name.removesuffix(code)
    if row.segment or name.startswith("default"):
        return ""
    return TWINS.get(row.collective, {}).get(name, "")


def is_composed(row: Row) -> bool:
    """Whether the algorithm is Fugaku's own choices for two other collectives."""
    return row.system == "fugaku" and (row.collective, row.algorithm) in COMPOSED
