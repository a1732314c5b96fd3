# SPDX-License-Identifier: BSD-3-Clause
"""Files that were written say what the rules say: they are read as Orrery's selectors read such files, and asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orrery import _core
from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.collective.call import REDUCTIONS
from orrery.collective.rules_file import SelectorRules, read_rules
from orrery.errors import OrreryError
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.temporary import temporary_folder
from orrery.tune.files import ALGORITHMS, COMPOSITIONS, INTEL, RULES, RULES_6
from orrery.tune.formats import intel
from orrery.tune.formats.mpich_json import needs_numbers
from orrery.tune.rules import RuleRow, SizeBand, TunedRules

_DECIDING = (RULES, RULES_6, ALGORITHMS)
"""Files that name algorithms."""
_MOST_RANKS = 1 << 16
"""Calls of more are not looked at."""


def check(tuned: TunedRules, texts: Mapping[str, str]) -> None:
    """Read the files, and ask them for all limits of all rules. Raises OrreryError where one says something else."""
    if tuned.library.family == "intel":
        _check_intel(tuned, texts[INTEL])
        return
    read = {name: _read(name, text) for name, text in texts.items() if name in (*_DECIDING, COMPOSITIONS)}
    for name, rules in read.items():
        if name in _DECIDING:
            selector = tuned.library.selector(rules=rules)
            for case in cases_of(tuned.rows):
                _ask(name, case, selector, tuned)


def _check_intel(tuned: TunedRules, text: str) -> None:
    with temporary_folder() as folder:
        file = folder / INTEL
        file.write_text(text, encoding="utf-8")
        cases = [case for case in cases_of(tuned.rows) if case.bytes <= intel.MOST_BYTES]
        read = {ranks: SelectorRules(named=intel.read(file, ranks)) for ranks in {case.ranks for case in cases}}
    for case in cases:
        _ask(INTEL, case, tuned.library.selector(rules=read[case.ranks]), tuned)


def _read(name: str, text: str) -> SelectorRules:
    with temporary_folder() as folder:
        file = folder / name
        file.write_text(text, encoding="utf-8")
        return read_rules(file)


def cases_of(rows: Iterable[RuleRow]) -> Iterator[LoopCase]:
    """Both ends of all bands, on all numbers of ranks that were tuned, and on both sides of where a row ends."""
    for row in rows:
        around = {row.ranks_from - 1, row.ranks_to, row.ranks_to + 1} - {0, MOST_RANKS + 1}
        for ranks in sorted({*row.counts, *around}):
            for band in row.bands if ranks <= _MOST_RANKS else ():
                yield from (LoopCase(row.kind, ranks, size) for size in sizes_of(row.kind, band))


def sizes_of(kind: str, band: SizeBand) -> list[int]:
    """Sizes at its ends, as far as calls can have them."""
    if kind == "barrier":
        return [0]
    unit = NUMBER_BYTES if kind in REDUCTIONS else 1
    first = -(-band.bytes_from // unit) * unit
    last = band.bytes_to // unit * unit if band.bytes_to < MOST_BYTES else max(2 * first, unit)
    return sorted({first, last}) if first <= last else []


def expected(tuned: TunedRules, case: LoopCase) -> str:
    """What the rules say of a call on one rank of each node, as `--coll` has it; of the library's own decision what that is.

    Raises InputError where the algorithm does not serve the call.
    """
    variant = tuned.variant(*case)
    own = variant is None or (tuned.library.family == "mpich" and needs_numbers(variant, case))
    fixed = "" if own or variant is None else f"{case.test}={variant.ours}"
    return tuned.library.selector(fixed).choose(case.call.core(0)).name


def _ask(name: str, case: LoopCase, selector: _core.Selector, tuned: TunedRules) -> None:
    rows = [row for row in tuned.rows if row.kind == case.test and row.ranks_from <= case.ranks <= row.ranks_to]
    if any(case.ranks not in row.counts for row in rows):
        return  # between two numbers that were tuned limits may be others, and algorithms may not serve
    wanted = expected(tuned, case)
    said = selector.choose(case.call.core(0)).name
    if said != wanted:
        raise OrreryError(
            f"{name}: says {said} for {case.test}, {case.ranks} ranks, {case.bytes} bytes, where the rules say {wanted}; "
            "this is a mistake of Orrery's"
        )
