# SPDX-License-Identifier: BSD-3-Clause
"""What an upgrade of an MPI library changes, as text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby

from orrery.tune.cliffs import Cliff
from orrery.tune.upgrade import Change, Upgrade
from orrery.units import show_bytes, show_difference, show_time

_MOST_LINES = 40
_GAP = "  "


def text(found: Upgrade) -> str:
    """The sentence, calls that change, cliffs, and limits."""
    lines = [found.sentence]
    if found.changes:
        rows = _changes_of_program(found) if found.program else _changes_of_sizes(found)
        lines += ["", "Calls that change", *_table(rows)]
    lines += ["", *_cliffs(found)]
    if found.missing:
        lines += ["", f"interrupted: {found.missing:,} calls and jumps were not timed"]
    lines += [f"caution: {caution}" for caution in found.cautions]
    return "\n".join(lines) + "\n"


def _changes_of_program(found: Upgrade) -> list[list[str]]:
    rows = [["call", "ranks", "calls", found.first, found.second, "before", "after", "over the run", "in 9 of 10 cases",
             "verdict"]]  # fmt: skip
    for change in found.changes:
        range_ = "" if change.low_s is None else " to ".join(map(show_difference, change.run_range_s))
        rows.append([f"{change.collective}{_sizes([change.bytes])}", _ranks(change), f"{change.calls:,}",
                     *_algorithms(change), show_time(change.first_s), show_time(change.second_s),
                     show_difference(change.run_s or 0.0), range_, change.verdict])  # fmt: skip
    return rows


def _changes_of_sizes(found: Upgrade) -> list[list[str]]:
    rows = [["call", "ranks", found.first, found.second, "time after / before", "verdict"]]
    for _, alike in groupby(
        found.changes, lambda change: (change.collective, _ranks(change), _algorithms(change), change.verdict)
    ):
        group = list(alike)
        name = f"{group[0].collective}{_sizes([change.bytes for change in group])}"
        ratio = _span([change.second_s / change.first_s for change in group], lambda value: f"{value:.2f}")
        rows.append([name, _ranks(group[0]), *_algorithms(group[0]), ratio, group[0].verdict])
    return rows


def _cliffs(found: Upgrade) -> list[str]:
    around = "around the program's calls" if found.program else "at these sizes, and up to so many ranks"
    if not found.cliffs:
        return [f"No cliffs {around}: neighbours that take more than twice as long by another algorithm."]
    rows = [["call", "at", "before", "after", "times", "factor", "by the other", "release"]]
    if found.program:
        rows[0] += ["calls", "the program is", "at stake"]
    for group in _groups(found.cliffs):
        steepest = max(group, key=lambda cliff: cliff.factor)
        release = "both" if len(steepest.releases) > 1 else steepest.releases[0]
        other = "does not serve it" if steepest.other_s is None else show_time(steepest.other_s)
        row = [f"{steepest.collective}{_across(group)}", _at(steepest), steepest.before.algorithm, steepest.after.algorithm,
               f"{show_time(steepest.before.time_s)}, {show_time(steepest.after.time_s)}", f"{steepest.factor:.1f}",
               other, release]  # fmt: skip
        rows.append(row + (_beside(steepest) if found.program else []))
    return [f"Cliffs of {found.first} and {found.second} {around}", *_table(rows)]


def _alike(cliff: Cliff) -> Hashable:
    at = cliff.before.ranks if cliff.along == "ranks" else cliff.before.bytes
    return cliff.collective, cliff.along, at, cliff.releases, cliff.slow is cliff.after, cliff.use


def _across(group: Sequence[Cliff]) -> str:
    """What they have beside what jumps: sizes, or ranks; and how many of them."""
    if group[0].along == "ranks":
        shown = _sizes([cliff.before.bytes for cliff in group])
    else:
        shown = " " + _span([cliff.before.ranks for cliff in group], lambda ranks: f"{ranks:,}") + " ranks"
    return shown if len(group) < 3 else f"{shown} ({len(group)})"


def _at(cliff: Cliff) -> str:
    if cliff.along == "ranks":
        return f"{cliff.before.ranks:,} to {cliff.after.ranks:,} ranks"
    return f"{cliff.before.bytes:,} to {cliff.after.bytes:,} B"


def _beside(cliff: Cliff) -> list[str]:
    near = cliff.program
    if near is None:
        return ["", "", ""]
    side = "slow" if near.on_the_slow_side else "quick"
    unit = "B" if cliff.along == "bytes" else "rank" if near.distance == 1 else "ranks"
    return [f"{near.calls:,}", f"on the {side} side by {near.distance:,} {unit}", show_time(near.at_stake_s)]


def _groups(cliffs: Iterable[Cliff]) -> list[list[Cliff]]:
    """Those at the same place that differ in size, or in ranks; in the order of the first of each."""
    groups: dict[Hashable, list[Cliff]] = {}
    for cliff in cliffs:
        groups.setdefault(_alike(cliff), []).append(cliff)
    return list(groups.values())


def _span(values: Sequence[float], shown: Callable[[float], str]) -> str:
    low, high = min(values), max(values)
    return shown(low) if shown(low) == shown(high) else f"{shown(low)} to {shown(high)}"


def _sizes(sizes: Sequence[int]) -> str:
    """A barrier has none."""
    return "" if max(sizes) == 0 else f" {_span(sizes, show_bytes)}"


def _ranks(change: Change) -> str:
    times = change.communicators
    return f"{change.ranks:,}" if times == 1 else f"{times:,} x {change.ranks:,}"


def _algorithms(change: Change) -> tuple[str, str]:
    return change.first, change.second if change.first != change.second else f"{change.second}, of other calls"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    shown = rows[: _MOST_LINES + 1]
    lines = [_GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown]
    return lines if len(rows) == len(shown) else [*lines, f"and {len(rows) - len(shown):,} more; --json has all"]
