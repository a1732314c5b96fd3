# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of collectives as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table

from orrery.collective.crossovers import Crossover, SelectorChange
from orrery.collective.predict import Answer, Prediction
from orrery.collective.study import Study
from orrery.experiment.mapping import describe_mapping
from orrery.terminal import visible_lines
from orrery.units import show_bytes, show_time

_CELL = 11  # width of a time with its marks, and of the rule beside it
_FILE_WIDTH = 120  # columns of the tables where the output is no terminal
_RANGE = "  5 to 95 %"
_EXPECTED = "expected"
_LEGEND = "* fastest   < chosen by the selector, *< both   ~ chosen, in other segments   /SIZE in segments of it"


def write_tables(study: Study, file: TextIO, width: int | None = None) -> None:
    """Write the head, a table for each collective and number of ranks, crossovers, losses and cautions.

    `width`: columns; by default those of the terminal, or 120 where `file` is none.
    """
    console = Console(file=file, width=width or _width(file), highlight=False)
    console.print(visible_lines(_head(study)), markup=False, soft_wrap=True)
    for (kind, ranks), group in groupby(_by_call(study.answers), key=lambda a: (a.call.kind, a.call.ranks)):
        answers = list(group)
        console.print(visible_lines(f"\n{kind}, {ranks:,} ranks"), markup=False)
        for table in _tables(answers, console.width):
            console.print(table)
        for line in _left_out(answers):
            console.print(visible_lines(line), markup=False, soft_wrap=True)
    for title, lines in (("crossovers", _crossovers(study)), ("selector", [*_changes(study), *_losses(study)])):
        if lines:
            console.print(visible_lines(f"\n{title}"), markup=False)
        for line in lines:
            console.print(visible_lines(f"  {line}"), markup=False, soft_wrap=True)
    for caution in study.cautions:
        console.print(visible_lines(f"caution: {caution}"), markup=False, soft_wrap=True)


def _width(file: TextIO) -> int | None:
    """Columns for the tables. None: rich takes those of the terminal."""
    return None if file.isatty() else _FILE_WIDTH


def _head(study: Study) -> str:
    lines = [
        ("platform", f"{study.platform}, ranks {describe_mapping(study.mapping)}"),
        ("parameters", study.source or "of unknown origin"),
        ("model", f"{study.model}; collectives: selector {study.selector}; root {study.root}"),
        ("times", f"from the call, which all ranks make at one moment, until the last rank goes on{_replicas(study)}"),
        ("marks", _LEGEND),
        *([("compared", study.uncompared)] if study.uncompared else []),
        *_explained(study),
    ]
    return "\n".join(f"{what:<11} {value}" for what, value in lines)


def _explained(study: Study) -> list[tuple[str, str]]:
    expected = [
        prediction.expected for answer in study.answers for prediction in answer.predictions if prediction.expected
    ]
    if not expected:
        return []
    if expected[0].by_hand:
        return [
            ("expected", "no calibration: as far as 9 of 10 times were off on platforms written by hand (of < or *)")
        ]
    return [("expected", "where 9 of 10 real times are, by what measured clusters were off (of < or *)")]


def _replicas(study: Study) -> str:
    if len(study.seeds) == 1:
        return ""
    return f"; medians of {len(study.seeds)} replicas, 5th and 95th percentile from them, seeds from {study.seeds[0]}"


def _by_call(answers: Iterable[Answer]) -> list[Answer]:
    return sorted(answers, key=lambda answer: (answer.call.kind, answer.call.ranks, answer.call.size))


