# SPDX-License-Identifier: BSD-3-Clause
"""What was discovered, as JSON."""

from __future__ import annotations

from typing import TypedDict

from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.discover.infer import LibraryChoice
from orrery.tune.discover.selector_file import SelectorBand, bands_of
from orrery.tune.discover.session import Discovery


class AlikeJson(TypedDict):
    """An algorithm whose times cannot be told from those of the one that was inferred."""

    algorithm: str
    probability: float


class LibraryChoiceJson(TypedDict):
    """What the MPI chooses in a cell. Times are of a turn of the loop, the call and a barrier, in seconds."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective -s` has them."""
    algorithm: str
    """As `--coll` has it."""
    confidence: float
    """Probability that it is this one or one of `alike`."""
    alike: list[AlikeJson]
    second: str | None
    """The most probable one that is none of them."""
    second_probability: float
    measured_s: float
    simulated_s: float
    spread: float
    """Spread of the simulation's error and the measurement's, in ln of time."""
    candidates: dict[str, float]
    """Simulated times of all algorithms."""


class DiscoveredRuleJson(TypedDict):
    """One rule. Limits are included; null: there is none."""

    collective: str
    min_ranks: int
    max_ranks: int | None
    min_bytes: int
    max_bytes: int | None
    algorithm: str
    confidence: float
    """In the cell that is least sure."""


class DiscoveryJson(TypedDict):
    """What `orrery tune discover` found."""

    platform: str
    mapping: str
    families: dict[str, float]
    """Probability that all algorithms are those of a library; `any`: of none alone."""
    rules: list[DiscoveredRuleJson]
    cells: list[LibraryChoiceJson]
    loops: int
    """That were measured."""
    exhaustive: int
    """That measuring each algorithm in each of the cells would have taken."""
    missing: list[tuple[str, int, int]]
    """Collective, ranks and bytes of what Ctrl-C left."""
    files: list[str]
    """That were written."""
    cautions: list[str]


def as_json(discovery: Discovery, files: list[str]) -> DiscoveryJson:
    """All of it."""
    inferred = discovery.inferred
    return {
        "platform": discovery.platform,
        "mapping": discovery.mapping,
        "families": inferred.families,
        "rules": [_rule(band) for band in bands_of(inferred.choices)],
        "cells": [cell_of(choice) for choice in inferred.choices],
        "loops": discovery.loops,
        "exhaustive": discovery.exhaustive,
        "missing": [(case.test, case.ranks, case.bytes) for case in discovery.missing],
        "files": files,
        "cautions": discovery.cautions,
    }


def _rule(band: SelectorBand) -> DiscoveredRuleJson:
    return {
        "collective": band.kind,
        "min_ranks": band.ranks_from,
        "max_ranks": None if band.ranks_to == MOST_RANKS else band.ranks_to,
        "min_bytes": band.bytes_from,
        "max_bytes": None if band.bytes_to == MOST_BYTES else band.bytes_to,
        "algorithm": band.algorithm,
        "confidence": band.confidence,
    }


def cell_of(choice: LibraryChoice) -> LibraryChoiceJson:
    """One cell, as values that JSON has."""
    observed = choice.observed
    return {
        "collective": observed.case.test,
        "ranks": observed.case.ranks,
        "bytes": observed.case.bytes,
        "algorithm": choice.algorithm,
        "confidence": choice.confidence,
        "alike": [{"algorithm": name, "probability": share} for name, share in choice.alike.items()],
        "second": choice.second or None,
        "second_probability": choice.second_share,
        "measured_s": observed.measured_s,
        "simulated_s": observed.times[choice.algorithm],
        "spread": observed.spread,
        "candidates": dict(observed.times),
    }
