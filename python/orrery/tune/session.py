# SPDX-License-Identifier: BSD-3-Clause
"""A tuning: cells are simulated, measured where that is worth it, and made into few rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain, repeat
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import NamedTuple, TypeVar

import orrery
from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.collective.call import REDUCTIONS
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.evidence.statement import statement_of
from orrery.experiment.mapping import describe_mapping
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.platform.trusted import cautions_of
from orrery.published import UNWRITTEN, published
from orrery.simulate.description import digest_of
from orrery.temporary import temporary_folder
from orrery.tune.beliefs import Beliefs, Knowledge
from orrery.tune.between import in_between, numbers_between
from orrery.tune.cautions import cautions
from orrery.tune.cells import CellName, TunedCell, gain_of, mean_of, sentences
from orrery.tune.check import CheckedGain, CheckResult, CheckSettings, check
from orrery.tune.choose import ChoiceCriteria, rules_of
from orrery.tune.library import Library
from orrery.tune.measuring import LoopSample, MeasuredLibrary, PendingLoop, measure, times_of
from orrery.tune.offers import Offers, offers_of
from orrery.tune.program import TunedProgram, as_they_arrive
from orrery.tune.rounds import Rounds
from orrery.tune.rules import RulesOrigin, TunedRule, TunedRules, each_rule
from orrery.tune.search import CellTimes, Loop, SearchScope, search
from orrery.tune.settings import TuningRequest
from orrery.tune.timing import BARRIER
from orrery.tune.unsure import batch, exhaustive

BATCHES = (0.5, 0.8)
"""Shares of all measurements after the first batches; others follow while any is worth it and the share lasts. What one batch
found decides about the next."""
_COMMAND = "orrery tune"
_Key = TypeVar("_Key", bound=NamedTuple)
Advanced = Callable[[int, int], object]


@dataclass(frozen=True, kw_only=True)
class TuningSettings:
    """What is tuned: what the user asks for, and what follows from that."""

    request: TuningRequest
    library: Library
    cases: Sequence[LoopCase]
    mapping: str = DEFAULT_MAPPING
    segments: tuple[int, ...] | None = None
    most_messages: int = SearchScope.most_messages
    measuring: MeasuredLibrary | None = None
    """The real library; None: nothing is measured."""
    program: TunedProgram | None = None
    """Whose calls are tuned, weighted by the time in them; None: all cases count alike."""
    checking: CheckSettings | None = None
    """Compare the rules with the library as it is, on the real cluster; None: no."""


@dataclass(frozen=True, kw_only=True)
class TuningResult:
    """What came of it."""

    tuned: TunedRules = field(metadata=UNWRITTEN)
    cells: list[TunedCell]
    missing: list[CellName]
    """What Ctrl-C, or the end of the budget, left: the library's own choices stay there."""
    platform: str
    model: str
    mapping: str
    measurements: int = 0
    """Loops that were measured."""
    exhaustive: int = 0
    """Loops that a search without a simulation would have measured."""
    weights: Mapping[LoopCase, float] | None = field(default=None, metadata=UNWRITTEN)
    """Time in each cell of a program, 1 in the mean; None: all count alike."""
    program_s: float | None = None
    """Simulated seconds of the program of `--for` without the rules."""
    program_tuned_s: float | None = None
    """With them."""
    check: CheckResult | None = field(default=None, metadata=UNWRITTEN)
    """On the real cluster, before rules whose gains do not hold were taken out; None: not checked."""
    others: Offers | None = field(default=None, metadata=UNWRITTEN)
    """Algorithms that the library does not have; None: nobody asked for them."""
    cautions: list[str] = field(default_factory=list)

    @property
    @published
    def library(self) -> str:
        """That is tuned."""
        return self.tuned.library.name

    @property
    @published
    def gain(self) -> float:
        """Geometric mean of the gains of all cells, weighted by the time in them where they are those of a program."""
        return gain_of(self.cells, self.weights)

    @property
    @published
    def regret(self) -> float:
        """Mean share by which the rules' choices take longer than the quickest, simulated; weighted as `gain`."""
        return mean_of(self.cells, lambda cell: cell.chosen_s / cell.best_s - 1, self.weights)

    @property
    @published
    def rules(self) -> list[TunedRule]:
        """Rules, and what is between them."""
        return each_rule(self.tuned.rows)

    @property
    @published
    def offers(self) -> list[TunedRule]:
        """Algorithms that the library does not have, for `orrery deploy`: `coll` names them."""
        return [] if self.others is None else each_rule(self.others.rows)

    @property
    @published
    def checked(self) -> list[CheckedGain]:
        """Gains that `--check` measured."""
        return [] if self.check is None else self.check.gains


