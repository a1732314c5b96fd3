# SPDX-License-Identifier: BSD-3-Clause
"""Two runs compared, or several of each, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from orrery.comparison.runs_result import GroupLine, RunsCompared
from orrery.comparison.sample import RunSample
from orrery.terminal import visible
from orrery.units import show_bytes, show_time

_MOST_LINES = 12
_FEWER_LINES = 8
_RANKS = "rank: time in MPI"
_NOISE = {"within noise": "within noise", "unknown": "", "apart": "", "equal": "equal"}


def text(found: RunsCompared, *, per_rank: bool = False) -> str:
    """The verdict, both sides, what differs in settings, and tables of what makes the difference.

    Args:
        found: the comparison.
        per_rank: all ranks, not only those that differ most.
    """
    turns = found.turns.said() if found.turns else ""
    parts = ["".join(f"{line}\n" for line in (found.sentence, visible(turns)) if line), _facts(found)]
    for title, lines, most in tables(found):
        parts.append(_table(title, lines, len(lines) if per_rank and title == _RANKS else most))
    return "\n".join(part for part in parts if part)


def tables(found: RunsCompared) -> Iterator[tuple[str, list[GroupLine], int]]:
    """Titles, lines with names for people, and how many are shown at first."""
    named = [
        ("routine, mean per rank", found.routines, _MOST_LINES),
        ("routine and cause", found.causes, _FEWER_LINES),
        (_RANKS, found.per_rank, _FEWER_LINES),
        ("routine and size", found.sizes, _FEWER_LINES),
        (
            "routine and communicator",
            found.comms if len({line.names[-1] for line in found.comms}) > 1 else [],
            _FEWER_LINES,
        ),
        ("routine and call site", found.sites, _FEWER_LINES),
    ]
    for title, lines, most in named:
        kept = [line for line in lines if line.first_s > 0 or line.second_s > 0]
        if kept:
            yield title, kept, most


def name_of(title: str, line: GroupLine) -> str:
    """Name of a line in the table with this title."""
    first, *rest = line.names
    if title == "routine and size":
        size = int(rest[0])
        return f"{first} {'without bytes' if size == 0 else f'up to {show_bytes(size)}'}"
    if title == "routine and communicator":
        return f"{first} in {'MPI_COMM_WORLD' if rest[0] == '0' else f'communicator {rest[0]}'}"
    return f"{first}: {rest[0]}" if rest else first


def facts(found: RunsCompared) -> list[tuple[str, str]]:
    """Both sides, settings that differ, how calls were aligned, and cautions."""
    said = [(name, _side(side)) for name, side in zip(found.names, (found.first, found.second), strict=True)]
    said += [
        (
            name,
            f"{'unknown' if first is None else first or 'none'} / {'unknown' if second is None else second or 'none'}",
        )
        for name, (first, second) in found.settings.items()
    ]
    if found.aligned is not None:
        calls = sum(map(len, found.first[0].calls or []))
        said.append(("aligned", f"{found.aligned.calls:,} of {calls:,} calls, by {found.aligned.by}"))
        for name, alone in zip(found.names, found.aligned.alone, strict=True):
            if alone:
                said.append(("no partner", f"{name}: {_alone(alone)}"))
    return said


def ranks(found: RunsCompared) -> str:
    """The time of each rank in MPI, as a table; empty where it is not known."""
    return _table(_RANKS, found.per_rank, len(found.per_rank)) if found.per_rank else ""


def _facts(found: RunsCompared) -> str:
    said = [*facts(found), *(("caution", caution) for caution in found.cautions)]
    width = max(len(name) for name, _ in said)
    return "".join(f"{name:<{width}}  {visible(value)}\n" for name, value in said)


def _side(side: Sequence[RunSample]) -> str:
    times = [sample.timed.time_s for sample in side]
    ranks = sorted({sample.ranks for sample in side})
    nodes = {len(set(sample.hosts)) for sample in side if sample.hosts}
    said = show_time(median(times))
    if len(times) > 1:
        said += f" (median of {len(times)} runs, {show_time(min(times))} to {show_time(max(times))})"
    said += f", {' and '.join(f'{number:,}' for number in ranks)} rank{'s' if ranks != [1] else ''}"
    if len(nodes) == 1:
        number = nodes.pop()
        said += f" on {number:,} host{'s' if number > 1 else ''}"
    return f"{said}, {side[0].clock}"


def _alone(alone: dict[str, int]) -> str:
    largest = sorted(alone.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{count:,} {name}" for name, count in largest[:4])
    return f"{listed} and {len(largest) - 4} more routines" if len(largest) > 4 else listed


def _table(title: str, lines: Sequence[GroupLine], most: int) -> str:
    rows = [[title, "first", "second", "difference", "95 %", ""]]
    for line in lines[:most]:
        change = f"{'+' if line.change_s > 0 else ''}{show_time(line.change_s)}"
        known = line.low_s is not None and line.high_s is not None and line.low_s != line.high_s
        reach = f"{show_time(line.low_s or 0)} to {show_time(line.high_s or 0)}" if known else ""
        rows.append(
            [
                name_of(title, line),
                show_time(line.first_s),
                show_time(line.second_s),
                change,
                reach,
                _NOISE[line.verdict],
            ]
        )
    if not any(row[4] for row in rows[1:]):
        rows = [[*row[:4], row[5]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    out = []
    for first, *numbers, said in rows:
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
        out.append("  ".join([first.ljust(widths[0]), *cells, said]).rstrip() + "\n")
    if len(lines) > most:
        out.append(f"and {len(lines) - most:,} more\n")
    return "".join(out)
