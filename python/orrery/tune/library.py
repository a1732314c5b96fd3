# SPDX-License-Identifier: BSD-3-Clause
"""MPI libraries that can be tuned: which algorithms each has that its settings can name."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from orrery import _core
from orrery.collective.intel_numbers import FOR_POWERS_OF_TWO, NUMBERS, PIPELINE_SEGMENT, number_of
from orrery.collective.openmpi_rules import ALGORITHMS
from orrery.collective.rules_file import SelectorRules, to_core_named
from orrery.errors import InputError, did_you_mean
from orrery.platform.documents import read_document
from orrery.real_mpi.starter import release_of
from orrery.rules import MOST_BYTES, Rule
from orrery.rules import Rules as OurRules

Family = Literal["openmpi", "mpich", "intel"]

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
"""All that MPICH 5.0.2 can be told. What both have for replacing blocks in place is of no use to other calls."""
_MPICH = {"mpich-4.0": _MPICH_4, "mpich-5.0": _MPICH_5}
_SEGMENTS = {("bcast", "pipelined_tree"), ("allreduce", "tree")}
"""Algorithms of MPICH whose segments can be named."""
_TREES = ("kary", "knomial_1", "knomial_2")
_CHAINS = (2, 4, 8)
_RADICES = (2, 3, 4, 8)


@dataclass(frozen=True, kw_only=True)
class AlgorithmVariant:
    """An algorithm of a library with its parameters."""

    name: str
    """As the library calls it."""
    segment: int = 0
    """Bytes; 0: not segmented."""
    fanout: int = 0
    """Chains, radix of a tree, or requests at a time; 0: as the library has it."""
    ours: str
    """The algorithm as `orrery collective --algorithm` and `--coll` take it."""


@dataclass(frozen=True)
class Library:
    """A release of an MPI library."""

    name: str
    """Its name, and that of its selector where its own choices are known."""
    family: Family
    own_file: Path | None = None
    """Rules that say what it chooses itself, as `orrery tune discover` writes them; None: its selector says so."""

    @cached_property
    def own(self) -> tuple[Rule, ...]:
        """What `own_file` says. Raises InputError naming the rule that is wrong, or has an algorithm that settings cannot name."""
        if self.own_file is None:
            return ()
        rules = tuple(read_document("--own-choices", self.own_file, OurRules).rules)
        for number, rule in enumerate(rules):
            if rule.collective in NUMBERS and rule.algorithm not in NUMBERS[rule.collective]:
                known = ", ".join(NUMBERS[rule.collective])
                raise InputError(
                    f"{self.own_file}: rule {number + 1}: {rule.collective} by {rule.algorithm}: settings of {self.name} cannot name it, only "
                    f"{known}; orrery tune discover --library {self.name} looks for these alone"
                )
        return rules

    def own_choice(self, kind: str, ranks: int, size: int) -> tuple[str, int]:
        """By `own`: the algorithm of a call, and up to which size it is the same. Raises InputError where no rule fits."""
        rules = [rule for rule in self.own if rule.collective == kind and rule.min_ranks <= ranks <= rule.max_ranks]
        for number, rule in enumerate(rules):
            if rule.min_bytes <= size <= rule.max_bytes:
                starts = [rule.min_bytes - 1 for rule in rules[:number] if rule.min_bytes > size]
                return rule.algorithm, min([rule.max_bytes, *starts])
        raise InputError(
            f"{self.own_file}: no rule says what {self.name} chooses for {kind} of {size} bytes on {ranks} ranks; "
            f"orrery tune discover {kind} --library {self.name} finds out"
        )

    def check_own(self, kind: str, ranks: int) -> None:
        """Raises InputError where `own` does not say what the library chooses for calls of all sizes."""
        size = 0
        while size <= MOST_BYTES:
            size = self.own_choice(kind, ranks, size)[1] + 1

    def selector(self, fixed: str = "", rules: SelectorRules | None = None) -> _core.Selector:
        """Who chooses in simulations. `fixed`: as `--coll` has it; `rules`: of a file that the library has loaded."""
        if self.family == "intel":
            named = [*(rules.named if rules else ()), *map(to_core_named, self.own)]
            return _core.Selector("default", fixed, [], None, named)
        rules = rules or SelectorRules()
        return _core.Selector(self.name, fixed, rules.openmpi, rules.mpich)

    @property
    def settings(self) -> dict[str, Any]:
        """Who chooses in runs and replays: their settings, by name."""
        if self.family == "intel":
            return {"selector": "default", "rules": self.own_file}
        return {"selector": self.name}

    @property
    def kinds(self) -> tuple[str, ...]:
        """Collectives that have several algorithms which settings can name, by size."""
        if self.family == "intel":
            return tuple(NUMBERS)
        names = ALGORITHMS if self.family == "openmpi" else _MPICH[self.name]
        left_out = _WITHOUT_SIZES if self.family == "openmpi" else {}
        return tuple(kind for kind, there in names.items() if len(there) > 1 and kind not in left_out)

    def variants(
        self, call: _core.CollectiveCall, kind: str, size: int, segments: Iterable[int]
    ) -> list[AlgorithmVariant]:
        """All that serve a call, each once. What the library would replace by another algorithm is left out.

        Args:
            call: as the core takes it.
            kind: the collective.
            size: bytes of the call.
            segments: bytes; those that are shorter than the call are tried with algorithms that have segments.
        """
        found: dict[str, AlgorithmVariant] = {}
        served = {choice.algorithm for choice in _core.accepting_choices(call)}
        cuts = [0, *(segment for segment in segments if 0 < segment < size)]
        for algorithm, names in self._algorithms(kind):
            if algorithm.name not in served or not self._acts(algorithm, call.size):
                continue
            for segment in self._segments(algorithm, cuts):
                name = _name(names, segment)
                if segment and not self._cuts(kind, name):
                    continue
                for fanout in _fanouts(algorithm):
                    ours = _chosen(call, algorithm, segment, fanout)
                    if ours and ours not in found:
                        found[ours] = AlgorithmVariant(name=name, segment=segment, fanout=fanout, ours=ours)
        return list(found.values())

    def algorithms(self, kind: str) -> list[str]:
        """Those that it has names for, as Orrery calls them."""
        return [algorithm.name for algorithm, _ in self._algorithms(kind)]

    def _algorithms(self, kind: str) -> Iterator[tuple[_core.Algorithm, list[str]]]:
        """With their names in this library."""
        for algorithm in _core.algorithms():
            if algorithm.collective != kind or algorithm.between_groups:
                continue
            known = [name for name in self._names(algorithm) if name and self._has(kind, name)]
            if known:
                yield algorithm, known

    def _names(self, algorithm: _core.Algorithm) -> list[str]:
        if self.family == "intel":
            number = number_of(algorithm.collective, algorithm.name)
            return [] if number is None else [str(number)]
        return [algorithm.openmpi] if self.family == "openmpi" else algorithm.mpich.split()

    def _has(self, kind: str, name: str) -> bool:
        if self.family == "mpich":
            return tree_of(name)[0] in _MPICH[self.name].get(kind, ())
        return self.name != "openmpi-4.1" or (kind, name) not in _SINCE_5

    def _segments(self, algorithm: _core.Algorithm, wanted: list[int]) -> list[int]:
        """Bytes with which an algorithm is tried; 0: without segments."""
        if not algorithm.segments:
            return [0]
        if self.family == "intel":  # settings have none
            return [PIPELINE_SEGMENT if algorithm.name == "pipeline" else 0]
        return wanted

    def _acts(self, algorithm: _core.Algorithm, ranks: int) -> bool:
        odd = self.family == "intel" and (algorithm.collective, algorithm.name) in FOR_POWERS_OF_TWO
        return not odd or ranks.bit_count() == 1

    def _cuts(self, kind: str, name: str) -> bool:
        """Whether settings can name the segments of an algorithm that has some, or it always has the same."""
        return self.family != "mpich" or (kind, tree_of(name)[0]) in _SEGMENTS


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
"""Names of those that can be tuned, and whose own choices are known."""
INTEL = "intel-2021"
"""Can be tuned where a file says what it chooses itself."""
TUNABLE = (*LIBRARIES, INTEL)


def library_of(mpirun: str, own_file: Path | None = None) -> Library:
    """That of a launcher, by what it says of its version. Raises InputError where it does not, or cannot be tuned."""
    family, release = release_of(shlex.split(mpirun))
    name = f"{family}-{release.partition('.')[0]}"
    found = [known for known in TUNABLE if known == name or known.startswith(f"{name}.")]
    if not family or not found:
        said = f"is of {family} {release}" if family else "does not say which MPI it belongs to"
        raise InputError(f'--mpirun "{mpirun}": {said}; name the library: --library {"|".join(TUNABLE)}')
    return library(found[0], own_file)


def library(name: str, own_file: Path | None = None) -> Library:
    """By its name. `own_file`: rules that say what it chooses itself. Raises InputError where there is none."""
    if name == INTEL:
        return Library(INTEL, "intel", own_file)
    if name not in _FAMILIES:
        raise InputError(
            f'--library: "{name}" cannot be tuned; there are: {", ".join(TUNABLE)}{did_you_mean(name, TUNABLE)}'
        )
    return Library(name, _FAMILIES[name])