def cases_of(kinds: Iterable[str], ranks: Sequence[int], sizes: Sequence[int], library: Library) -> list[LoopCase]:
    """All combinations. Raises InputError for a collective that the library's settings have no choice for, or odd sizes."""
    found = []
    for kind in kinds:
        if kind not in library.kinds:
            raise InputError(
                f'"{kind}": the settings of {library.name} have no choice of algorithms for it; there are: {", ".join(library.kinds)}'
            )
        for count in ranks:
            found += [LoopCase(kind, count, size) for size in ([0] if kind == BARRIER else _of(kind, sizes))]
    return found


def _of(kind: str, sizes: Iterable[int]) -> list[int]:
    if kind in REDUCTIONS and (odd := [size for size in sizes if size % NUMBER_BYTES]):
        raise InputError(f"-s {odd[0]}: {kind} reduces numbers of {NUMBER_BYTES} bytes")
    return list(sizes)


def tune(asked: TuningSettings, said: Callable[[str], object], advanced: Advanced) -> TuningResult:
    """Find rules. Ctrl-C ends the search, with rules of what is there by then.

    Raises:
        InputError: a platform, a launcher or a file that cannot be used.
        LaunchError: the launcher or the program of loops failed.
    """
    laboratory = asked.request.laboratory(asked.mapping)
    wanted = SearchScope(
        library=asked.library,
        segments=asked.segments,
        most_messages=asked.most_messages,
        others=asked.request.own,
        any_operation=asked.request.any_operation or (asked.program is not None and not asked.program.commutes),
        budget_s=asked.request.budget_s,
    )
    with laboratory.open():
        started_s = monotonic()
        kept = _simulated(asked, laboratory)
        found = search(asked.cases, wanted, laboratory, kept, advanced)
        whole = exhaustive(found)
        between: list[CellTimes] = []
        if asked.program is not None and len(found) == len(asked.cases):
            found = as_they_arrive(found, asked.program, asked.library, advanced)
        elif len(found) == len(asked.cases):
            left_s = (
                None if asked.request.budget_s is None else max(0.0, asked.request.budget_s - (monotonic() - started_s))
            )
            between = search(
                in_between(asked.cases), replace(wanted, others=False, budget_s=left_s), laboratory, kept, advanced
            )
        every = [*found, *between]
        measured = _measured(asked, found, laboratory, said, advanced)
        numbers = numbers_between(asked.cases) if between else frozenset()
        choosing = replace(_choosing(asked, every, measured, laboratory), between=numbers)
        tuned = _tuned(asked, every, choosing, laboratory)
        checked = _checked(asked, found, tuned, said, advanced)
        if checked is not None and checked.fell:
            tuned = _tuned(asked, every, replace(choosing, own_only=checked.fell), laboratory)
        return _tuning(asked, _Outcome(found, whole, measured, tuned, checked), laboratory)


