# SPDX-License-Identifier: BSD-3-Clause
"""What a search for a placement found, as text."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.placement.meta import ClusterChoice
from orrery.placement.result import CandidateMapping, PlacementGain, PlacementOutcome
from orrery.units import show_bytes, show_time

_LEVELS = {
    "inside_node": "inside nodes",
    "between_nodes": "between nodes",
    "between_cabinets": "between cabinets",
    "between_clusters": "between clusters",
    "between_sites": "between sites",
}


def text(placed: PlacementOutcome) -> str:
    """What was looked at, and what the best of it gains."""
    lines = [
        (
            "matrix",
            f"{placed.source}: {placed.ranks:,} ranks, {placed.messages:,.0f} messages, {show_bytes(placed.bytes)}",
        ),
        ("platform", f"{placed.platform}, model {placed.model}"),
        ("best", _best(placed)),
    ]
    if placed.gain is not None:
        lines.append(("gain", _gain(placed.gain)))
    lines += [("caution", said) for said in placed.cautions]
    head = "".join(f"{what:<10}{value}\n" for what, value in lines)
    return f"{head}\n{_table(placed)}"


def _best(placed: PlacementOutcome) -> str:
    if placed.kept:
        return "the given mapping; no other is better, so keep it"
    start = f", from {placed.best.start}" if placed.best.start else ""
    return f"{placed.best.name}{start}"


def _gain(gain: PlacementGain) -> str:
    if gain.low == gain.high:
        return f"{gain.median:.1%} less simulated time than the given mapping"
    return f"{gain.median:.1%} less simulated time than the given mapping, {gain.low:.1%} to {gain.high:.1%}"


def _table(placed: PlacementOutcome) -> str:
    names = list(placed.given.level_bytes)
    head = ["mapping", "simulated", "cost", *(_LEVELS[name] for name in names)]
    rows = [head, *(_row(tried, names) for tried in placed.tried)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        + "\n"
        for row in rows
    )


def _row(tried: CandidateMapping, names: Sequence[str]) -> list[str]:
    simulated = "-" if tried.simulated_s is None else show_time(tried.simulated_s)
    name = tried.name if tried.fits else f"{tried.name} (not for these groups)"
    return [name, simulated, show_time(tried.cost_s), *(show_bytes(tried.level_bytes[name]) for name in names)]


def choice_text(choice: ClusterChoice) -> str:
    """Where groups go, a line each."""
    price = f", {choice.price_per_hour:g} for an hour" if choice.price_per_hour else ""
    clusters = f"{len(choice.clusters)} cluster{'s' if len(choice.clusters) != 1 else ''}"
    lines = [f"{clusters}, start in {show_time(choice.starts_in_s)}{price}"]
    width = max(len(group.group) for group in choice.groups)
    lines += [
        f"{group.group:<{width}}  {group.ranks:,} ranks on {group.nodes:,} nodes of {group.cluster}"
        for group in choice.groups
    ]
    return "".join(f"{line}\n" for line in [*lines, *(f"caution: {said}" for said in choice.cautions)])
