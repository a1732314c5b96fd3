# SPDX-License-Identifier: BSD-3-Clause
"""Noise that takes so much of a processor that a unit is probably wrong."""

from __future__ import annotations

from collections.abc import Sequence

from orrery.units import show_time

_MOST = 0.5
"""Share of a processor's time; machines that compute lose less than a hundredth of it."""


def caution_of_noise(kinds: Sequence[tuple[float, float]]) -> list[str]:
    """A sentence with the kind that takes most, where all together take more than half of the time; else nothing.

    `kinds`: of each table `[[node.noise]]`, `every_s` and `takes_s`.
    """
    share = sum(takes_s / every_s for every_s, takes_s in kinds)
    if share <= _MOST:
        return []
    every_s, takes_s = max(kinds, key=lambda kind: kind[1] / kind[0])
    found = (
        f"node.noise takes {share:.0%} of each processor, most by takes_s of {show_time(takes_s)} in every_s of {show_time(every_s)}: "
        'a number alone is seconds; write "10us" for microseconds'
    )
    return [found]
