# SPDX-License-Identifier: BSD-3-Clause
"""Environment variables by which a library uses one algorithm for all calls of a collective: how it is measured."""

from __future__ import annotations

from orrery.collective.intel_numbers import variable
from orrery.collective.openmpi_rules import ALGORITHMS
from orrery.tune.library import AlgorithmVariant, Library, tree_of

_TUNED = "OMPI_MCA_coll_tuned"
_MPICH = "MPIR_CVAR"
_RADIX = {
    ("barrier", "k_dissemination"): "BARRIER_DISSEM_KVAL",
    ("barrier", "recexch"): "BARRIER_RECEXCH_KVAL",
    ("bcast", "tree"): "BCAST_TREE_KVAL",
    ("bcast", "pipelined_tree"): "BCAST_TREE_KVAL",
    ("allreduce", "tree"): "ALLREDUCE_TREE_KVAL",
    ("allreduce", "recexch"): "ALLREDUCE_RECEXCH_KVAL",
    ("allreduce", "k_reduce_scatter_allgather"): "ALLREDUCE_RECEXCH_KVAL",
    ("allreduce", "recursive_multiplying"): "ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL",
    ("allgather", "k_brucks"): "ALLGATHER_BRUCKS_KVAL",
    ("allgather", "recexch_doubling"): "ALLGATHER_RECEXCH_KVAL",
    ("allgather", "recexch_halving"): "ALLGATHER_RECEXCH_KVAL",
    ("alltoall", "k_brucks"): "ALLTOALL_BRUCKS_KVAL",
    ("alltoall", "scattered"): "ALLTOALL_THROTTLE",
}
"""MPICH's variables for the parameter of an algorithm."""
_CHUNK = {"bcast": "BCAST_TREE_PIPELINE_CHUNK_SIZE", "allreduce": "ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE"}


def forced(library: Library, kind: str, variant: AlgorithmVariant) -> dict[str, str]:
    """Names and values."""
    if library.family == "intel":
        return {variable(kind): variant.name}
    return _openmpi(library, kind, variant) if library.family == "openmpi" else _mpich(kind, variant)


def _openmpi(library: Library, kind: str, variant: AlgorithmVariant) -> dict[str, str]:
    number = ALGORITHMS[kind].index(variant.name) + 1
    found = {f"{_TUNED}_use_dynamic_rules": "1", f"{_TUNED}_{kind}_algorithm": str(number)}
    if variant.segment:
        found[f"{_TUNED}_{kind}_algorithm_segmentsize"] = str(variant.segment)
    if variant.fanout:
        found[f"{_TUNED}_{kind}_algorithm_chain_fanout"] = str(variant.fanout)
    if library.name != "openmpi-4.1":  # its component han comes before, where nodes have several ranks
        found[f"OMPI_MCA_coll_han_{kind}_dynamic_global_communicator_module"] = _TUNED_NUMBER
    return found


_TUNED_NUMBER = "3"
"""Number of the component `tuned`, among those that han can use."""


def _mpich(kind: str, variant: AlgorithmVariant) -> dict[str, str]:
    name, tree = tree_of(variant.name)
    found = {
        f"{_MPICH}_DEVICE_COLLECTIVES": "percoll",  # compositions of the device come before
        f"{_MPICH}_{kind.upper()}_DEVICE_COLLECTIVE": "0",
        f"{_MPICH}_{kind.upper()}_INTRA_ALGORITHM": name,
    }
    if tree:
        found[f"{_MPICH}_{kind.upper()}_TREE_TYPE"] = tree
    if variant.segment:
        found[f"{_MPICH}_{_CHUNK[kind]}"] = str(variant.segment)
    if variant.fanout:
        found[f"{_MPICH}_{_RADIX[kind, name]}"] = str(variant.fanout)
    return found
