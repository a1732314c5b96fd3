# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark on a simulated cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from orrery import _core
from orrery.benchmark.cases import COLLECTIVES, LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.results import BenchmarkResults, rows_of
from orrery.benchmark.settings import BenchmarkRequest
from orrery.collective.asked import cautions_of_choices
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import TimedLoop, timed
from orrery.experiment.mapping import describe_mapping
from orrery.platform.trusted import cautions_of, verdict_of
from orrery.simulate.description import digest_of


def simulate(
    request: BenchmarkRequest, advanced: Callable[[int, int], object] = lambda _done, _all: None
) -> BenchmarkResults:
    """Time all cases. Ctrl-C ends it, with what is there by then.

    Raises InputError for what cannot be simulated, and for a file `keep` of something else.
    """
    cases = request.cases
    laboratory = request.laboratory()
    selector = laboratory.selector(request.selector, request.coll, request.rules, max(case.ranks for case in cases))
    asked_for = _asked_for(cases, laboratory, selector, request.rules)
    kept = None if request.keep is None else LoopStore(request.keep, _subject(request, laboratory, selector), LoopCase)
    found: dict[LoopCase, TimedLoop] = {}
    if kept is not None:
        kept.begin()
        found = {case: timing for case, timing in kept.read().items() if case in cases}
    with laboratory.open():
        try:
            for case in cases:
                if case not in found:
                    found[case] = timed(case.bodies, laboratory, selector, warm=request.warm, most_turns=request.turns)
                    if kept is not None:
                        kept.add(case, found[case])
                advanced(len(found), len(cases))
        except KeyboardInterrupt:
            laboratory.stop()
    return BenchmarkResults(
        where=laboratory.platform["name"],
        facts=_facts(laboratory, selector, request),
        rows=rows_of(
            [(case, found[case]) for case in cases if case in found], _algorithms(found, laboratory, selector)
        ),
        missing=[case for case in cases if case not in found],
        calibration=verdict_of(laboratory.platform),
        cautions=[*asked_for, *cautions_of(laboratory.platform), *laboratory.cautions(case.ranks for case in cases)],
    )


def _asked_for(
    cases: Sequence[LoopCase], laboratory: Laboratory, selector: _core.Selector, rules: Path | None
) -> list[str]:
    """Cautions on algorithms and rules that do not serve. Raises InputError for an algorithm that serves no case."""
    if not selector.fixed and not selector.ruled:
        return []
    calls = [case.call for case in cases if case.test in COLLECTIVES]
    return cautions_of_choices([(call, selector.choose(laboratory.whole(call))) for call in calls], selector, rules)


def _algorithms(
    cases: dict[LoopCase, TimedLoop], laboratory: Laboratory, selector: _core.Selector
) -> dict[LoopCase, str]:
    return {case: selector.choose(laboratory.whole(case.call)).name for case in cases if case.test in COLLECTIVES}


def _facts(laboratory: Laboratory, selector: _core.Selector, request: BenchmarkRequest) -> dict[str, str]:
    return {
        "platform": f"{laboratory.platform['name']}, ranks {describe_mapping(laboratory.mapping)}",
        "parameters": laboratory.platform["source"] or "of unknown origin",
        "model": laboratory.model,
        "selector": selector.name,
        "loops": f"simulated: {request.warm} turns to warm up, then up to {request.turns:,}, until the mean is sure to 2 %",
    }


def _subject(request: BenchmarkRequest, laboratory: Laboratory, selector: _core.Selector) -> str:
    rules = "" if request.rules is None else request.rules.read_text(encoding="utf-8", errors="replace")
    parts = [digest_of(laboratory.platform), laboratory.model, laboratory.mapping, selector.name, rules, request.seed,
             request.warm, request.turns]  # fmt: skip
    return sha256(repr(parts).encode()).hexdigest()[:16]
