# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms obey `--segment` and `--fanout`: the others run without, which is said; where none does, they are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orrery import _core
from orrery.collective.call import ALL, Call
from orrery.collective.named import FANOUT, SEGMENT, AlgorithmParameter, algorithm_named, known
from orrery.collective.predict import variants
from orrery.collective.settings import CollectiveRequest
from orrery.errors import InputError

CallOfCore = tuple[Call, _core.CollectiveCall]
"""A call, and what the core knows of it."""
NamedAlgorithm = tuple[str, _core.Algorithm]
"""The name that the user gave, and what it means."""


def cautions_of_parameters(calls: Sequence[CallOfCore], request: CollectiveRequest) -> list[str]:
    """A sentence for each option that acts on some of the algorithms only.

    Raises InputError for an option that acts on none of them.
    """
    if not (asked := [parameter for parameter in (SEGMENT, FANOUT) if parameter.asked(request)]):
        return []
    first_of_kind = {call.kind: (call, whole) for call, whole in reversed(calls)}
    named = [
        (name, algorithm_named(call, whole, name))
        for call, whole in first_of_kind.values()
        for name in request.algorithm
        if name != ALL
    ]
    return [sentence for parameter in asked for sentence in _cautions(parameter, calls, named, request)]


def _cautions(
    parameter: AlgorithmParameter,
    calls: Sequence[CallOfCore],
    named: Sequence[NamedAlgorithm],
    request: CollectiveRequest,
) -> list[str]:
    acting = [(algorithm.collective, name) for name, algorithm in named if parameter.acts_on(name, algorithm)]
    idle = [(name, algorithm) for name, algorithm in named if not parameter.acts_on(name, algorithm)]
    everything = ALL in request.algorithm
    if everything and parameter is SEGMENT and not any(request.segments or ()):
        return []  # none is tried with segments
    if everything:
        acting += _acting_of_all(parameter, calls, request)
    if not acting:
        reasons = [parameter.refusal(name, algorithm) for name, algorithm in idle]
        if everything:
            kinds = " and ".join(dict.fromkeys(call.kind for call, _ in calls))
            reasons.append(f"none of the algorithms that serve {kinds} has {parameter.need}")
        raise InputError(f"{parameter.option}: {'. '.join(reasons)}")
    if not idle and not everything:
        return []
    others = "all other algorithms" if everything else _listed((algorithm.collective, name) for name, algorithm in idle)
    return [f"{parameter.option}: acts on {_listed(acting)}; without it: {others}"]


def _listed(algorithms: Iterable[tuple[str, str]]) -> str:
    """Collectives, each with its algorithms."""
    names: dict[str, dict[str, None]] = {}
    for kind, name in algorithms:
        names.setdefault(kind, {})[name] = None
    return " and ".join(f"{kind} by {', '.join(of_kind)}" for kind, of_kind in names.items())


def _acting_of_all(
    parameter: AlgorithmParameter, calls: Iterable[CallOfCore], request: CollectiveRequest
) -> list[tuple[str, str]]:
    """Collectives and the algorithms that obey, among all that serve a call; segments act where they are shorter than the call."""
    return [
        (call.kind, choice.algorithm)
        for call, whole in calls
        for choice in variants(call, whole, request.segments or ())
        if parameter.obeyed_by(known(call.kind, choice.algorithm))
        and (parameter is not SEGMENT or choice.segment_bytes > 0)
    ]
