# SPDX-License-Identifier: BSD-3-Clause
"""The page of a study of collective calls: what each algorithm costs, and what the selector chose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import nan

import numpy as np

from orrery.collective.predict import Answer
from orrery.collective.study import SizeRegime, Study
from orrery.experiment.mapping import describe_mapping
from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Part, Plot, Series, Table, TableColumn
from orrery.report.call_panels import Panel, choice_has_gaps, panels_of
from orrery.report.pages.axes import RANKS, SIZE, TIME, on_log_axis
from orrery.units import show_bytes

_MOST_CURVES = 12
_ALIKE = 1e-3
"""Times that differ by a smaller share are drawn as one."""
_UNTIL_LAST = replace(TIME, name="time until the last rank goes on")


def page_of_study(study: Study) -> Page:
    """Curves of time over size or ranks, what the selector loses, where algorithms cross, and all predictions."""
    return _page(study, _parts(study))


def page_of_curves(study: Study) -> Page:
    """Curves of time over size or ranks alone, of all algorithms; where no panel has several calls, all predictions."""
    return _page(study, list(_all_curves(study)) or [_all(study)])


def _page(study: Study, parts: Iterable[Part]) -> Page:
    return Page(
        title=f"collective calls on {study.platform}",
        verdict=_verdict(study),
        facts=[
            ("platform", f"{study.platform}, ranks {describe_mapping(study.mapping)}"),
            ("parameters", study.source or "of unknown origin"),
            ("model", study.model),
            ("selector", study.selector),
            ("root", f"{study.root}"),
            ("replicas", f"{len(study.seeds)}, seeds from {study.seeds[0]}"),
        ],
        cautions=[*study.cautions, *([f"{len(study.missing)} calls were not simulated"] if study.missing else [])],
        parts=list(parts),
    )


def _verdict(study: Study) -> str:
    uncompared = f"{study.uncompared[0].upper()}{study.uncompared[1:]}." if study.uncompared else ""
    chosen = [answer for answer in study.answers if answer.chosen is not None]
    if not chosen:
        return f"Algorithms were named, so the selector was not asked. {uncompared}".rstrip()
    compared = [answer for answer in chosen if answer.fastest is not None]
    if not compared:
        return uncompared
    best = sum(1 for answer in compared if answer.chosen is answer.fastest)
    said = f"The selector {study.selector} chose the fastest algorithm in {best:,} of {len(compared):,} calls."
    if uncompared:
        said += f" {uncompared}"
    if not study.losses:
        return said
    worst = max(study.losses, key=lambda loss: loss.factor)
    sizes = show_bytes(worst.first)
    if worst.last != worst.first:
        sizes += f" to {show_bytes(worst.last)}"
    return (
        f"{said} It loses most at {worst.kind} of {sizes} on {worst.ranks:,} ranks: {worst.chosen} takes up to "
        f"{worst.factor:.3g} times as long as {worst.fastest}."
    )


def _parts(study: Study) -> Iterator[Part]:
    yield from _all_curves(study, _MOST_CURVES)
    if any(answer.chosen or answer.fastest for answer in study.answers):
        yield _choices(study)
    if study.selector_changes:
        yield Table(
            title="Where the selector changes",
            columns=[
                TableColumn(name="collective"),
                TableColumn(name="ranks", unit="count"),
                TableColumn(name="up to size", unit="bytes"),
                TableColumn(name="it chooses"),
                TableColumn(name="at size", unit="bytes"),
                TableColumn(name="it chooses"),
            ],
            rows=[
                [change.kind, change.ranks, change.above, change.before, change.bytes, change.after]
                for change in study.selector_changes
            ],
        )
    if study.crossovers:
        yield Table(
            title="Where algorithms cross",
            columns=[
                TableColumn(name="collective"),
                TableColumn(name="ranks", unit="count"),
                TableColumn(name="from size", unit="bytes"),
                TableColumn(name="cheaper from there"),
                TableColumn(name="than"),
            ],
            rows=[
                [crossover.kind, crossover.ranks, crossover.bytes, crossover.after, crossover.before]
                for crossover in study.crossovers
            ],
        )
    yield _all(study)


def _all_curves(study: Study, most: int | None = None) -> Iterator[Plot]:
    """A plot for each panel that has several calls, with at most so many curves."""
    for panel in panels_of(study.answers):
        if len(panel.calls) > 1:
            yield _curves(panel, study, most)


def _curves(panel: Panel[Answer], study: Study, most: int | None) -> Plot:
    answers = panel.calls
    names = list(dict.fromkeys(prediction.algorithm for answer in answers for prediction in answer.predictions))

    def fastest_first(name: str) -> float:
        found = [best.time_s / answer.shortest.time_s for answer in answers if (best := answer.best_of(name))]
        return sum(found) / len(found) - len(found) / len(answers)

    groups = _coinciding(sorted(names, key=fastest_first), answers)
    kept = groups[:most]
    note = "Time from the call until the last rank goes on; each algorithm with its best segments."
    if len(kept) < len(groups):
        note += f" The {len(kept)} fastest of {len(groups)} curves; the table below has all."
    if several := [", ".join(group) for group in kept if len(group) > 1]:
        note += f" These take equally long, and share a curve: {'; '.join(several)}."
    regimes = study.regimes.get(answers[0].call.ranks, []) if panel.over == "size" else []
    series = [
        Series(
            name=group[0] if len(group) == 1 else f"{group[0]} ({len(group)} algorithms)",
            values=_times(answers, group[0]),
            notes=_jumps(answers, group[0], regimes),
        )
        for group in kept
    ]
    if any(answer.chosen for answer in answers):
        note += f" Dots: what the selector {study.selector} chooses."
        if choice_has_gaps(answers):
            note += " Dashes join its choices where the algorithm changes."
            series.append(Series(name="from choice to choice", values=_times(answers, None), dashed=True))
        series.append(Series(name="selector's choice", values=_times(answers, None), style="points"))
    return Plot(
        title=panel.title,
        note=note,
        x=SIZE if panel.over == "size" else RANKS,
        y=_UNTIL_LAST,
        values=on_log_axis(panel.places),
        series=series,
    )


def _coinciding(names: Sequence[str], answers: Sequence[Answer]) -> list[list[str]]:
    """Algorithms in groups whose curves nobody could tell apart, in the order of `names`."""
    groups: list[tuple[Column, list[str]]] = []
    for name in names:
        own = _times(answers, name)
        for first, group in groups:
            if np.allclose(first.values, own.values, rtol=_ALIKE, atol=0, equal_nan=True):
                group.append(name)
                break
        else:
            groups.append((own, [name]))
    return [group for _, group in groups]


def _jumps(answers: Sequence[Answer], algorithm: str, regimes: Sequence[SizeRegime]) -> list[str]:
    """Which range of the network the mean message of an algorithm enters at each size; empty: it enters none."""
    found = [answer.best_of(algorithm) for answer in answers]
    means = [nan if best is None else best.bytes_sent / max(1, best.messages) for best in found]
    notes = [""]
    for before, here in pairwise(means):
        entered = [regime for regime in regimes if before < regime.begin_bytes <= here]
        notes.append(_entered(entered[-1]) if entered else "")
    return notes if any(notes) else []


def _entered(regime: SizeRegime) -> str:
    asks = ", so senders wait for receivers (rendezvous)" if regime.protocol == "synchronous" else ""
    return f"messages of {show_bytes(regime.begin_bytes)} and more: {regime.path}, {regime.protocol}{asks}"


def _times(answers: Sequence[Answer], algorithm: str | None) -> Column:
    """Times of an algorithm, or of the selector's choice; NaN where there is none."""
    found = [answer.chosen if algorithm is None else answer.best_of(algorithm) for answer in answers]
    return Column(np.array([nan if prediction is None else prediction.time_s for prediction in found]))


