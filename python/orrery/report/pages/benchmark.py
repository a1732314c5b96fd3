# SPDX-License-Identifier: BSD-3-Clause
"""The page of a benchmark: time and rate over size, collectives beside their sends, and advice for a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

import numpy as np

from orrery.benchmark.advice import Advice
from orrery.benchmark.results import BenchmarkResults, LoopRow, by_test
from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Axis, Part, Plot, Series, Table, TableColumn
from orrery.report.pages.axes import SIZE, TIME, on_log_axis

_RATE = Axis(name="rate", unit="bytes/s", log=True)


def page_of_benchmark(results: BenchmarkResults, advice: Sequence[Advice] | None = None, trace: str = "") -> Page:
    """Verdict, scenarios, advice if there is some, curves, all rows."""
    return Page(
        title=f"benchmark of {results.where}",
        verdict=_verdict(results),
        facts=list(results.facts.items()),
        cautions=[*results.cautions, *([f"{len(results.missing)} loops were not timed"] if results.missing else [])],
        parts=list(_parts(results, advice, trace)),
    )


def _verdict(results: BenchmarkResults) -> str:
    scenarios = results.scenarios
    if not scenarios:
        return f"{len(results.rows)} loops timed."
    always = sum(not scenario.changes_at and scenario.short_message == "L" for scenario in scenarios)
    never = sum(not scenario.changes_at and scenario.short_message == "H" for scenario in scenarios)
    return (
        f"{len(results.rows)} loops timed. Of {len(scenarios)} collectives beside the sends that would do the same, {always} take "
        f"less at all sizes, {never} take more at all sizes, and {len(scenarios) - always - never} cross them."
    )


def _parts(results: BenchmarkResults, advice: Sequence[Advice] | None, trace: str) -> Iterator[Part]:
    if results.scenarios:
        yield _scenarios(results)
    if advice is not None:
        yield _advice(advice, trace)
    for test, ranks, rows in by_test(results.rows):
        if len(rows) > 1:
            yield _curve(f"{test}, {ranks:,} ranks", rows)
    yield _all(results)


def _scenarios(results: BenchmarkResults) -> Table:
    return Table(
        title="Collectives beside the sends that would do the same",
        note="The loop of a collective has a barrier after each call; sends are so many times half a ping-pong.",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="is"),
        ],
        rows=[[scenario.kind, scenario.ranks, scenario.words] for scenario in results.scenarios],
        most=40,
    )


def _advice(advice: Sequence[Advice], trace: str) -> Table:
    return Table(
        title=f"Advice for {trace}",
        note="From single calls: waiting for others is not in it.",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="calls", unit="count"),
            TableColumn(name="takes", unit="s"),
            TableColumn(name="by"),
            TableColumn(name="sends", unit="s"),
            TableColumn(name="other algorithm"),
            TableColumn(name="takes", unit="s"),
            TableColumn(name="better"),
            TableColumn(name="gain of all", unit="s"),
        ],
        rows=[
            [hint.used.kind, hint.used.ranks, hint.used.bytes, hint.used.calls, hint.time_s, hint.algorithm,
             hint.sends_s, hint.other, hint.other_s, hint.better, hint.gain_s]
            for hint in advice
        ],
        bar=10,
        most=24,
    )  # fmt: skip


def _curve(title: str, rows: Sequence[LoopRow]) -> Plot:
    rated = rows[0].rate_bytes_per_s is not None
    if rated:
        series = [Series(name="rate", values=_column([row.rate_bytes_per_s for row in rows]))]
    else:
        times = [row.latency_s if row.latency_s is not None else row.time_s for row in rows]
        series = [Series(name="loop", values=_column(times))]
        if any(row.without_barrier_s is not None for row in rows):
            without = _column([row.without_barrier_s for row in rows])
            series.append(Series(name="without barrier", values=without, dashed=True))
        if any(row.sends_s is not None for row in rows):
            series.append(Series(name=f"{rows[0].sends} sends", values=_column([row.sends_s for row in rows])))
    return Plot(
        title=title,
        x=SIZE,
        y=_RATE if rated else TIME,
        values=on_log_axis(row.case.bytes for row in rows),
        series=series,
    )


def _column(values: Sequence[float | None]) -> Column:
    """NaN where there is none, or nothing that a logarithmic axis has."""
    return Column(np.array([nan if value is None or value <= 0 else value for value in values]))


def _all(results: BenchmarkResults) -> Table:
    return Table(
        title="All loops",
        columns=[
            TableColumn(name="test"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="turns", unit="count"),
            TableColumn(name="a turn", unit="s"),
            TableColumn(name="sure to", unit="share", help="half the interval of 95 %, of the mean"),
            TableColumn(name="sends", unit="s"),
            TableColumn(name="rate", unit="bytes/s"),
            TableColumn(name="algorithm"),
        ],
        rows=[
            [
                row.case.test,
                row.case.ranks,
                row.case.bytes,
                row.repetitions,
                row.time_s,
                row.half_width_s / row.time_s if row.time_s else 0.0,
                row.sends_s,
                row.rate_bytes_per_s,
                row.algorithm or "",
            ]
            for row in results.rows
        ],
        most=16,
    )
