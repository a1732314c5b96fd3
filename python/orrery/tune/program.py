# SPDX-License-Identifier: BSD-3-Clause
"""Tuning for a program: what it calls, how its ranks arrive there, and what rules make of its time, by replaying its trace.

In a program ranks come to a call at different times, and an algorithm that is quicker where all come together need not be quicker
there. So for the calls that most time goes into, the trace is replayed with each of the algorithms that are close: with n such
calls, the one that shortens the run by d counts as one that takes d / n less than the library's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orrery.benchmark.advice import uses_of
from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.collective.call import REDUCTIONS
from orrery.errors import InputError
from orrery.record.ended import check_end
from orrery.replay.session import opened_as_it_was, replay
from orrery.replay.settings import ReplaySettings
from orrery.rules import MOST_BYTES
from orrery.temporary import temporary_folder
from orrery.tune.formats.ours import named
from orrery.tune.library import AlgorithmVariant, Library
from orrery.tune.rules import RuleRow, RulesOrigin, SizeBand, TunedRules
from orrery.tune.search import CellTimes

_CLOSE = 1.5
"""Algorithms that take at most so many times as long as the quickest are replayed."""
_MOST_ALGORITHMS = 4
_MOST_CELLS = 12
_MOST_OF_TIME = 0.95
"""Cells are replayed until so much of the time in all of them is covered."""
_LEAST_SHARE = 0.1
_NO_RULES = RulesOrigin(orrery="", platform="", mapping="")


@dataclass(frozen=True, kw_only=True)
class TunedProgram:
    """A program that rules are made for."""

    trace: Path
    settings: ReplaySettings
    """How it is replayed; without rules."""
    calls: dict[LoopCase, int]
    """How often each of its calls is made, by a rank."""
    left_out: list[str]
    """Calls that cannot be tuned, a sentence for each reason."""
    commutes: bool = True
    """Whether all its reductions are with operations that commute."""

    @classmethod
    def of(cls, trace: Path, library: Library, **settings: Any) -> TunedProgram:
        """From its trace. `settings`: of the replay, where they are not as in the recording.

        Raises InputError for a trace that cannot be read, or has no call that can be tuned.
        """
        calls: dict[LoopCase, int] = {}
        uses, not_comparable = uses_of(trace)
        odd = set(not_comparable)
        for used in uses:
            case = LoopCase(used.kind, used.ranks, used.bytes)
            if used.kind not in library.kinds:
                odd.add(f"{used.kind}: settings of {library.name} choose no algorithm of it")
            elif used.kind in REDUCTIONS and used.bytes % NUMBER_BYTES:
                odd.add(f"{used.kind} of {used.bytes} bytes: numbers of other sizes than {NUMBER_BYTES} bytes")
            else:
                calls[case] = calls.get(case, 0) + used.calls
        if not calls:
            raise InputError(f"--for {trace}: makes no call that {library.name} could be tuned for")
        settled, _ = opened_as_it_was(ReplaySettings.of([trace], **library.settings, **settings))
        commutes = all(used.commutes for used in uses)
        return cls(trace=trace, settings=settled, calls=calls, left_out=sorted(odd), commutes=commutes)

    def time_s(self, tuned: TunedRules | None) -> float:
        """Simulated seconds of the program with rules; None: with none.

        Raises:
            InputError: the replay does not come to its end.
            KeyboardInterrupt: Ctrl-C.
        """
        with temporary_folder() as name:
            settings = self.settings
            if tuned is not None and tuned.rows:
                file = name / "rules.toml"  # comes before all else that chooses, as the library's own files do
                own = tuned.library.own_file
                file.write_text(
                    named(tuned.rows) + ("" if own is None else own.read_text(encoding="utf-8")), encoding="utf-8"
                )
                settings = replace(settings, rules=file, said=settings.said | {"rules"})
            record = replay(settings)
        check_end(record, f"--for {self.trace}: the replay")
        return record.simulated_s


def as_they_arrive(
    found: Sequence[CellTimes],
    program: TunedProgram,
    library: Library,
    advanced: Callable[[int, int], object] = lambda _done, _all: None,
) -> list[CellTimes]:
    """The cells with the times that calls are worth in the program, of those that most time goes into. Ctrl-C comes through."""
    heavy = _heavy(found, program)
    own_s = program.time_s(None)
    cells = {cell.case: cell for cell in found}
    for done, cell in enumerate(heavy):
        cells[cell.case] = _replayed(cell, program, library, own_s)
        advanced(done + 1, len(heavy))
    return [cells[cell.case] for cell in found]


def _heavy(found: Iterable[CellTimes], program: TunedProgram) -> list[CellTimes]:
    """Cells in which there is a choice, those that most time goes into first."""
    worth = {cell.case: program.calls.get(cell.case, 0) * cell.default_s for cell in found}
    ordered = sorted(found, key=lambda cell: -worth[cell.case])
    whole, covered = sum(worth.values()), 0.0
    heavy: list[CellTimes] = []
    for cell in ordered:
        if covered >= _MOST_OF_TIME * whole or len(heavy) == _MOST_CELLS:
            break
        covered += worth[cell.case]
        if len(cell.variants) > 1:
            heavy.append(cell)
    return heavy


def _replayed(cell: CellTimes, program: TunedProgram, library: Library, own_s: float) -> CellTimes:
    least_s = cell.times[cell.best]
    names = sorted((name for name in cell.variants if name != cell.default), key=lambda name: cell.times[name])
    close = [name for name in names if cell.times[name] <= _CLOSE * least_s][:_MOST_ALGORITHMS]
    times = {cell.default: cell.default_s}
    for name in close:
        program_s = program.time_s(_only(cell.case, cell.variants[name], library))
        gained_s = (own_s - program_s) / program.calls[cell.case]
        times[name] = max(cell.default_s - gained_s, _LEAST_SHARE * cell.default_s)
    variants = {name: variant for name, variant in cell.variants.items() if name in times}
    return replace(cell, times=times, variants=variants)


def _only(case: LoopCase, variant: AlgorithmVariant, library: Library) -> TunedRules:
    """A rule for one cell alone."""
    bands = [SizeBand(bytes_from=case.bytes, bytes_to=case.bytes, variant=variant)]
    if case.bytes > 0:
        bands.insert(0, SizeBand(bytes_from=0, bytes_to=case.bytes - 1, variant=None))
    bands.append(SizeBand(bytes_from=case.bytes + 1, bytes_to=MOST_BYTES, variant=None))
    row = RuleRow(kind=case.test, ranks_from=case.ranks, ranks_to=case.ranks, bands=tuple(bands), counts=(case.ranks,))
    return TunedRules(library=library, rows=(row,), made=_NO_RULES)