def _choices(study: Study) -> Table:
    """The selector's choices and the fastest algorithms, as far as the selector was asked and algorithms were compared."""
    asked = any(answer.chosen for answer in study.answers)
    compared = any(answer.fastest for answer in study.answers)
    columns = [
        TableColumn(name="collective"),
        TableColumn(name="ranks", unit="count"),
        TableColumn(name="size", unit="bytes"),
    ]
    if asked:
        columns += [TableColumn(name="chosen"), TableColumn(name="takes", unit="s")]
    if compared:
        columns += [TableColumn(name="fastest"), TableColumn(name="takes", unit="s")]
    if asked and compared:
        above = "Time of the chosen one above that of the fastest"
        columns.append(TableColumn(name="lost", unit="share", help=above))
    return Table(
        title=_title_of_choices(asked=asked, compared=compared),
        columns=columns,
        rows=[_choice_row(answer, asked=asked, compared=compared) for answer in study.answers],
        bar=len(columns) - 1 if asked and compared else None,
        most=24,
    )


def _title_of_choices(*, asked: bool, compared: bool) -> str:
    if not compared:
        return "What the selector chose"
    return "What the selector chose, and what another choice would cost" if asked else "Which algorithm is the fastest"


def _choice_row(answer: Answer, *, asked: bool, compared: bool) -> list[str | float | None]:
    chosen, fastest = answer.chosen, answer.fastest
    row: list[str | float | None] = [answer.call.kind, answer.call.ranks, answer.call.size]
    if asked:
        row += [chosen.name, chosen.time_s] if chosen else ["", None]
    if compared:
        row += [fastest.name, fastest.time_s] if fastest else ["", None]
    if asked and compared:
        row.append(chosen.time_s / fastest.time_s - 1 if chosen and fastest and fastest.time_s > 0 else None)
    return row


def _all(study: Study) -> Table:
    rows = [
        [
            answer.call.kind,
            answer.call.ranks,
            answer.call.size,
            prediction.name,
            prediction.time_s,
            "fastest" if prediction is answer.fastest else "",
            "chosen" if prediction is answer.chosen else "",
            *((prediction.expected.low_s, prediction.expected.high_s) if prediction.expected else (None, None)),
            prediction.messages,
            prediction.bytes_sent,
        ]
        for answer in study.answers
        for prediction in answer.predictions
    ]
    return Table(
        title="All predictions",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="algorithm"),
            TableColumn(name="time", unit="s"),
            TableColumn(name="fastest"),
            TableColumn(name="chosen"),
            TableColumn(
                name="expected from",
                unit="s",
                help="9 of 10 real times, by what measured clusters were off, or machines with platforms written by hand",
            ),
            TableColumn(
                name="expected to",
                unit="s",
                help="9 of 10 real times, by what measured clusters were off, or machines with platforms written by hand",
            ),
            TableColumn(name="messages", unit="count"),
            TableColumn(name="bytes", unit="bytes"),
        ],
        rows=rows,
        most=20,
    )