def _weights(asked: TuningSettings, found: Sequence[CellTimes]) -> dict[LoopCase, float] | None:
    """Time in each cell, 1 in the mean."""
    if asked.program is None:
        return None
    times = {cell.case: asked.program.calls[cell.case] * cell.default_s for cell in found}
    mean = fmean(times.values()) if times else 1.0
    return {case: time_s / mean for case, time_s in times.items()}


def _tuned(
    asked: TuningSettings, found: Sequence[CellTimes], choosing: ChoiceCriteria, laboratory: Laboratory
) -> TunedRules:
    return TunedRules(
        library=asked.library,
        rows=rules_of(found, choosing, _own(asked.library, laboratory)) if found else (),
        made=RulesOrigin(
            orrery=orrery.__version__,
            platform=f"{laboratory.platform['name']}, {digest_of(laboratory.platform)}",
            mapping=describe_mapping(laboratory.mapping),
        ),
    )


def _own(library: Library, laboratory: Laboratory) -> Callable[[LoopCase], str]:
    """What the library chooses itself."""
    selector = library.selector()
    return lambda case: laboratory.chosen(selector, case.call).name


def _checked(
    asked: TuningSettings,
    found: Sequence[CellTimes],
    tuned: TunedRules,
    said: Callable[[str], object],
    advanced: Advanced,
) -> CheckResult | None:
    cases = [cell.case for cell in found if tuned.variant(*cell.case) is not None]
    if asked.checking is None or not cases:
        return None
    if asked.library.family == "intel":  # its settings name what is left to it, too
        rules = {(case.test, case.ranks) for case in cases}
        cases = [cell.case for cell in found if (cell.case.test, cell.case.ranks) in rules]
    said(f"checking {len(cases)} calls with and without the rules, {asked.checking.rounds} times")
    return check(tuned, cases, asked.checking, said, advanced)


@dataclass(frozen=True)
class _LoopMeasurements:
    times: Mapping[Loop, Rounds] = field(default_factory=dict)
    loops: int = 0
    """Loops of the cells, without the barriers that are taken off."""


def _measured(
    asked: TuningSettings,
    found: Sequence[CellTimes],
    laboratory: Laboratory,
    said: Callable[[str], object],
    advanced: Advanced,
) -> _LoopMeasurements:
    """In batches, as far as it is worth it."""
    if asked.measuring is None or not found:
        return _LoopMeasurements()
    with ExitStack() as stack:
        folder = asked.request.keep or stack.enter_context(temporary_folder(".orrery-tune-", Path.cwd()))
        kept = _begun(LoopStore(folder / "measured.csv", _subject(asked, laboratory), LoopSample, _COMMAND))
        defaults = {cell.case: cell.default for cell in found}
        limit = int(asked.request.share * exhaustive(found))
        early = (min(limit, max(1, int(share * limit))) for share in BATCHES)
        measured = _there(kept, defaults, laboratory, asked.library)
        try:
            for most in chain(early, repeat(limit)):
                wanted = batch(found, _choosing(asked, found, measured, laboratory), most - measured.loops)
                if wanted:
                    said(f"measuring {len(wanted)} loops of {exhaustive(found)} that there are")
                    measure([*_fences(wanted), *wanted], asked.measuring, kept, said, advanced)
                before, measured = measured, _there(kept, defaults, laboratory, asked.library)
                if most == limit and measured.loops == before.loops:
                    break
        except KeyboardInterrupt:
            said("interrupted")
            measured = _there(kept, defaults, laboratory, asked.library)
        return measured


def _there(
    kept: LoopStore[LoopSample], defaults: Mapping[LoopCase, str], laboratory: Laboratory, library: Library
) -> _LoopMeasurements:
    selector = library.selector()
    fences = {LoopCase(BARRIER, case.ranks, 0) for case in defaults} - defaults.keys()
    barriers = {case: laboratory.chosen(selector, case.call).name for case in fences}
    times = times_of(kept, {**defaults, **barriers})
    return _LoopMeasurements(times, sum(LoopCase(*loop[:3]) in defaults for loop in times))


