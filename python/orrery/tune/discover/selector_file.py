# SPDX-License-Identifier: BSD-3-Clause
"""What was discovered as rules that `--selector-rules` reads: few, each with how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isqrt

from orrery import marks
from orrery.experiment.mapping import describe_mapping
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.discover.infer import ANY, LibraryChoice
from orrery.tune.discover.session import Discovery
from orrery.units import show_bytes
from orrery.words import comment, toml

FILE = "selector-rules.toml"
_MOST_ALIKE = 4


@dataclass(frozen=True, kw_only=True)
class SelectorBand:
    """Neighbouring sizes with one choice; limits belong to it."""

    kind: str
    ranks_from: int
    ranks_to: int
    bytes_from: int
    bytes_to: int
    choices: tuple[LibraryChoice, ...]
    """At least one."""

    @property
    def algorithm(self) -> str:
        """As `--coll` has it."""
        return self.choices[0].algorithm

    @property
    def confidence(self) -> float:
        """Probability of the class, in the cell that is least sure."""
        return min(choice.confidence for choice in self.choices)

    @property
    def alike(self) -> list[str]:
        """Algorithms that cannot be told apart from it in any of the cells, the most probable first."""
        found = list(self.choices[0].alike)
        return [name for name in found if all(name in choice.alike for choice in self.choices)]


def bands_of(choices: Iterable[LibraryChoice]) -> list[SelectorBand]:
    """Rules: those for one number of ranks hold up to the next, the last for all that are larger; a limit between two sizes is their
    geometric mean.
    """
    ordered = sorted(choices, key=lambda choice: choice.observed.case)
    found = []
    for _, of_kind in groupby(ordered, key=lambda choice: choice.observed.case.test):
        lines = [list(line) for _, line in groupby(of_kind, key=lambda choice: choice.observed.case.ranks)]
        for number, line in enumerate(lines):
            ranks_from = 1 if number == 0 else line[0].observed.case.ranks
            last = number + 1 == len(lines)
            ranks_to = MOST_RANKS if last else lines[number + 1][0].observed.case.ranks - 1
            found += list(_bands(line, ranks_from, ranks_to))
    return found


def _bands(line: Sequence[LibraryChoice], ranks_from: int, ranks_to: int) -> Iterator[SelectorBand]:
    groups = [tuple(group) for _, group in groupby(line, key=lambda choice: choice.algorithm)]
    low = 0
    for number, group in enumerate(groups):
        last = number + 1 == len(groups)
        high = MOST_BYTES if last else isqrt(_bytes(group[-1]) * _bytes(groups[number + 1][0]))
        yield SelectorBand(
            kind=line[0].observed.case.test,
            ranks_from=ranks_from,
            ranks_to=ranks_to,
            bytes_from=low,
            bytes_to=high,
            choices=group,
        )
        low = high + 1


def _bytes(choice: LibraryChoice) -> int:
    return choice.observed.case.bytes


def text_of(discovery: Discovery) -> str:
    """The file."""
    choices = discovery.inferred.choices
    cases = [choice.observed.case for choice in choices]
    ranks = sorted({case.ranks for case in cases})
    sizes = sorted({case.bytes for case in cases if case.bytes})
    lines = [
        marks.COMMENT,
        comment(
            "Collective algorithms of an MPI, inferred from its times by orrery tune discover; for --selector-rules"
        ),
        comment(f"platform {discovery.platform}; ranks {describe_mapping(discovery.mapping)}"),
        comment(family(discovery.inferred.families)),
        f"# measured on {', '.join(map(str, ranks))} ranks; rules for one number hold up to the next, the last for all that are larger",
    ]
    if sizes:
        lines.append(
            f"# measured from {show_bytes(sizes[0])} to {show_bytes(sizes[-1])}; what is outside is taken to be as at the ends"
        )
    for band in bands_of(choices):
        lines += ["", *_rule(band)]
    return "\n".join(lines) + "\n"


def family(families: dict[str, float]) -> str:
    """What the times say of where the library comes from."""
    best = max(families, key=lambda name: families[name])
    if best == ANY:
        return f"its algorithms are not those of one library that is known ({100 * families[best]:.0f} %)"
    return f"its algorithms are among those of {best} ({100 * families[best]:.0f} %)"


def _rule(band: SelectorBand) -> Iterator[str]:
    yield f"# confidence {100 * band.confidence:.0f} %" + _alike(band)
    yield "[[rule]]"
    yield f"collective = {toml(band.kind)}"
    if band.ranks_from > 1:
        yield f"min_ranks = {band.ranks_from}"
    if band.ranks_to < MOST_RANKS:
        yield f"max_ranks = {band.ranks_to}"
    if band.bytes_from > 0:
        yield f"min_bytes = {band.bytes_from}"
    if band.bytes_to < MOST_BYTES:
        yield f"max_bytes = {band.bytes_to}"
    yield f"algorithm = {toml(band.algorithm)}"


def _alike(band: SelectorBand) -> str:
    """Names that it shares its times with."""
    names = band.alike
    if not names:
        return ""
    more = f" and {len(names) - _MOST_ALIKE} more" if len(names) > _MOST_ALIKE else ""
    return f", not told apart from {', '.join(names[:_MOST_ALIKE])}{more}"
