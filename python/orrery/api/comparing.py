# SPDX-License-Identifier: BSD-3-Clause
"""Two results compared, and whether their difference is more than noise."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from orrery.api import html
from orrery.api.checks import PathLike
from orrery.api.frames import Table, Tabular
from orrery.api.result import Result, load
from orrery.comparison.records import RecordsCompared, RoutineLine
from orrery.comparison.records import compare as _compare
from orrery.comparison.turning import turns_between
from orrery.comparison.turns import TurningPoints
from orrery.noise.verdict import Verdict
from orrery.published import as_json
from orrery.units import show_time

_TOP = 8


class Comparison(Tabular):
    """The verdict of `orrery compare` on two results.

    Example:
        >>> found = o.compare(before, after)
        >>> found.verdict, found.ratio
    """

    def __init__(self, found: RecordsCompared, names: tuple[str, str]) -> None:
        self._found, self._names = found, names

    @property
    def verdict(self) -> Verdict:
        """`equal`, `apart`, `within noise`, or `unknown`: nothing says how large the noise is."""
        return self._found.verdict

    @property
    def why(self) -> str:
        """What the verdict rests on, in a sentence."""
        return self._found.why

    @property
    def within_noise(self) -> bool:
        """Whether the difference is not more than noise."""
        return self.verdict == "within noise"

    @property
    def ratio(self) -> float:
        """Ratio of the second time to the first; NaN if the first is 0."""
        return self._found.ratio

    @property
    def settings(self) -> dict[str, tuple[object, object]]:
        """Settings that differ, by name: first and second value."""
        return dict(self._found.settings)

    @property
    def turns(self) -> TurningPoints | None:
        """On which values of the platform the verdict hangs that nobody measured; None: that was not asked."""
        return self._found.turns

    @property
    def cautions(self) -> list[str]:
        """Limits of the comparison, a sentence each."""
        return self._found.cautions

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery compare --json`)."""
        return dict(as_json(self._found))

    @property
    def table(self) -> Table:
        """Seconds in each routine, mean over ranks, by decreasing difference: `routine`, `first_s`, `second_s`, `verdict`."""
        return Table(asdict(line) for line in self._found.lines)

    def __str__(self) -> str:
        from orrery.report.records_compared import describe

        return describe(self._found, self._names)

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        rows = [
            {"routine": line.routine, "first": show_time(line.first_s), "second": show_time(line.second_s),
             "difference": _change(line)}
            for line in self._found.lines[:_TOP]
        ]  # fmt: skip
        differ = {name: f"{first or 'none'} / {second or 'none'}" for name, (first, second) in self.settings.items()}
        return html.piece(self.sentence, html.cells(rows), html.facts(differ))

    @property
    def sentence(self) -> str:
        """The verdict in plain words: how much faster or slower the second is, or that it is within noise, and why."""
        return self._found.sentence_on(*self._names)


def compare(first: Result | PathLike, second: Result | PathLike, *, turns: bool | None = None) -> Comparison:
    """Compare two results, or the records in two files, and say whether their difference is more than noise.

    Computation is measured on this host, so two runs differ by what the host did besides: a difference counts between replays
    of one trace, or between runs with `repeat`.

    Args:
        first, second: the results, or files.
        turns: whether replays are simulated again with other values of their platform, to find those that turn the verdict and that
            nobody measured; by default where that takes some seconds.
    Raises:
        InputError: a file holds no record.

    Example:
        >>> print(o.compare(o.replay("heat.trace"), o.replay("heat.trace", coll="allreduce=ring")))
    """
    sides = [value if isinstance(value, Result) else load(value) for value in (first, second)]
    names = [
        name if isinstance(value, Result) else str(value)
        for value, name in ((first, "the first"), (second, "the second"))
    ]
    found = _compare(sides[0].recorded, sides[1].recorded)
    times_s = found.first_s, found.second_s
    hangs = turns_between(sides[0].recorded, sides[1].recorded, times_s, found.verdict, wanted=turns)
    return Comparison(replace(found, turns=hangs), (names[0], names[1]))


def _change(line: RoutineLine) -> str:
    said = f"{'+' if line.change_s > 0 else ''}{show_time(line.change_s)}"
    return f"{said}, within noise" if line.verdict == "within noise" else said
