# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI's rules files can say, in whatever format: collectives, algorithms, sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orrery import _core

# By the numbers that the files use; in `ALGORITHMS` 0 is the library's own decision.
COLLECTIVES = (
    *("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan"),
    *("gather", "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter", "scatterv"),
    *("neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"),
)
ALGORITHMS = {
    "allgather": (
        "linear",
        "bruck",
        "recursive_doubling",
        "ring",
        "neighbor",
        "two_proc",
        "sparbit",
    ),
    "allgatherv": ("default", "bruck", "ring", "neighbor", "two_proc", "sparbit"),
    "allreduce": (
        "basic_linear",
        "nonoverlapping",
        "recursive_doubling",
        "ring",
        "segmented_ring",
        "rabenseifner",
    ),
    "alltoall": ("linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"),
    "alltoallv": ("basic_linear", "pairwise"),
    "barrier": ("linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"),
    "bcast": (
        "basic_linear",
        "chain",
        "pipeline",
        "split_binary_tree",
        "binary_tree",
        "binomial",
        "knomial",
        "scatter_allgather",
        "scatter_allgather_ring",
    ),
    "exscan": ("linear", "recursive_doubling"),
    "gather": ("basic_linear", "binomial", "linear_sync"),
    "reduce": ("linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner"),
    "reduce_scatter": ("non-overlapping", "recursive_halving", "ring", "butterfly"),
    "reduce_scatter_block": ("basic_linear", "recursive_doubling", "recursive_halving", "butterfly"),
    "scan": ("linear", "recursive_doubling"),
    "scatter": ("basic_linear", "binomial", "linear_nb"),
}
NOT_SIMULATED = {
    "allgather": {8: "direct-messaging"},
    "allreduce": {7: "allgather_reduce"},
    "reduce": {8: "knomial"},
}
"""Algorithms of newer releases, which are not here, by their numbers."""
ALIASES = {("allgather", "bruck-k-fanout"): "bruck"}
"""Other names that releases have for an algorithm."""
DISTRIBUTIONS = ("any", "one-per-node", "single-node")
"""Which ranks of a communicator rules are for: all, those of communicators with one rank on each node, or on one node."""
_MOST_CHAINS = 32
INTEGER = re.compile(r"[-+]?(0[xX][0-9a-fA-F]+|\d+)", re.ASCII)
"""A whole number as C reads it."""
UNLIMITED = 2**63 - 1
MOST = 2**31 - 1
"""Ranks of a communicator, fan-out, requests at a time: whole numbers of C."""


@dataclass(frozen=True, kw_only=True)
class OpenMpiRule:
    """Which algorithm calls of some sizes use; both limits belong to the range."""

    bytes_from: int = 0
    bytes_to: int = UNLIMITED
    algorithm: str | None
    """Open MPI's name; None: its own decision."""
    faninout: int = 0
    segment: int = 0
    requests: int = 0
    """At a time: obeyed by alltoall's linear_sync, not by reductions, whose leaves Open MPI can slow down by it."""


@dataclass(frozen=True, kw_only=True)
class OpenMpiRuleSet:
    """Rules of a collective on communicators of some sizes: the first that fits decides."""

    collective: str
    size_from: int = 0
    size_to: int = MOST
    rules: tuple[OpenMpiRule, ...]
    ranks: str = "any"
    """One of `DISTRIBUTIONS`."""


def whole_number(text: str) -> int:
    """The number that a text is, if `INTEGER` matches it: 0x begins a hexadecimal, 0 an octal number."""
    digits = text.lstrip("+-")
    if digits.lower().startswith("0x"):
        value = int(digits, 16)
    elif len(digits) > 1 and digits.startswith("0") and not set(digits) & {"8", "9"}:
        value = int(digits, 8)
    else:
        value = int(digits)
    return -value if text.startswith("-") else value


def algorithm_numbered(collective: str, number: int) -> str | None:
    """Name of an algorithm; None for 0. Raises LookupError, whose text says what there is."""
    names = ALGORITHMS.get(collective, ())
    if number == 0:
        return None
    if not names:
        raise LookupError(f"Open MPI has no algorithms of {collective} to choose from; 0 is its own decision")
    if not 0 < number <= len(names):
        listed = ", ".join(f"{i} {name}" for i, name in enumerate(names, start=1))
        raise LookupError(f"{collective} has no algorithm {number}; there are: 0 Open MPI's own decision, {listed}")
    return names[number - 1]


def to_core(sets: tuple[OpenMpiRuleSet, ...]) -> list[_core.DynamicRules]:
    """As the core wants them."""
    return [
        _core.DynamicRules(
            rule_set.collective,
            rule_set.size_from,
            rule_set.size_to,
            [
                (rule.bytes_from, rule.bytes_to, rule.algorithm or "", rule.segment, _fanout(rule_set.collective, rule))
                for rule in rule_set.rules
            ],
            rule_set.ranks,
        )
        for rule_set in sets
    ]


def _fanout(collective: str, rule: OpenMpiRule) -> int:
    """Chains obey fan-in/out; for them 0 means one, where users who name the algorithm get four."""
    if collective == "alltoall" and rule.algorithm == "linear_sync":
        return rule.requests
    return min(max(rule.faninout, 1), _MOST_CHAINS) if rule.algorithm == "chain" else 0
