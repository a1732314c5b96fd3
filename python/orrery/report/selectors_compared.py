# SPDX-License-Identifier: BSD-3-Clause
"""Two selectors compared, as text and as JSON."""

from __future__ import annotations

from typing import TypedDict

from orrery.comparison.selectors import ChoicePair, SelectorsCompared
from orrery.units import show_bytes, show_time

_MOST_LINES = 20


def sentence(found: SelectorsCompared) -> str:
    """In how many calls they choose otherwise, and what that comes to."""
    first, second = found.names
    number, different = len(found.choices), len(found.different)
    if not different:
        return f"{first} and {second} choose the same algorithms in all of {number:,} calls."
    first_faster, second_faster = found.faster
    said = f"{first} and {second} choose other algorithms in {different:,} of {number:,} calls on {found.platform}"
    return (
        f"{said}: {second} is faster in {second_faster:,} and slower in {first_faster:,}, and takes "
        f"{found.ratio:.3g} times as long in the geometric mean of all."
    )


def text(found: SelectorsCompared) -> str:
    """The sentence, and the calls in which their choices differ, the largest ratio first."""
    lines = [sentence(found)]
    if found.different:
        rows = [["call", "ranks", found.names[0], found.names[1], "first", "second", "ratio"]]
        rows += [_row(choice) for choice in found.different[:_MOST_LINES]]
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines.append("")
        for call, ranks, first, second, *times in rows:
            left = [call.ljust(widths[0]), ranks.rjust(widths[1]), first.ljust(widths[2]), second.ljust(widths[3])]
            right = [time.rjust(width) for time, width in zip(times, widths[4:], strict=True)]
            lines.append("  ".join([*left, *right]).rstrip())
        if len(found.different) > _MOST_LINES:
            lines.append(f"and {len(found.different) - _MOST_LINES:,} more; --json has all")
    if len(found.choices) < found.asked:
        lines += ["", f"interrupted: {found.asked - len(found.choices):,} of {found.asked:,} calls are missing"]
    lines += [f"caution: {caution}" for caution in found.cautions]
    return "\n".join(lines) + "\n"


class SelectorCallJson(TypedDict):
    """One call, by both selectors."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective --size` has it."""
    first: str
    """Algorithm, as `--coll` takes it."""
    second: str
    first_s: float
    second_s: float
    ratio: float
    """Ratio of the second time to the first."""


class SelectorsJson(TypedDict):
    """Two selectors on the same calls."""

    sentence: str
    platform: str
    mapping: str
    first: str
    second: str
    ratio: float
    """Geometric mean over all calls."""
    calls: list[SelectorCallJson]
    missing: int
    """Calls that Ctrl-C kept from being simulated."""
    cautions: list[str]
    """On rules that are not obeyed as they are written, or fit no call, a sentence each."""


def as_json(found: SelectorsCompared) -> SelectorsJson:
    """All calls; times in seconds."""
    return {
        "sentence": sentence(found),
        "platform": found.platform,
        "mapping": found.mapping,
        "first": found.names[0],
        "second": found.names[1],
        "ratio": found.ratio,
        "calls": [
            {
                "collective": choice.call.kind,
                "ranks": choice.call.ranks,
                "bytes": choice.call.size,
                "first": choice.first.name,
                "second": choice.second.name,
                "first_s": choice.first.time_s,
                "second_s": choice.second.time_s,
                "ratio": choice.ratio,
            }
            for choice in found.choices
        ],
        "missing": found.asked - len(found.choices),
        "cautions": found.cautions,
    }


def _row(choice: ChoicePair) -> list[str]:
    return [
        f"{choice.call.kind} {show_bytes(choice.call.size)}",
        f"{choice.call.ranks:,}",
        choice.first.name,
        choice.second.name,
        show_time(choice.first.time_s),
        show_time(choice.second.time_s),
        f"{choice.ratio:.3g}",
    ]
