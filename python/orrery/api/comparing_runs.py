# SPDX-License-Identifier: BSD-3-Clause
"""Runs compared, traces among them: by how much they differ, and in what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import fspath
from pathlib import Path
from typing import Any

from orrery.api import html
from orrery.api.checks import PathLike
from orrery.api.frames import Table, Tabular
from orrery.comparison.runs import compare_runs as _compare_runs
from orrery.comparison.runs_result import GroupLine, RunsCompared
from orrery.comparison.sides import common_kind, sample
from orrery.comparison.turning import turns_of_files
from orrery.comparison.turns import TurningPoints
from orrery.errors import InputError
from orrery.noise.verdict import Verdict
from orrery.published import as_json, members
from orrery.units import show_time

_TOP = 8


class RunsComparison(Tabular):
    """What makes two runs differ, or two sides of several runs each (`orrery compare`).

    Example:
        >>> found = o.compare_runs("openmpi.trace", "mpich.trace")
        >>> found.verdict, found.ratio, found.interval
    """

    def __init__(self, found: RunsCompared) -> None:
        self._found = found

    @property
    def verdict(self) -> Verdict:
        """`equal`, `apart`, `within noise`, or `unknown`: nothing says how large the noise is."""
        return self._found.verdict

    @property
    def sentence(self) -> str:
        """By how much they differ, in what, and what that rests on."""
        return self._found.sentence

    @property
    def ratio(self) -> float:
        """Ratio of the second time to the first; NaN if the first is 0."""
        return self._found.ratio

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval around the ratio, of 95 %, or of 90 % of draws of parameters; None: it is not known."""
        return self._found.ratio_interval

    @property
    def turns(self) -> TurningPoints | None:
        """On which values of the platform the verdict hangs that nobody measured; None: that was not asked."""
        return self._found.turns

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as `orrery compare --json` has it; times in seconds."""
        return dict(as_json(self._found))

    @property
    def table(self) -> Table:
        """By routine, the largest difference first: `routine`, calls and seconds of both (mean over ranks), `low_s` and `high_s`
        of the difference, `verdict`.
        """
        return Table({"routine": line.names[0]} | _numbers(line) for line in self._found.routines)

    @property
    def causes(self) -> Table:
        """By `routine` and `cause`: late sender, late receiver, imbalance, transfer; empty where that is not known."""
        return Table({"routine": line.names[0], "cause": line.names[1]} | _numbers(line) for line in self._found.causes)

    @property
    def per_rank(self) -> Table:
        """Seconds of each `rank` in MPI."""
        return Table({"rank": int(line.names[0])} | _numbers(line) for line in self._found.per_rank)

    def __str__(self) -> str:
        from orrery.report.runs_compared import text

        return text(self._found)

    def __repr__(self) -> str:
        return f"<RunsComparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [
            {"routine": line.names[0], "first": show_time(line.first_s), "second": show_time(line.second_s),
             "difference": show_time(line.change_s)}
            for line in self._found.routines[:_TOP]
        ]  # fmt: skip
        return html.piece(self.sentence, html.cells(rows), html.facts({}))


def compare_runs(
    first: PathLike | Sequence[PathLike],
    second: PathLike | Sequence[PathLike],
    *,
    paired: bool = False,
    turns: bool | None = None,
) -> RunsComparison:
    """Compare runs by their files: traces of any tool's and records, one or several of each side.

    Args:
        first, second: files of both sides.
        paired: the n-th of the first has its noise in common with the n-th of the second.
        turns: whether two simulations are simulated again with other values of their platform, to find those that turn the verdict and
            that nobody measured; by default where that takes some seconds.
    Raises:
        InputError: a file is neither, or cannot be read, or `paired` has not as many of both.

    Example:
        >>> print(o.compare_runs(["monday-1.trace", "monday-2.trace"], ["friday-1.trace", "friday-2.trace"]))
    """
    sides = [_files(first), _files(second)]
    if common_kind(*sides) not in ("record", "trace"):
        raise InputError(f"{sides[0][0]}: expected records or traces of runs")
    if paired and (len(sides[0]) != len(sides[1]) or len(sides[0]) == 1):
        raise InputError("paired: expected several of both sides, as many of each")
    found = _compare_runs([sample(name) for name in sides[0]], [sample(name) for name in sides[1]], paired=paired)
    if len(sides[0]) == len(sides[1]) == 1:
        times_s = found.first_s, found.second_s
        hangs = turns_of_files(sides[0][0], sides[1][0], times_s, found.verdict, wanted=turns)
        found = replace(found, turns=hangs)
    elif turns:
        raise InputError("turns: expected one run of each side")
    return RunsComparison(found)


def _files(given: PathLike | Sequence[PathLike]) -> list[str]:
    files = [given] if isinstance(given, str | Path) or not isinstance(given, Sequence) else list(given)
    if not files:
        raise InputError("expected at least one file of each side")
    return [str(fspath(file)) for file in files]


def _numbers(line: GroupLine) -> dict[str, object]:
    return {name: value for name, value in members(line).items() if name != "names"}
