# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries that can be tuned: which algorithms each has that its settings can name."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from orrery import _core
from orrery.collective.openmpi_rules import ALGORITHMS
from orrery.errors import InputError, did_you_mean
from orrery.real_mpi.starter import release_of

Family = Literal["openmpi", "mpich"]

_SINCE_5 = {("allgather", "sparbit"), ("allgatherv", "sparbit")}
"""Algorithms of Open MPI that 4.1 does not have, by `ompi_info --param coll tuned --level 9`."""
_WITHOUT_SIZES = {"alltoallv", "exscan", "scan"}
"""Collectives for which rules of Open MPI 4.1 and 5.0 cannot tell sizes apart: all calls have the first rule."""
_MPICH_4 = {
    "barrier": ("dissemination",),
    "bcast": ("binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
    "reduce_scatter": ("recursive_halving", "pairwise", "recursive_doubling", "noncommutative"),
    "reduce_scatter_block": ("recursive_halving", "pairwise", "recursive_doubling", "noncommutative"),
    "gather": ("binomial",),
    "scatter": ("binomial",),
    "allgather": ("brucks", "recursive_doubling", "ring"),
    "allgatherv": ("brucks", "recursive_doubling", "ring"),
    "alltoall": ("brucks", "scattered", "pairwise"),
    "scan": ("recursive_doubling",),
    "exscan": ("recursive_doubling",),
}
"""All that MPICH 4.0.2 can be told: the names in its library (`algorithm=MPIR_...`)."""
_MPICH_5 = _MPICH_4 | {
    "barrier": ("k_dissemination", "recexch"),
    "bcast": (*_MPICH_4["bcast"], "tree", "pipelined_tree"),
    "allreduce": (
        *_MPICH_4["allreduce"],
        *("k_reduce_scatter_allgather", "recexch", "recursive_multiplying", "ring", "tree"),
    ),
    "allgather": (*_MPICH_4["allgather"], "k_brucks", "recexch_doubling", "recexch_halving"),
    "alltoall": (*_MPICH_4["alltoall"], "k_brucks"),
}
"""The same of 5.0.2. What both have for replacing blocks in place is of no use to other calls."""
_MPICH = {"mpich-4.0": _MPICH_4, "mpich-5.0": _MPICH_5}
_SEGMENTS = {("bcast", "pipelined_tree"), ("allreduce", "tree")}
"""Algorithms of MPICH whose segments can be named."""
_TREES = ("kary", "knomial_1", "knomial_2")
_CHAINS = (2, 4, 8)
_RADICES = (2, 3, 4, 8)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """An algorithm of a library with its parameters."""

    name: str
    """As the library calls it."""
    segment: int = 0
    """Bytes; 0: not segmented."""
    fanout: int = 0
    """Chains, radix of a tree, or requests at a time; 0: as the library has it."""
    ours: str
    """The same algorithm as `orrery collective --algorithm` and `--coll` take it."""


@dataclass(frozen=True)
class Library:
    """A release of an MPI library."""

    name: str
    """Of its selector, too."""
    family: Family

    @property
    def kinds(self) -> tuple[str, ...]:
        """Collectives that have several algorithms which settings can name, by size."""
        names = ALGORITHMS if self.family == "openmpi" else _MPICH[self.name]
        left_out = _WITHOUT_SIZES if self.family == "openmpi" else {}
        return tuple(kind for kind, there in names.items() if len(there) > 1 and kind not in left_out)

    def variants(self, call: _core.CollectiveCall, kind: str, size: int, segments: Iterable[int]) -> list[Variant]:
        """All that serve a call, each once. What the library would replace by another algorithm is left out.

        Args:
            call: as the core takes it.
            kind: the collective.
            size: bytes of the call.
            segments: bytes; those that are shorter than the call are tried with algorithms that have segments.
        """
        found: dict[str, Variant] = {}
        served = {choice.algorithm for choice in _core.accepting_choices(call)}
        cuts = [0, *(segment for segment in segments if 0 < segment < size)]
        for algorithm, names in self._algorithms(kind):
            if algorithm.name not in served:
                continue
            for segment in cuts if algorithm.segments else [0]:
                name = _name(names, segment)
                if segment and not self._cuts(kind, name):
                    continue
                for fanout in _fanouts(algorithm):
                    ours = _chosen(call, algorithm, segment, fanout)
                    if ours and ours not in found:
                        found[ours] = Variant(name=name, segment=segment, fanout=fanout, ours=ours)
        return list(found.values())

    def algorithms(self, kind: str) -> list[str]:
        """Those that it has names for, as Orrery calls them."""
        return [algorithm.name for algorithm, _ in self._algorithms(kind)]

    def _algorithms(self, kind: str) -> Iterator[tuple[_core.Algorithm, list[str]]]:
        """With their names in this library."""
        for algorithm in _core.algorithms():
            if algorithm.collective != kind or algorithm.between_groups:
                continue
            names = [algorithm.openmpi] if self.family == "openmpi" else algorithm.mpich.split()
            known = [name for name in names if name and self._has(kind, name)]
            if known:
                yield algorithm, known

    def _has(self, kind: str, name: str) -> bool:
        if self.family == "mpich":
            return tree_of(name)[0] in _MPICH[self.name].get(kind, ())
        return self.name != "openmpi-4.1" or (kind, name) not in _SINCE_5

    def _cuts(self, kind: str, name: str) -> bool:
        """Whether settings can name the segments of an algorithm that has some."""
        return self.family == "openmpi" or (kind, tree_of(name)[0]) in _SEGMENTS


def tree_of(name: str) -> tuple[str, str]:
    """MPICH's algorithm `tree` has its type as a parameter: the algorithm, and the type of its tree, if it has one."""
    for tree in _TREES:
        if name.endswith(f"tree_{tree}"):
            return name.removesuffix(f"_{tree}"), tree
    return name, ""


def _chosen(call: _core.CollectiveCall, algorithm: _core.Algorithm, segment: int, fanout: int) -> str:
    """The algorithm as `--coll` has it; empty where it does not serve the call, or another one does in its place."""
    try:
        choice = _core.named_choice(call, algorithm.name, segment, fanout)
    except InputError:
        return ""
    return choice.name if choice.algorithm == algorithm.name else ""


def _fanouts(algorithm: _core.Algorithm) -> tuple[int, ...]:
    if not algorithm.fans_out:
        return (0,)
    if algorithm.name == "chain":
        return _CHAINS
    return (
        (0,) if algorithm.openmpi else _RADICES
    )  # rules files of Open MPI have no radix of its knomial tree, nor requests at a time


def _name(names: list[str], segment: int) -> str:
    """MPICH has two names for some, of which one is for segments."""
    pipelined = [name for name in names if name.startswith("pipelined_")]
    return pipelined[0] if pipelined and segment else names[0]


_FAMILIES: dict[str, Family] = {
    "openmpi-4.1": "openmpi",
    "openmpi-5.0": "openmpi",
    "mpich-4.0": "mpich",
    "mpich-5.0": "mpich",
}
LIBRARIES = tuple(_FAMILIES)
"""Names of those that can be tuned."""


def library_of(mpirun: str) -> Library:
    """That of a launcher, by what it says of its version. Raises InputError where it does not, or cannot be tuned."""
    family, release = release_of(shlex.split(mpirun))
    name = f"{family}-{release.partition('.')[0]}"
    found = [one for one in LIBRARIES if one.startswith(f"{name}.")]
    if not family or not found:
        said = f"is of {family} {release}" if family else "does not say which MPI it belongs to"
        raise InputError(f'--mpirun "{mpirun}": {said}; name the library: --library {"|".join(LIBRARIES)}')
    return library(found[0])


def library(name: str) -> Library:
    """By its name. Raises InputError where there is none."""
    if name not in _FAMILIES:
        raise InputError(
            f'--library: "{name}" cannot be tuned; there are: {", ".join(LIBRARIES)}{did_you_mean(name, LIBRARIES)}'
        )
    return Library(name, _FAMILIES[name])
