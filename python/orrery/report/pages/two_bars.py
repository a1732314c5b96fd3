# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of two results goes, as two bars."""

from __future__ import annotations

from collections.abc import Iterable

from orrery.page.parts import Bars, BarSeries

_MOST_SERIES = 7


def bars_of_routines(times: Iterable[tuple[str, float, float]], names: tuple[str, str]) -> Bars:
    """Those routines that take most, and all others together.

    Args:
        times: name of a routine, seconds of both, mean over ranks.
        names: what both are called.
    """
    longest = sorted((row for row in times if row[1] > 0 or row[2] > 0), key=lambda row: -max(row[1:]))
    kept, rest = longest[:_MOST_SERIES], longest[_MOST_SERIES:]
    if rest:
        kept = [*kept, ("other", sum(first_s for _, first_s, _ in rest), sum(second_s for _, _, second_s in rest))]
    return Bars(
        title="Where the time goes",
        note="Mean over ranks, by routine without what it calls; .application is the program's own computation.",
        unit="s",
        of="result",
        labels=list(names),
        series=[
            BarSeries(name=routine, colour=f"--series-{number}", values=[first_s, second_s])
            for number, (routine, first_s, second_s) in enumerate(kept, start=1)
        ],
    )
