# SPDX-License-Identifier: BSD-3-Clause
"""What messages take between places of a platform, for comparison with a measured ping-pong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from orrery import _core
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import ping_pong

SIZES = (1, 8 << 10, 1 << 20)
"""Sizes of the messages, in bytes."""
_WARM, _TURNS = 1, 21


@dataclass(frozen=True)
class PingPong:
    """Half of a round trip between two ranks that have nothing else to do."""

    where: str
    first: str
    """Host of the rank that begins."""
    second: str
    seconds: list[float]
    """For 1 B, 8 KiB and 1 MiB, median of 21 turns."""


def ping_pongs(platform: str) -> list[PingPong]:
    """Inside the first node, from it to the next one, and to the last one. `platform`: a built-in one's name, or a file."""
    laboratory = Laboratory(platform, None, "slot", force=True, said=False)
    hosts = laboratory.hardware.hosts
    places = [("inside a node", 0)] if hosts[0].cores > 1 else []
    places += [("to the next", 1)] if len(hosts) > 1 else []
    places += [("to the last", len(hosts) - 1)] if len(hosts) > 2 else []
    selector = laboratory.selector("default", "", None, 2)
    return [
        PingPong(
            what, hosts[0].name, hosts[other].name, [_half(laboratory, size, selector, [0, other]) for size in SIZES]
        )
        for what, other in places
    ]


def _half(laboratory: Laboratory, size: int, selector: _core.Selector, where: Sequence[int]) -> float:
    turns = laboratory.turns(ping_pong(size), _WARM + _TURNS, selector, where)
    return median(turns[_WARM:]) / 2
