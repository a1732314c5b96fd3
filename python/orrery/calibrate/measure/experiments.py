# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a plan, each with what it will take. The C program's comments (src/measure/bench) say what each measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orrery.calibrate.measure.speed import Speed

Pair = tuple[int, int]

_PAUSE_S = 0.005
"""Idleness before a lone message: long enough for queues and buckets of links, short against the budget."""
_CLOCK_ROUNDS = 20
_LOOK_S = 0.4
"""Kernels count in hundredths of a second: 40 of each processor are enough to see a tenth of one."""
_MEET_S = 0.025
"""A common start of all ranks is agreed upon so much ahead."""


@dataclass(frozen=True)
class Line:
    """An experiment, without its number, and an estimate of its duration."""

    kind: str
    keys: dict[str, str | int]
    seconds: float

    def text(self, number: int) -> str:
        """The line of the plan."""
        return " ".join([f"{self.kind}{number}", self.kind, *(f"{key}={value}" for key, value in self.keys.items())])


def repetitions(seconds: float, allowance_s: float, least: int, most: int) -> int:
    """How often something that takes `seconds` is done in the time that is allowed."""
    return max(least, min(most, int(allowance_s / max(seconds, 1e-9))))


def pingpong(pairs: Sequence[Pair], size: int, reps: int, speed: Speed, *, group: str = "net", warm: int = 1) -> Line:
    """Messages there and back, by all pairs at once."""
    text = ",".join(f"{a}-{b}" for a, b in pairs)
    keys: dict[str, str | int] = {"group": group, "pairs": text, "bytes": size, "reps": reps, "warm": warm}
    return Line("pingpong", keys, 2 * (reps + warm) * speed.time(size) + 0.005)


def gap_s(size: int, speed: Speed) -> float:
    """Between send and late receive: until what is sent eagerly has arrived."""
    return min(max(_PAUSE_S, 1.5 * speed.time(size)), 0.1)


def ping(pair: Pair, order: str, size: int, reps: int, speed: Speed, *, group: str = "net", call: str = "send") -> Line:
    """Lone messages, after idleness."""
    gap = gap_s(size, speed) if order == "sendfirst" else _PAUSE_S
    keys: dict[str, str | int] = {
        "group": group, "a": pair[0], "b": pair[1], "order": order, "call": call,
        "bytes": size, "reps": reps, "gap_us": int(gap * 1e6),
    }  # fmt: skip
    each = gap + speed.time(size) + _CLOCK_ROUNDS * speed.time(8)
    return Line("ping", keys, reps * each + 0.005)


def limit(pair: Pair, of: str, low: int, high: int, speed: Speed, *, group: str = "net") -> Line:
    """Search for a change of protocol."""
    keys: dict[str, str | int] = {
        "group": group, "a": pair[0], "b": pair[1], "of": of, "low": low, "high": high,
        "gap_us": int(2 * _PAUSE_S * 1e6), "reps": 3,
    }  # fmt: skip
    # Doubling up to the limit and bisecting below it; where that is is not known yet: 64 KiB is common.
    way = speed.time(1 << 16)
    probes = 2 * 17
    return Line("limit", keys, probes * 3 * (max(3 * _PAUSE_S, 3.5 * way) + _CLOCK_ROUNDS * speed.time(8)))


def foreign() -> Line:
    """What others do on the nodes, while all ranks sleep."""
    return Line("foreign", {"window_us": int(_LOOK_S * 1e6)}, _LOOK_S + 0.15)


def flows(
    name: str,
    flows: Sequence[Pair],
    size: int,
    reps: int,
    seconds: float,
    *,
    call: str = "isend",
    group: str = "share",
    **more: int,
) -> Line:
    """Transfers at once; `seconds` is what one repetition is expected to take."""
    text = ",".join(f"{a}>{b}" for a, b in flows)
    keys: dict[str, str | int] = {
        "group": group, "name": name, "list": text, "bytes": size, "reps": reps, "call": call, **more,
    }  # fmt: skip
    return Line("flows", keys, reps * (seconds + _MEET_S) + 0.02)


def plain(kind: str, seconds: float, **keys: str | int) -> Line:
    """Any other experiment."""
    return Line(kind, keys, seconds)
