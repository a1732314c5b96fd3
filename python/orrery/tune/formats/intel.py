# SPDX-License-Identifier: BSD-3-Clause
"""Rules as Intel MPI has them: environment variables `I_MPI_ADJUST_BCAST="1:0-1023;3:1024-2147483647"`.

As release 2021.18 acts (each was tried):

- The first range holds below its first size, too, and the last one above its last. So ranges begin at 0 and have no gaps.
- With numbers of processes ("1:0-1023@8-16"), sizes are ignored: the last range for such a number holds for all sizes. So a file has
  variables for each number of ranks, and is told which it is for.
- 0 is not what the library does without the variable, which has tables for processors and networks. So where rules leave a size to
  the library, the number is that of its own choice, as the file that tells its choices has it.
- What it cannot read it ignores, with a line on standard output.
- Sizes are bytes of the vector, or of one block, as `orrery collective -s` has them. There are none above 2,147,483,647.
- Its algorithms are right for operations that do not commute.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from orrery import _core
from orrery.collective.intel_numbers import NUMBERS, variable
from orrery.errors import InputError
from orrery.tune.library import Library
from orrery.tune.rules import RuleRow, SizeBand, TunedRules
from orrery.words import comment, shell

MOST_BYTES = 2**31 - 1
"""Ranges end there."""
_RANGE = re.compile(r"(\d+)(?::(\d+)-(\d+))?")


def variables(tuned: TunedRules, ranks: int) -> dict[str, str]:
    """Environment variables for communicators of so many ranks. Collectives without rules there have none."""
    found = {}
    for row in tuned.rows:
        if row.ranks_from <= ranks <= row.ranks_to:
            ranges = list(_merged(_ranges(tuned.library, row, ranks)))
            if len(ranges) == 1:
                found[variable(row.kind)] = str(ranges[0][0])
            else:
                found[variable(row.kind)] = ";".join(f"{number}:{low}-{high}" for number, low, high in ranges)
    return found


def script(tuned: TunedRules, name: str, comments: Sequence[str]) -> str:
    """The file, for a shell: sets the variables for as many ranks as it is told."""
    lines = [
        *map(comment, comments),
        f"# Load it in a shell, with the number of ranks of the communicators that are to be quicker: . ./{name} 16",
        "# Intel MPI takes either sizes or numbers of ranks from these variables, so they are set for one number.",
        'case "$1" in',
        f"  '' | *[!0-9]*) echo '{name}: expected a number of ranks: . ./{name} 16' >&2; return 2 2>/dev/null || exit 2 ;;",
        "esac",
    ]
    for low, high in _spans(tuned):
        lines.append(f'if [ "$1" -ge {low} ] && [ "$1" -le {high} ]; then')
        lines += [f"  export {name}={shell(value)}" for name, value in variables(tuned, low).items()]
        lines.append("fi")
    return "\n".join(lines) + "\n"


def read(file: Path, ranks: int) -> list[_core.NamedRule]:
    """What the file says for a number of ranks, as a shell and the library read it.

    Raises InputError: it says what the library would ignore.
    """
    done = subprocess.run(
        ["/bin/sh", "-c", '. "$0" "$1" && env', str(file.absolute()), str(ranks)],
        check=False,
        capture_output=True,
        text=True,
        env={},
    )
    if done.returncode:
        raise InputError(f"{file}: {done.stderr.strip() or f'exit code {done.returncode}'}")
    found = dict(line.partition("=")[::2] for line in done.stdout.splitlines())
    return [rule for kind in NUMBERS for rule in _rules(file, kind, found.get(variable(kind)))]


def _rules(file: Path, kind: str, value: str | None) -> Iterator[_core.NamedRule]:
    if value is None:
        return
    names = {number: name for name, number in NUMBERS[kind].items()}
    after = 0
    parts = value.split(";")
    for part in parts:
        said = _RANGE.fullmatch(part)
        follows = said is not None and (len(parts) == 1 if said[2] is None else int(said[2]) == after)
        if said is None or not follows or int(said[1]) not in names:
            raise InputError(f"{file}: {variable(kind)}: {part}: no range that follows the one before it")
        high = MOST_BYTES if said[3] is None else int(said[3])
        yield _core.NamedRule(kind, ranks=(1, 2**31 - 1), bytes=(after, high), algorithm=names[int(said[1])])
        after = high + 1


def _ranges(library: Library, row: RuleRow, ranks: int) -> Iterator[tuple[int, int, int]]:
    """Number, first and last size of each band, those of the library's own choice among them."""
    for band in row.bands:
        high = min(band.bytes_to, MOST_BYTES)
        if band.bytes_from > high:
            return
        if band.variant is not None:
            yield int(band.variant.name), band.bytes_from, high
        else:
            yield from _own(library, row.kind, ranks, band, high)


def _own(library: Library, kind: str, ranks: int, band: SizeBand, high: int) -> Iterator[tuple[int, int, int]]:
    first = band.bytes_from
    while first <= high:
        algorithm, last = library.own_choice(kind, ranks, first)
        yield NUMBERS[kind][algorithm], first, min(last, high)
        first = last + 1


def _merged(ranges: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    before: tuple[int, int, int] | None = None
    for entry in ranges:
        if before is not None and before[0] == entry[0]:
            before = (before[0], before[1], entry[2])
            continue
        if before is not None:
            yield before
        before = entry
    if before is not None:
        yield before


def _spans(tuned: TunedRules) -> list[tuple[int, int]]:
    """Numbers of ranks for which all rows, and the library's own choices, are the same: first and last."""
    starts = {row.ranks_from for row in tuned.rows} | {row.ranks_to + 1 for row in tuned.rows}
    kinds = {row.kind for row in tuned.rows}
    for rule in tuned.library.own:
        if rule.collective in kinds:
            starts |= {rule.min_ranks, rule.max_ranks + 1}
    spans = [(low, high - 1) for low, high in pairwise(sorted(starts))]
    return [(low, high) for low, high in spans if any(row.ranks_from <= low <= row.ranks_to for row in tuned.rows)]
