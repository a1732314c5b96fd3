# SPDX-License-Identifier: BSD-3-Clause
"""A tuning as text: what it gains, its rules, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from orrery.experiment.mapping import describe_mapping
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.cells import TunedCell
from orrery.tune.check import CheckResult
from orrery.tune.offers import Offers
from orrery.tune.results import WrittenRules
from orrery.tune.rounds import GainInterval
from orrery.tune.rules import RuleRow, SizeBand
from orrery.tune.seen import RulesObservation
from orrery.tune.session import TuningResult
from orrery.units import show_bytes, show_time

_MOST_LINES = 12


def text(tuning: TuningResult, written: WrittenRules) -> str:
    """What is gained, the rules, the cells that gain most, files and how to load them, and what to mind."""
    lines = [*_head(tuning), ""]
    if tuning.tuned.rows:
        lines += ["rules", *_rules(tuning.tuned.rows), ""]
    lines += [*_largest(tuning.cells)]
    if tuning.others is not None and tuning.others.gains:
        lines += [*_offers(tuning.others), ""]
    if tuning.check is not None:
        lines += [*_checked(tuning.check), ""]
    lines += [f"wrote      {name}" for name in written.files]
    lines += [f"load       {command}" for command in written.load]
    lines += [] if written.seen is None else _seen(written.seen)
    lines += [f"caution    {caution}" for caution in tuning.cautions]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _seen(seen: RulesObservation) -> Iterator[str]:
    if seen.taken:
        numbers = ", ".join(f"{ranks:,}" for ranks in seen.taken)
        yield (
            f"taken      by the real library without complaint, for {numbers} ranks. What its calls then send is not looked at: its licence "
            "forbids altering how it runs. --check shows what they gain"
        )
        return
    yield (
        f"seen       {seen.calls} calls of the real library sent what the rules say, {seen.telling} of them otherwise than without "
        "rules"
    )
    yield from (f"not seen   {rule}: too large" for rule in seen.too_large)


def _head(tuning: TuningResult) -> Iterator[str]:
    yield f"library    {tuning.library}"
    yield f"platform   {tuning.platform}, ranks {describe_mapping(tuning.mapping)}, model {tuning.model}"
    yield f"cells      {len(tuning.cells)} (collective, ranks, size)" + (
        f"; {len(tuning.missing)} more are missing" if tuning.missing else ""
    )
    if not tuning.cells:
        return
    better = [cell for cell in tuning.cells if cell.pays]
    rules = sum(1 for row in tuning.tuned.rows for band in row.bands if band.variant)
    yield f"rules      {rules}; where there is none the library's own choice stays"
    cells = "1 cell" if len(better) == 1 else f"{len(better)} cells"
    yield f"gain       {tuning.gain:.2f} times as fast in the geometric mean; {cells} by more than 5 %"
    yield f"regret     {100 * tuning.regret:.1f} % beside the quickest algorithm of each cell, in simulation"
    before_s, after_s = tuning.program_s, tuning.program_tuned_s
    if before_s is not None and after_s is not None:
        yield f"program    {before_s / after_s:.3f} times as fast: {show_time(before_s)} without the rules, {show_time(after_s)} with them, simulated"
    if tuning.measurements:
        yield f"measured   {tuning.measurements} loops; all that there are would be {tuning.exhaustive}"
    else:
        yield f"measured   nothing: a search without simulation would measure {tuning.exhaustive} loops (--mpirun decides the closest)"


def _offers(offers: Offers) -> Iterator[str]:
    """Other algorithms, the largest gain first."""
    yield (
        f"In {len(offers.gains)} cells an algorithm that the library does not have is quicker by more than 10 %, simulated. "
        f"Only `orrery deploy` runs it:"
    )
    yield from _rules(offers.rows)
    case, gain = max(offers.gains.items(), key=lambda item: item[1])
    yield f"  the largest gain is {gain:.2f} times, of {case.test} of {show_bytes(case.bytes)} on {case.ranks:,} ranks"


def _checked(checked: CheckResult) -> Iterator[str]:
    """The least gains first: those that were taken out."""
    yield "on the real cluster, with the rules and without, interval of 95 %"
    for case, gain in sorted(checked.cells.items(), key=lambda item: item[1].low):
        fate = "" if case not in checked.fell else "; taken out" if gain.holds else "; does not hold: taken out"
        yield f"  {case.test:<12} {case.ranks:>6,} ranks {show_bytes(case.bytes):>10}  {_interval(gain)}{fate}"
    for case in checked.slower:
        yield (
            f"  {case.test:<12} {case.ranks:>6,} ranks {show_bytes(case.bytes):>10}  {_interval(checked.left[case])}; has no rule, but the "
            "settings name another choice than the library's own: all of its rules are taken out"
        )
    if checked.program is not None:
        yield f"  the program, with its start: {_interval(checked.program)}"


def _interval(gain: GainInterval) -> str:
    return f"{gain.gain:5.2f} times ({gain.low:.2f} to {gain.high:.2f})"


def _rules(rows: Iterable[RuleRow]) -> Iterator[str]:
    for row in rows:
        for band in row.bands:
            if band.variant is not None:
                yield f"  {row.kind:<12} {_ranks(row):<16} {_sizes(band):<24} {band.variant.ours}"


def _ranks(row: RuleRow) -> str:
    if row.ranks_to == MOST_RANKS:
        return f"{row.ranks_from:,} ranks or more"
    return (
        f"{row.ranks_from:,} ranks" if row.ranks_from == row.ranks_to else f"{row.ranks_from:,}-{row.ranks_to:,} ranks"
    )


def _sizes(band: SizeBand) -> str:
    if band.bytes_from == 0 and band.bytes_to == MOST_BYTES:
        return ""
    return f"{show_bytes(band.bytes_from)} to {show_bytes(band.bytes_to)}"


def _largest(cells: Sequence[TunedCell]) -> Iterator[str]:
    better = sorted((cell for cell in cells if cell.pays), key=lambda cell: -cell.gain)
    if not better:
        yield "no call gains more than 5 %"
        return
    yield "largest gains"
    for cell in better[:_MOST_LINES]:
        how, before_s, after_s = "simulated", cell.default_s, cell.chosen_s
        if cell.measured_default_s is not None and cell.measured_chosen_s is not None:
            how, before_s, after_s = "measured", cell.measured_default_s, cell.measured_chosen_s
        yield (
            f"  {cell.collective:<12} {cell.ranks:>6,} ranks {show_bytes(cell.bytes):>10}  {cell.gain:5.2f} times  "
            f"{show_time(before_s)} by {cell.default}, {show_time(after_s)} by {cell.chosen}, {how}"
        )
    if len(better) > _MOST_LINES:
        yield f"  and {len(better) - _MOST_LINES} more (--json)"
    yield ""
