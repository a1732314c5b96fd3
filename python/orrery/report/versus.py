# SPDX-License-Identifier: BSD-3-Clause
"""Collectives against equivalent point-to-point messages, as tables."""

from __future__ import annotations

from itertools import groupby
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table

from orrery.collective.versus import SendsStudy
from orrery.experiment.mapping import describe_mapping
from orrery.terminal import visible_lines
from orrery.units import show_bytes, show_time

_FILE_WIDTH = 120


def write_versus(found: SendsStudy, file: TextIO) -> None:
    """Write the head, then a table for each collective and number of ranks, with its scenario above."""
    console = Console(file=file, width=None if file.isatty() else _FILE_WIDTH, highlight=False)
    after = " and a barrier" if found.barrier else ""
    lines = [
        ("platform", f"{found.platform}, ranks {describe_mapping(found.mapping)}"),
        ("parameters", found.source or "of unknown origin"),
        ("model", f"{found.model}; collectives: selector {found.selector}"),
        ("compared", f"the collective{after} with as many sends as do the same, one after the other"),
    ]
    for what, value in lines:
        console.print(visible_lines(f"{what:<11} {value}"), markup=False, soft_wrap=True)
    by_call = sorted(
        found.comparisons, key=lambda comparison: (comparison.call.kind, comparison.call.ranks, comparison.call.size)
    )
    groups = groupby(by_call, key=lambda comparison: (comparison.call.kind, comparison.call.ranks))
    for ((kind, ranks), group), scenario in zip(groups, found.scenarios, strict=True):
        console.print(visible_lines(f"\n{kind}, {ranks:,} ranks: {scenario.words}"), markup=False, soft_wrap=True)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for column in ("size", "collective", "sends", "time of sends", "ratio", ""):
            table.add_column(column, justify="right")
        table.add_column("algorithm")
        for comparison in group:
            table.add_row(
                show_bytes(comparison.call.size),
                show_time(comparison.collective_s),
                f"{comparison.sends:,}",
                show_time(comparison.sends_s),
                f"{comparison.collective_s / comparison.sends_s:.3g}" if comparison.sends_s > 0 else "-",
                comparison.side,
                comparison.algorithm,
            )
        console.print(table)
