# SPDX-License-Identifier: BSD-3-Clause
"""The page of a paper: verdicts on its claims, then each experiment with curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import nan

import numpy as np

from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Axis, Part, Plot, Series, Table, TableColumn, Unit
from orrery.papers.rows import TIME, TIMES, Row, settings_that_vary
from orrery.papers.session import ExperimentResult, PaperOutcome
from orrery.report.pages.axes import on_log_axis
from orrery.report.papers import sentence
from orrery.units import show_bytes

_UNITS: dict[str, Unit] = {"bytes": "bytes", "ranks": "count", "calls": "count", "percent": "number"}
_MOST_PANELS = 48
_MOST_SERIES = 12


def page_of_paper(outcome: PaperOutcome) -> Page:
    """Verdicts first; then what was simulated."""
    content = outcome.content
    return Page(
        title=outcome.title,
        verdict=sentence(outcome),
        facts=[
            ("paper", content.by),
            ("about", content.about),
            ("form", "quick: fewer ranks, sizes or rows" if outcome.quick else "whole"),
            ("platforms", "from what the paper says of hardware and point-to-point times; nothing is fitted to claims"),
        ],
        cautions=[
            *(f"not run yet: {what}" for what in content.missing),
            *([f"interrupted before {', '.join(outcome.missing)}"] if outcome.missing else []),
        ],
        parts=list(_parts(outcome)),
    )


def _parts(outcome: PaperOutcome) -> Iterator[Part]:
    yield from _verdicts(outcome)
    yield from _assumed(outcome)
    for ran in outcome.experiments:
        yield from _curves(ran)
        yield _times(ran)


def _verdicts(outcome: PaperOutcome) -> Iterator[Table]:
    """The claims; reasons that several have in common stand once, below."""
    shown = [checked for checked in outcome.checked if checked.verdict != "left out"]
    reasons = {
        why: number
        for number, why in enumerate(dict.fromkeys(checked.why for checked in shown if checked.why), start=1)
    }
    yield Table(
        title="Claims",
        columns=[
            TableColumn(name="verdict"),
            TableColumn(name="where"),
            TableColumn(name="claim"),
            TableColumn(name="paper"),
            TableColumn(name="here"),
            TableColumn(name="why not"),
        ],
        rows=[
            [
                checked.verdict,
                checked.where,
                checked.claim,
                checked.paper,
                checked.here,
                f"({reasons[checked.why]})" if checked.why else "",
            ]
            for checked in shown
        ],
        most=60,
    )
    if reasons:
        yield Table(
            title="Why not",
            columns=[TableColumn(name="reason"), TableColumn(name="as far as it is known")],
            rows=[[f"({number})", why] for why, number in reasons.items()],
            most=60,
        )


def _assumed(outcome: PaperOutcome) -> Iterator[Table]:
    rows = [[ran.name, said] for ran in outcome.experiments for said in ran.assumed]
    if rows:
        yield Table(
            title="What had to be assumed",
            note="Where the paper does not say it.",
            columns=[TableColumn(name="experiment"), TableColumn(name="assumed")],
            rows=rows,
            most=60,
        )


def _curves(ran: ExperimentResult) -> Iterator[Plot]:
    """Time over what has most values, ranks or sizes; a panel for each value of the other settings but one."""
    vary = settings_that_vary(ran.rows)
    over = max(("bytes", "ranks"), key=lambda name: len({row.get(name) for row in ran.rows}))
    if over not in vary:
        return
    others = [name for name in vary if name != over]
    rows = [row for row in ran.rows if over in row]
    drawn = ("model", "algorithm", "way", *(["part"] if over == "bytes" else []))
    lines = [name for name in vary if name in drawn][:2] or ["platform"]
    panels: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        panels[tuple(_said(name, row) for name in others if name not in (*lines, "by", "selector"))].append(row)
    for number, (names, panel) in enumerate(panels.items()):
        if number >= _MOST_PANELS:
            return
        yield _panel((", ".join(names), ran.where), panel, over, lines)


def _panel(what: tuple[str, str], rows: Sequence[Row], over: str, lines: Sequence[str]) -> Plot:
    """`what`: what is special to the panel, maybe nothing, and where in the paper it stands."""
    at = sorted({int(row[over]) for row in rows})
    series: dict[str, dict[int, float]] = defaultdict(dict)
    for row in rows:
        series[", ".join(_said(name, row) for name in lines) or "time"][int(row[over])] = float(row[TIME])
    return Plot(
        title=what[0] or what[1],
        note=what[1],
        x=Axis(name="size" if over == "bytes" else over, unit=_UNITS[over], log=True),
        y=Axis(name="time", unit="s", log=True),
        values=on_log_axis(at),
        series=[
            Series(name=name, values=Column(np.array([times.get(place, nan) for place in at])))
            for name, times in list(series.items())[:_MOST_SERIES]
        ],
    )


def _said(name: str, row: Row) -> str:
    value = row.get(name, "")
    if name == "bytes":
        return show_bytes(int(value))
    return f"{value} ranks" if name == "ranks" else str(value)


def _times(ran: ExperimentResult) -> Table:
    every = dict.fromkeys(name for row in ran.rows for name in row)
    names, times = [name for name in every if name not in TIMES], [name for name in TIMES if name in every]
    return Table(
        title=f"All times of {ran.name}",
        note=ran.content.about or None,
        columns=[
            *(TableColumn(name=name, unit=_UNITS.get(name, "text")) for name in names),
            *(TableColumn(name=name.removesuffix("_s"), unit="s") for name in times),
        ],
        rows=[
            [*(row.get(name, "") for name in names), *(row.get(name, row[TIME]) for name in times)] for row in ran.rows
        ],
        most=8,
    )
