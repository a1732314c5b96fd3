# SPDX-License-Identifier: BSD-3-Clause
"""What an upgrade of an MPI library changes, as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby
from typing import Any, TypedDict

from orrery.experiment.mapping import describe_mapping
from orrery.tune.cliffs import Along, Cliff, CliffEdge
from orrery.tune.upgrade import Change, Upgrade, Verdict
from orrery.units import show_bytes, show_time

_MOST_LINES = 40
_GAP = "  "


class ChangeJson(TypedDict):
    """Calls that run another algorithm after the upgrade; null where there is no program, or no evidence."""

    collective: str
    ranks: int
    bytes: int
    """As `orrery collective --size` has it."""
    first: str
    """Algorithm before, as `--coll` takes it."""
    second: str
    """Algorithm after. Where both are the same, the calls that it is made of differ."""
    first_s: float
    """Time of one call."""
    second_s: float
    difference_s: float
    """`second_s` less `first_s`: above 0 a loss."""
    low_s: float | None
    """In 9 of 10 cases the difference is above this."""
    high_s: float | None
    """And below this."""
    verdict: Verdict
    """`no difference`: less than 2 % or than noise; `not sure`: between `low_s` and `high_s` is 0."""
    calls: int | None
    """Calls of the rank of the program that makes most."""
    communicators: int
    """Communicators of the program that make such calls."""
    run_s: float | None
    """What a run takes more by these calls; 0 where there is no difference."""


class EdgeJson(TypedDict):
    """One side of a cliff."""

    ranks: int
    bytes: int
    algorithm: str
    time_s: float


class CliffJson(TypedDict):
    """Two neighbouring sizes or numbers of ranks where the algorithm changes, and the time more than doubles or halves."""

    collective: str
    along: Along
    """What differs by one: `bytes` (by an element of a reduction) or `ranks`."""
    releases: list[str]
    """That have it."""
    before: EdgeJson
    after: EdgeJson
    factor: float
    """How many times as long the slow side takes."""
    other_s: float | None
    """What the slow side would take by the algorithm of the quick one; null: that one does not serve the call."""
    program: CliffDistanceJson | None


class CliffDistanceJson(TypedDict):
    """Where a program is, beside a cliff."""

    ranks: int
    bytes: int
    calls: int
    distance: int
    """Bytes, or ranks, to the other side."""
    on_the_slow_side: bool
    at_stake_s: float
    """Between both sides, over a run."""


class UpgradeJson(TypedDict):
    """What `orrery tune upgrade` found; times in seconds."""

    sentence: str
    platform: str
    source: str
    """Where the platform's parameters come from."""
    calibration: dict[str, Any] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; null: there is none."""
    model: str
    mapping: str
    first: str
    second: str
    program: str | None
    """Trace."""
    compared: int
    """Calls that were compared."""
    different: int
    """Calls among these that run another algorithm: those of `changes`, and those that Ctrl-C kept from being timed."""
    changes: list[ChangeJson]
    run_s: float | None
    """What a run of the program takes more, or less; null: there is no program."""
    run_low_s: float | None
    """`run_s`, if all differences were at the lower end of their range."""
    run_high_s: float | None
    cliffs: list[CliffJson]
    missing: int
    """Calls and jumps that Ctrl-C kept from being timed."""
    cautions: list[str]
    """Limits of the results, a sentence each."""


def as_json(found: Upgrade) -> UpgradeJson:
    """All of it."""
    low_s, high_s = found.run_range_s
    return {
        "sentence": sentence(found),
        "platform": found.platform,
        "source": found.source,
        "calibration": found.calibration,
        "model": found.model,
        "mapping": found.mapping,
        "first": found.names[0],
        "second": found.names[1],
        "program": found.program or None,
        "compared": found.compared,
        "different": found.different,
        "changes": [_change(change) for change in found.changes],
        "run_s": found.run_s if found.program else None,
        "run_low_s": low_s if found.program else None,
        "run_high_s": high_s if found.program else None,
        "cliffs": [_cliff(cliff) for cliff in found.cliffs],
        "missing": found.missing,
        "cautions": found.cautions,
    }


def _change(change: Change) -> ChangeJson:
    call = change.use.placed.call
    low_s, high_s = change.range_s or (None, None)
    return {
        "collective": call.kind,
        "ranks": call.ranks,
        "bytes": call.size,
        "first": change.names[0],
        "second": change.names[1],
        "first_s": change.times[0].time_s,
        "second_s": change.times[1].time_s,
        "difference_s": change.difference_s,
        "low_s": low_s,
        "high_s": high_s,
        "verdict": change.verdict,
        "calls": change.use.calls,
        "communicators": change.use.communicators,
        "run_s": None if change.use.calls is None else change.run_s,
    }


def _cliff(cliff: Cliff) -> CliffJson:
    return {
        "collective": cliff.kind,
        "along": cliff.along,
        "releases": list(cliff.releases),
        "before": _edge(cliff.before),
        "after": _edge(cliff.after),
        "factor": cliff.factor,
        "other_s": cliff.other_s,
        "program": _near(cliff),
    }


def _edge(edge: CliffEdge) -> EdgeJson:
    return {"ranks": edge.ranks, "bytes": edge.bytes, "algorithm": edge.algorithm, "time_s": edge.time_s}


def _near(cliff: Cliff) -> CliffDistanceJson | None:
    if cliff.use is None or cliff.use.calls is None:
        return None
    call = cliff.use.placed.call
    return {
        "ranks": call.ranks,
        "bytes": call.size,
        "calls": cliff.use.calls,
        "distance": cliff.distance,
        "on_the_slow_side": bool(cliff.on_the_slow_side),
        "at_stake_s": cliff.at_stake_s or 0.0,
    }


def sentence(found: Upgrade) -> str:
    """How many calls change their algorithm, and what that comes to."""
    first, second = found.names
    of = f"of {found.compared:,} {'kinds of calls' if found.program else 'calls'}"
    place = f"on {found.platform}, ranks {describe_mapping(found.mapping)}"
    if not found.different:
        said = f"{first} and {second} choose the same algorithms in all {of} {place}"
    else:
        run = " run" if found.different != 1 else " runs"
        timed = f", {len(found.changes):,} of them timed" if len(found.changes) < found.different else ""
        said = f"From {first} to {second} {place}: {found.different:,} {of}{run} another algorithm{timed}"
    if found.program and found.changes:
        low_s, high_s = found.run_range_s
        more = "more" if found.run_s > 0 else "less"
        said += f"; {found.program} takes {show_time(abs(found.run_s))} {more} ({_signed(low_s)} to {_signed(high_s)})"
    elif found.changes:
        said += f": {_counted(found.changes)}"
    return f"{said}."


def _counted(changes: Sequence[Change]) -> str:
    words: dict[Verdict, str] = {"gain": "quicker", "loss": "slower", "not sure": "not sure", "no difference": "alike"}
    counts = {word: sum(change.verdict == verdict for change in changes) for verdict, word in words.items()}
    return ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)


def text(found: Upgrade) -> str:
    """The sentence, calls that change, cliffs, and limits."""
    lines = [sentence(found)]
    if found.changes:
        rows = _changes_of_program(found) if found.program else _changes_of_sizes(found)
        lines += ["", "Calls that change", *_table(rows)]
    lines += ["", *_cliffs(found)]
    if found.missing:
        lines += ["", f"interrupted: {found.missing:,} calls and jumps were not timed"]
    lines += [f"caution: {caution}" for caution in found.cautions]
    return "\n".join(lines) + "\n"


def _changes_of_program(found: Upgrade) -> list[list[str]]:
    rows = [["call", "ranks", "calls", *found.names, "before", "after", "over the run", "in 9 of 10 cases", "verdict"]]
    for change in found.changes:
        low_s, high_s = change.run_range_s
        range_ = f"{_signed(low_s)} to {_signed(high_s)}" if change.range_s else ""
        rows.append([_named(change), _ranks(change), f"{change.use.calls:,}", *_algorithms(change.names),
                     *_times(change), _signed(change.run_s), range_, change.verdict])  # fmt: skip
    return rows


def _changes_of_sizes(found: Upgrade) -> list[list[str]]:
    rows = [["call", "ranks", *found.names, "time after / before", "verdict"]]
    for _, alike in groupby(
        found.changes, lambda change: (_kind(change), _ranks(change), change.names, change.verdict)
    ):
        group = list(alike)
        ratios = [change.times[1].time_s / change.times[0].time_s for change in group]
        sizes = _sizes([change.use.placed.call.size for change in group])
        ratio = _span(ratios, lambda value: f"{value:.2f}")
        rows.append([f"{_kind(group[0])}{sizes}", _ranks(group[0]), *_algorithms(group[0].names), ratio, group[0].verdict])  # fmt: skip
    return rows


def _cliffs(found: Upgrade) -> list[str]:
    first, second = found.names
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
        row = [f"{steepest.kind}{_across(group)}", _at(steepest), steepest.before.algorithm, steepest.after.algorithm,
               f"{show_time(steepest.before.time_s)}, {show_time(steepest.after.time_s)}", f"{steepest.factor:.1f}",
               other, release]  # fmt: skip
        rows.append(row + (_beside(steepest) if found.program else []))
    return [f"Cliffs of {first} and {second} {around}", *_table(rows)]


def _alike(cliff: Cliff) -> Hashable:
    at = cliff.before.ranks if cliff.along == "ranks" else cliff.before.bytes
    return cliff.kind, cliff.along, at, cliff.releases, cliff.slow is cliff.after, cliff.use


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
    if cliff.use is None or cliff.use.calls is None:
        return ["", "", ""]
    side = "slow" if cliff.on_the_slow_side else "quick"
    unit = "B" if cliff.along == "bytes" else "rank" if cliff.distance == 1 else "ranks"
    return [
        f"{cliff.use.calls:,}",
        f"on the {side} side by {cliff.distance:,} {unit}",
        show_time(cliff.at_stake_s or 0.0),
    ]


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


def _kind(change: Change) -> str:
    return change.use.placed.call.kind


def _named(change: Change) -> str:
    return f"{_kind(change)}{_sizes([change.use.placed.call.size])}"


def _ranks(change: Change) -> str:
    ranks, times = f"{change.use.placed.call.ranks:,}", change.use.communicators
    return ranks if times == 1 else f"{times:,} x {ranks}"


def _algorithms(names: tuple[str, str]) -> tuple[str, str]:
    return names if names[0] != names[1] else (names[0], f"{names[1]}, of other calls")


def _times(change: Change) -> list[str]:
    return [show_time(taken.time_s) for taken in change.times]


def _signed(seconds: float) -> str:
    return f"+{show_time(seconds)}" if seconds > 0 else show_time(seconds)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    shown = rows[: _MOST_LINES + 1]
    lines = [_GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown]
    return lines if len(rows) == len(shown) else [*lines, f"and {len(rows) - len(shown):,} more; --json has all"]
