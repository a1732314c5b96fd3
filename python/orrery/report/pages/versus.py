# SPDX-License-Identifier: BSD-3-Clause
"""The page of collectives beside the sends that do the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from orrery.collective.versus import SendsComparison, SendsStudy
from orrery.experiment.mapping import describe_mapping
from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Part, Plot, Series, Table, TableColumn
from orrery.report.call_panels import Panel, panels_of
from orrery.report.pages.axes import RANKS, SIZE, TIME, on_log_axis


def page_of_versus(found: SendsStudy) -> Page:
    """Scenarios, then both times over size."""
    return Page(
        title=f"collective calls against sends on {found.platform}",
        verdict=_verdict(found),
        facts=[
            ("platform", f"{found.platform}, ranks {describe_mapping(found.mapping)}"),
            ("parameters", found.source or "of unknown origin"),
            ("model", found.model),
            ("selector", found.selector),
            ("barrier", "counted after each collective" if found.barrier else "none"),
        ],
        cautions=[f"{len(found.missing):,} calls were not simulated"] if found.missing else [],
        parts=list(_parts(found)),
    )


def _verdict(found: SendsStudy) -> str:
    lower = sum(comparison.side == "L" for comparison in found.comparisons)
    return f"In {lower:,} of {len(found.comparisons):,} calls the collective is faster than sends, one after the other."


def _parts(found: SendsStudy) -> Iterator[Part]:
    yield Table(
        title="Scenarios",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="time of the collective against that of the sends"),
        ],
        rows=[[scenario.kind, scenario.ranks, scenario.words] for scenario in found.scenarios],
        most=40,
    )
    for panel in panels_of(found.comparisons):
        if len(panel.calls) > 1:
            yield _curves(panel)
    yield _all(found)


def _curves(panel: Panel[SendsComparison]) -> Plot:
    collective, sends = ([pair.collective_s for pair in panel.calls], [pair.sends_s for pair in panel.calls])
    return Plot(
        title=panel.title,
        x=SIZE if panel.over == "size" else RANKS,
        y=TIME,
        values=on_log_axis(panel.places),
        series=[
            Series(name="the collective", values=Column(np.array(collective))),
            Series(name="sends, one after the other", values=Column(np.array(sends))),
        ],
    )


def _all(found: SendsStudy) -> Table:
    return Table(
        title="All calls",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="algorithm"),
            TableColumn(name="time", unit="s"),
            TableColumn(name="sends", unit="count"),
            TableColumn(name="their time", unit="s"),
            TableColumn(name="of theirs", unit="share", help="Time of the collective over that of the sends"),
        ],
        rows=[
            [
                comparison.call.kind,
                comparison.call.ranks,
                comparison.call.size,
                comparison.algorithm,
                comparison.collective_s,
                comparison.sends,
                comparison.sends_s,
                comparison.collective_s / comparison.sends_s if comparison.sends_s > 0 else None,
            ]
            for comparison in found.comparisons
        ],
        bar=7,
    )