def _choosing(
    asked: TuningSettings, found: Sequence[CellTimes], measured: _LoopMeasurements, laboratory: Laboratory
) -> ChoiceCriteria:
    known = Knowledge(measured.times, statement_of(laboratory.platform))
    return ChoiceCriteria(
        beliefs=Beliefs(found, known), least_gain=asked.request.least_gain, weights=_weights(asked, found)
    )


def _fences(wanted: Iterable[PendingLoop]) -> list[PendingLoop]:
    """Loops of barriers alone, whose time is taken off."""
    return [
        PendingLoop(case=LoopCase(BARRIER, ranks, 0), variant=None)
        for ranks in sorted({loop.case.ranks for loop in wanted})
    ]


@dataclass(frozen=True)
class _Outcome:
    found: list[CellTimes]
    exhaustive: int
    measured: _LoopMeasurements
    tuned: TunedRules
    checked: CheckResult | None


def _tuning(asked: TuningSettings, outcome: _Outcome, laboratory: Laboratory) -> TuningResult:
    found, tuned = outcome.found, outcome.tuned
    there = {cell.case for cell in found}
    cells = [_cell(cell, tuned, outcome.measured.times) for cell in found]
    gains = tuple(sentences(cells, _weights(asked, found)))
    tuned = replace(tuned, made=replace(tuned.made, gains=gains, limits=tuple(_limits(asked, laboratory))))
    return TuningResult(
        tuned=tuned,
        cells=cells,
        missing=[CellName(*case) for case in asked.cases if case not in there],
        platform=laboratory.platform["name"],
        model=laboratory.model,
        mapping=laboratory.mapping,
        measurements=outcome.measured.loops,
        exhaustive=outcome.exhaustive,
        program_s=None if asked.program is None else asked.program.time_s(None),
        program_tuned_s=None if asked.program is None else asked.program.time_s(tuned),
        weights=_weights(asked, found),
        check=outcome.checked,
        others=offers_of(found, {cell.case: cell.chosen for cell in cells}) if asked.request.own else None,
        cautions=cautions(tuned),
    )


def _limits(asked: TuningSettings, laboratory: Laboratory) -> list[str]:
    left_out = [] if asked.program is None else [f"left out: {calls}" for calls in asked.program.left_out]
    return [*cautions_of(laboratory.platform), *laboratory.cautions(case.ranks for case in asked.cases), *left_out]


def _cell(found: CellTimes, tuned: TunedRules, times: Mapping[Loop, Rounds]) -> TunedCell:
    variant = tuned.variant(*found.case)
    chosen = found.default if variant is None else variant.ours
    own, other = (times.get(Loop(*found.case, name)) for name in (found.default, chosen))
    return TunedCell(
        *found.case,
        default=found.default,
        chosen=chosen,
        default_s=found.default_s,
        chosen_s=found.times[chosen],
        best=found.best,
        best_s=found.times[found.best],
        measured_default_s=None if own is None else own.median_s,
        measured_chosen_s=None if other is None else other.median_s,
    )


def _begun(kept: LoopStore[_Key]) -> LoopStore[_Key]:
    kept.begin()
    return kept


def _simulated(asked: TuningSettings, laboratory: Laboratory) -> LoopStore[Loop] | None:
    if asked.request.keep is None:
        return None
    try:
        asked.request.keep.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"--keep {asked.request.keep}: {error.strerror}; expected a folder") from None
    return _begun(LoopStore(asked.request.keep / "simulated.csv", _subject(asked, laboratory), Loop, _COMMAND))


def _subject(asked: TuningSettings, laboratory: Laboratory) -> str:
    parts = [asked.library.name, digest_of(laboratory.platform), laboratory.model, asked.mapping, asked.request.seed]
    parts += [repr(asked.library.own)] if asked.library.own else []
    return sha256(repr(parts).encode()).hexdigest()[:16]
