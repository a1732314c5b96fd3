# SPDX-License-Identifier: BSD-3-Clause
"""What a tuning found, as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from orrery.tune.cells import TunedCell
from orrery.tune.check import CheckResult
from orrery.tune.rounds import GainInterval
from orrery.tune.rules import RuleJson, rules_json
from orrery.tune.seen import RulesObservation
from orrery.tune.session import TuningResult


@dataclass(frozen=True, kw_only=True)
class WrittenRules:
    """What became of the rules."""

    files: list[str] = field(default_factory=list)
    """That were written."""
    load: list[str] = field(default_factory=list)
    """Commands that make the library load them."""
    seen: RulesObservation | None = None
    """What the real library was seen to do with them; None: nobody looked."""


class SeenJson(TypedDict):
    """Calls of the real library with the files."""

    calls: int
    """That were looked at: each sent what it should."""
    telling: int
    """Those among them in which the rules' algorithm sends other messages than the library's own choice."""
    too_large: list[str]
    """Rules whose calls would need too much memory."""
    taken: list[int]
    """Numbers of ranks for which Intel MPI took the settings without complaint; what its calls send is not looked at."""


class CellJson(TypedDict):
    """A collective on some number of ranks, of one size. Times are of one call, in seconds."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective -s` has them."""
    default: str
    """What the library chooses itself, as `--coll` has it."""
    chosen: str
    """What the rules choose; the same where they leave the call to the library."""
    default_s: float
    """Simulated."""
    chosen_s: float
    best: str
    """The quickest in simulation of those that settings can name."""
    best_s: float
    measured_default_s: float | None
    """On the real library; null: not measured."""
    measured_chosen_s: float | None
    gain: float
    """How many times as long the library's own choice takes: measured where both were, else simulated."""


class GainJson(TypedDict):
    """How many times as long something takes without the rules, on the real cluster, and the interval of 95 %."""

    collective: str | None
    """null: the program."""
    ranks: int | None
    bytes: int | None
    gain: float
    low: float
    high: float
    holds: bool
    """The whole interval is above 1; other rules were taken out. Of Intel MPI there are sizes without rules, too, as its settings name the
    library's own choice there: where one is slower, all rules of its collective and number of ranks were taken out."""


class MissingCellJson(TypedDict):
    """A cell that was not simulated."""

    collective: str
    ranks: int
    bytes: int


class TuningJson(TypedDict):
    """What `orrery tune` found."""

    library: str
    platform: str
    model: str
    mapping: str
    gain: float
    """Geometric mean of the gains of all cells."""
    regret: float
    """Mean share by which the rules' choices take longer than the quickest, simulated."""
    rules: list[RuleJson]
    cells: list[CellJson]
    measurements: int
    """Loops that were measured."""
    exhaustive: int
    """Loops that a search without a simulation would have measured."""
    program_s: float | None
    """Simulated seconds of the program of `--for` without the rules."""
    program_tuned_s: float | None
    offers: list[RuleJson]
    """Algorithms that the library does not have, for `orrery deploy`: `coll` names them."""
    checked: list[GainJson]
    """Gains that `--check` measured."""
    missing: list[MissingCellJson]
    """What Ctrl-C, or the end of the budget, left."""
    files: list[str]
    """That were written."""
    load: list[str]
    """Commands that make the library load them."""
    seen: SeenJson | None
    """What the real library was seen to do with them; null: nobody looked."""
    cautions: list[str]


def as_json(tuning: TuningResult, written: WrittenRules) -> TuningJson:
    """All of it."""
    return {
        "library": tuning.tuned.library.name,
        "platform": tuning.platform,
        "model": tuning.model,
        "mapping": tuning.mapping,
        "gain": tuning.gain,
        "regret": tuning.regret,
        "rules": rules_json(tuning.tuned.rows),
        "offers": [] if tuning.offers is None else rules_json(tuning.offers.rows),
        "cells": [_cell(cell) for cell in tuning.cells],
        "measurements": tuning.measurements,
        "exhaustive": tuning.exhaustive,
        "program_s": None if tuning.program_s is None else tuning.program_s[0],
        "program_tuned_s": None if tuning.program_s is None else tuning.program_s[1],
        "checked": [] if tuning.checked is None else _gains(tuning.checked),
        "missing": [{"collective": case.test, "ranks": case.ranks, "bytes": case.bytes} for case in tuning.missing],
        "files": written.files,
        "load": written.load,
        "seen": None if written.seen is None else _seen(written.seen),
        "cautions": tuning.cautions,
    }


def _seen(seen: RulesObservation) -> SeenJson:
    return {"calls": seen.calls, "telling": seen.telling, "too_large": seen.too_large, "taken": seen.taken}


def _gains(checked: CheckResult) -> list[GainJson]:
    cells = [_gain(*case, gain) for case, gain in [*checked.cells.items(), *checked.left.items()]]
    return cells if checked.program is None else [*cells, _gain(None, None, None, checked.program)]


def _gain(kind: str | None, ranks: int | None, size: int | None, gain: GainInterval) -> GainJson:
    return {
        "collective": kind,
        "ranks": ranks,
        "bytes": size,
        "gain": gain.middle,
        "low": gain.low,
        "high": gain.high,
        "holds": gain.holds,
    }


def _cell(cell: TunedCell) -> CellJson:
    found, measured = cell.found, cell.measured
    own, chosen = measured.get(found.default), measured.get(cell.chosen)
    return {
        "collective": found.case.test,
        "ranks": found.case.ranks,
        "bytes": found.case.bytes,
        "default": found.default,
        "chosen": cell.chosen,
        "default_s": found.default_s,
        "chosen_s": found.times[cell.chosen],
        "best": found.best,
        "best_s": found.times[found.best],
        "measured_default_s": None if own is None else own.median_s,
        "measured_chosen_s": None if chosen is None else chosen.median_s,
        "gain": cell.gain,
    }
