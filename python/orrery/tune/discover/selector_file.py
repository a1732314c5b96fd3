# SPDX-License-Identifier: BSD-3-Clause
"""What was discovered as rules that `--selector-rules` reads: few, each with how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isqrt

from orrery import marks
from orrery.experiment.mapping import describe_mapping
from orrery.published import UNWRITTEN, published
from orrery.tune.discover.infer import ANY, LibraryChoice
from orrery.tune.discover.session import Discovery
from orrery.units import show_bytes
from orrery.words import comment, toml

FILE = "selector-rules.toml"
_MOST_ALIKE = 4


@dataclass(frozen=True, kw_only=True)
class SelectorBand:
    """One rule: neighbouring sizes with one choice. Limits are included; null: there is none."""

    collective: str
    min_ranks: int
    max_ranks: int | None
    min_bytes: int
    max_bytes: int | None
    choices: tuple[LibraryChoice, ...] = field(metadata=UNWRITTEN)
    """At least one."""

    @property
    @published
    def algorithm(self) -> str:
        """As `--coll` has it."""
        return self.choices[0].algorithm

    @property
    @published
    def confidence(self) -> float:
        """Probability of it and those alike, in the cell that is least sure."""
        return min(choice.confidence for choice in self.choices)

    @property
    def alike(self) -> list[str]:
        """Algorithms that cannot be told apart from it in any of the cells, the most probable first."""
        found = [[other.algorithm for other in choice.alike] for choice in self.choices]
        return [name for name in found[0] if all(name in names for names in found)]


def bands_of(choices: Iterable[LibraryChoice]) -> list[SelectorBand]:
    """Rules: those for one number of ranks hold up to the next, the last for all that are larger; a limit between two sizes is their
    geometric mean.
    """
    ordered = sorted(choices, key=lambda choice: choice.observed.case)
    found = []
    for _, of_kind in groupby(ordered, key=lambda choice: choice.observed.collective):
        lines = [list(line) for _, line in groupby(of_kind, key=lambda choice: choice.observed.ranks)]
        for number, line in enumerate(lines):
            min_ranks = 1 if number == 0 else line[0].observed.ranks
            last = number + 1 == len(lines)
            found += list(_bands(line, min_ranks, None if last else lines[number + 1][0].observed.ranks - 1))
    return found


def _bands(line: Sequence[LibraryChoice], min_ranks: int, max_ranks: int | None) -> Iterator[SelectorBand]:
    groups = [tuple(group) for _, group in groupby(line, key=lambda choice: choice.algorithm)]
    low = 0
    for number, group in enumerate(groups):
        last = number + 1 == len(groups)
        high = None if last else isqrt(group[-1].observed.bytes * groups[number + 1][0].observed.bytes)
        yield SelectorBand(
            collective=line[0].observed.collective,
            min_ranks=min_ranks,
            max_ranks=max_ranks,
            min_bytes=low,
            max_bytes=high,
            choices=group,
        )
        if high is not None:
            low = high + 1


def text_of(discovery: Discovery) -> str:
    """The file."""
    choices = discovery.inferred.choices
    ranks = sorted({choice.observed.ranks for choice in choices})
    sizes = sorted({choice.observed.bytes for choice in choices if choice.observed.bytes})
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
    yield f"collective = {toml(band.collective)}"
    if band.min_ranks > 1:
        yield f"min_ranks = {band.min_ranks}"
    if band.max_ranks is not None:
        yield f"max_ranks = {band.max_ranks}"
    if band.min_bytes > 0:
        yield f"min_bytes = {band.min_bytes}"
    if band.max_bytes is not None:
        yield f"max_bytes = {band.max_bytes}"
    yield f"algorithm = {toml(band.algorithm)}"


def _alike(band: SelectorBand) -> str:
    """Names that it shares its times with."""
    names = band.alike
    if not names:
        return ""
    more = f" and {len(names) - _MOST_ALIKE} more" if len(names) > _MOST_ALIKE else ""
    return f", not told apart from {', '.join(names[:_MOST_ALIKE])}{more}"