def _tables(answers: Sequence[Answer], width: int) -> Iterator[Table]:
    """A row for each algorithm, a column for each size. Sizes that do not fit the width go into further tables."""
    algorithms = list(dict.fromkeys(prediction.algorithm for answer in answers for prediction in answer.predictions))
    name_width = max(map(len, [*algorithms, _RANGE]))
    at_once = max(1, (width - name_width - 2) // (_CELL + 2))
    for part in (answers[i : i + at_once] for i in range(0, len(answers), at_once)):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column("algorithm", no_wrap=True)
        for answer in part:
            table.add_column(show_bytes(answer.call.size), justify="right", no_wrap=True)
        for algorithm in algorithms:
            table.add_row(algorithm, *(_cell(answer, algorithm) for answer in part))
            if any(_interval(answer, algorithm) for answer in part):
                table.add_row(_RANGE, *(_interval(answer, algorithm) for answer in part), style="dim")
        if any(_expected(answer) for answer in part):
            table.add_row(_EXPECTED, *map(_expected, part), style="dim")
        yield table


def _cell(answer: Answer, algorithm: str) -> str:
    best = answer.best_of(algorithm)
    chosen = answer.chosen
    if best is None:
        return "-"
    fastest = best is answer.fastest
    marks = "*" if fastest else ""
    if chosen is not None and chosen.algorithm == algorithm:
        marks += "<" if best is chosen else "~"
    text = _time(best) + marks
    return f"[bold green]{text}[/]" if fastest else text


def _interval(answer: Answer, algorithm: str) -> str:
    """5th and 95th percentile of the replicas, as deviations from the median; empty if there is one replica."""
    best = answer.best_of(algorithm)
    if best is None or best.interval is None or best.time_s == 0:
        return ""
    return _relative(best.interval.low_s, best.interval.high_s, best.time_s)


def _expected(answer: Answer) -> str:
    """Interval expected to contain the real time of the chosen or fastest algorithm, relative to the predicted time."""
    prediction = answer.chosen or answer.shortest
    if prediction.expected is None or prediction.time_s == 0:
        return ""
    return _relative(prediction.expected.low_s, prediction.expected.high_s, prediction.time_s)


def _relative(low_s: float, high_s: float, time_s: float) -> str:
    bounds = (100 * (bound / time_s - 1) for bound in (low_s, high_s))
    return " ".join(f"{bound:+.0f}" if abs(bound) >= 9.95 else f"{bound:+.1f}" for bound in bounds) + " %"


def _time(prediction: Prediction) -> str:
    number, unit = show_time(float(f"{prediction.time_s:.3g}")).split()
    segment = prediction.choice.segment_bytes
    return f"{number} {unit}" + (f"/{show_bytes(segment).replace('iB', '').replace(' ', '')}" if segment else "")


def _left_out(answers: Iterable[Answer]) -> Iterator[str]:
    most: dict[str, int] = {}
    for answer in answers:
        for name, messages in answer.left_out.items():
            most[name] = max(messages, most.get(name, 0))
    for name, messages in most.items():
        yield f"left out: {name}, up to {messages:,} messages (--most-messages)"


def _crossovers(study: Study) -> list[str]:
    return [
        f"{crossover.kind}, {crossover.ranks:,} ranks: from {show_bytes(crossover.bytes)}{_above(crossover)} on "
        f"{crossover.after} is cheaper than {crossover.before}"
        for crossover in study.crossovers
    ]


def _changes(study: Study) -> list[str]:
    return [
        f"{change.kind}, {change.ranks:,} ranks: the selector changes from {change.before} to {change.after} at "
        f"{show_bytes(change.bytes)}{_above(change)}"
        for change in study.selector_changes
    ]


def _above(change: Crossover | SelectorChange) -> str:
    """The largest size before the change, where it is far from the smallest one behind it."""
    near = change.bytes - change.above <= max(8, 0.02 * change.bytes)
    return "" if near else f" (above {show_bytes(change.above)})"


def _losses(study: Study) -> list[str]:
    found = []
    for loss in study.losses:
        sizes = (
            show_bytes(loss.first)
            if loss.first == loss.last
            else f"{show_bytes(loss.first)} to {show_bytes(loss.last)}"
        )
        found.append(
            f"{loss.kind}, {loss.ranks:,} ranks, {sizes}: {loss.chosen} takes up to {loss.factor:.3g} times as long as "
            f"{loss.fastest}"
        )
    return found
