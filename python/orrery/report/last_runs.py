# SPDX-License-Identifier: BSD-3-Clause
"""The last runs of a folder, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orrery.record.document import Record
from orrery.terminal import visible
from orrery.units import show_time

_HEADING = ("--back", "date", "simulated time", "ranks", "platform", "end", "command")
_LEFT = {"date", "platform", "end"}


@dataclass(frozen=True)
class LastRun:
    """A run that is kept in this folder."""

    back: int
    """What `--back` takes for it; 0 is the last one."""
    date: str
    simulated_s: float
    ranks: int
    platform: str
    end: str
    """How it ended, as in the record."""
    command: list[str]


def listed(runs: Iterable[Record]) -> list[LastRun]:
    """The runs, the last one first, numbered as `orrery profile --back` has it."""
    return [
        LastRun(back, run.date, run.simulated_s, run.ranks, run.platform, run.end, run.command)
        for back, run in enumerate(runs)
    ]


def table(runs: Sequence[LastRun]) -> str:
    """A line for each run."""
    rows = [_HEADING, *map(_cells, runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(_line(row, widths) for row in rows)


def _cells(run: LastRun) -> tuple[str, ...]:
    ranks, command = f"{run.ranks:,}", visible(" ".join(run.command))
    return str(run.back), run.date, show_time(run.simulated_s), ranks, run.platform, run.end, command


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    *cells, command = row
    aligned = (
        cell.ljust(width) if name in _LEFT else cell.rjust(width)
        for cell, width, name in zip(cells, widths[:-1], _HEADING[:-1], strict=True)
    )
    return "  ".join([*aligned, command]) + "\n"
