# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls of a program, from its trace, in the places that a mapping gives to its ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orrery.benchmark.cases import COLLECTIVES, cases
from orrery.collective.call import REDUCTIONS, Call, Operation
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError, did_you_mean
from orrery.trace.collective_sums import CollectiveSum, CollectiveSums, read_collective_sums
from orrery.tune.turns import CallTimer, PlacedCall


@dataclass(frozen=True, kw_only=True)
class CallUse:
    """Calls that are alike: of one program, or one that stands for itself."""

    placed: PlacedCall
    calls: int | None = None
    """Calls by the rank that makes most; None: there is no program."""
    communicators: int = 1
    """Groups of ranks that make such calls, placed alike."""


@dataclass(frozen=True)
class RecordedCalls:
    """A program's calls, as its trace has them."""

    trace: Path
    sums: CollectiveSums

    @classmethod
    def of(cls, trace: Path) -> RecordedCalls:
        """Raises InputError where the trace cannot be read."""
        return cls(trace, read_collective_sums(trace))

    @property
    def mapping(self) -> str:
        """Mapping of the simulation that recorded it, as `--map` has it; empty: the trace does not say."""
        return self.sums.mapping

    def uses(self, laboratory: Laboratory) -> tuple[list[CallUse], list[str]]:
        """Blocking collective calls, those in most time first, and what is not among them, a sentence each.

        Communicators whose ranks share nodes and cabinets in the same way are alike, and the one with most time stands for all; so does
        the root with most time. Raises InputError where there are no such calls.
        """
        sums = self.sums
        placement = laboratory.placement(sums.ranks)
        cabinets = [laboratory.hardware.cabinet_of(host) for host in placement.host_of_rank]
        near = list(zip(placement.where, cabinets, strict=True))
        kept, left_out = sums.comparable()
        groups: dict[tuple[Call, tuple[tuple[int, int], ...]], list[CollectiveSum]] = defaultdict(list)
        for calls in kept:
            members = sums.members[calls.comm]
            groups[_call(calls, len(members)), _pattern(near[rank] for rank in members)].append(calls)
        if not groups:
            raise InputError(
                f"--for {self.trace}: has no blocking collective calls of several ranks whose blocks are alike"
            )
        cautions = [sums.said(f"not compared: {reason}", found) for reason, found in left_out.items()]
        if self.mapping not in ("", laboratory.mapping):
            cautions.append(f"mapping {laboratory.mapping}, recorded with {self.mapping}")
        return [_use(call, alike, sums, placement.where) for (call, _), alike in groups.items()], cautions


def uses_of_calls(kinds: Sequence[str], ranks: str, sizes: str, turns: CallTimer) -> list[CallUse]:
    """All combinations, as the command line gives them; without kinds of all collectives that benchmarks time.

    Raises InputError for what is no collective, number or size.
    """
    wanted = kinds or COLLECTIVES
    unknown = next((kind for kind in wanted if kind not in COLLECTIVES), None)
    if unknown is not None:
        near = did_you_mean(unknown, COLLECTIVES)
        raise InputError(f'"{unknown}" is no collective that can be timed; there are: {", ".join(COLLECTIVES)}{near}')
    return [CallUse(placed=turns.placed(case.call)) for case in cases(wanted, ranks, sizes)]


def _call(calls: CollectiveSum, ranks: int) -> Call:
    operation: Operation = "built-in"
    if calls.kind in REDUCTIONS and not (calls.built_in and calls.commutative):
        operation = "commutative" if calls.commutative else "not-commutative"
    element = calls.element if calls.element > 0 and calls.bytes % calls.element == 0 else 1
    gaps = calls.extent if calls.extent not in (0, element) else 0
    return Call(calls.kind, calls.bytes, ranks, type_size=element, operation=operation, type_extent=gaps)


def _pattern(near: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Which ranks share a place and a cabinet, whichever these are."""
    places: dict[int, int] = {}
    cabinets: dict[int, int] = {}
    return tuple(
        (places.setdefault(place, len(places)), cabinets.setdefault(cabinet, len(cabinets))) for place, cabinet in near
    )


def _use(call: Call, alike: list[CollectiveSum], sums: CollectiveSums, where: list[int]) -> CallUse:
    places = tuple(where[rank] for rank in sums.members[alike[0].comm])
    return CallUse(
        placed=PlacedCall(call, places, max(alike[0].root, 0)),
        calls=sums.most_calls(alike),
        communicators=len({tuple(sums.members[calls.comm]) for calls in alike}),
    )
