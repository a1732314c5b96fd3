# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a plan with their estimated durations. The comments in src/measure/bench say what each experiment measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orrery.calibrate.measure.speed import Speed

Pair = tuple[int, int]

_PAUSE_S = 0.005
"""Idle time before a lone message: queues empty and token buckets fill up meanwhile."""
_CLOCK_ROUNDS = 20
"""Round trips by which two ranks compare their clocks before a message."""
_SLICE_WINDOW_S = 0.4
"""Seconds of computation in the experiment `slice`: some 10 time slices of each rank where 8 ranks share a processor."""
_FOREIGN_WINDOW_S = 0.4
"""Kernels count processor time in ticks of 10 ms. 40 ticks of each processor suffice to see a load of 10 %."""
_PAUSES_PER_S = 100
"""Pauses for each second of fixed work."""
_SLEEP_S = 0.002
"""Length of a pause."""
_START_LEAD_S = 0.025
"""Time between the agreement of all ranks on a common start and that start."""


@dataclass(frozen=True)
class PlanLine:
    """An experiment without its number, and its estimated duration in seconds."""

    kind: str
    keys: dict[str, str | int]
    seconds: float

    def text(self, number: int) -> str:
        """The line of the plan file: `ID KIND key=value ...`."""
        return " ".join([f"{self.kind}{number}", self.kind, *(f"{key}={value}" for key, value in self.keys.items())])


def repetitions(seconds: float, allowance_s: float, least: int, most: int) -> int:
    """Number of repetitions of `seconds` each that fit into `allowance_s`, in [least, most]."""
    return max(least, min(most, int(allowance_s / max(seconds, 1e-9))))


def pingpong(
    pairs: Sequence[Pair], size: int, reps: int, speed: Speed, *, group: str = "net", warm: int = 1
) -> PlanLine:
    """Ping-pongs of all pairs at the same time."""
    text = ",".join(f"{a}-{b}" for a, b in pairs)
    keys: dict[str, str | int] = {"group": group, "pairs": text, "bytes": size, "reps": reps, "warm": warm}
    return PlanLine("pingpong", keys, 2 * (reps + warm) * speed.time(size) + 0.005)


def gap_s(size: int, speed: Speed) -> float:
    """Delay of a late receive after its send, in seconds: by then, an eager message has arrived."""
    return min(max(_PAUSE_S, 1.5 * speed.time(size)), 0.1)


def ping(
    pair: Pair, order: str, size: int, reps: int, speed: Speed, *, group: str = "net", call: str = "send"
) -> PlanLine:
    """Lone messages, each after idle time. `order`: `recvfirst` or `sendfirst`, which makes the receive late."""
    gap = gap_s(size, speed) if order == "sendfirst" else _PAUSE_S
    keys: dict[str, str | int] = {
        "group": group, "a": pair[0], "b": pair[1], "order": order, "call": call,
        "bytes": size, "reps": reps, "gap_us": int(gap * 1e6),
    }  # fmt: skip
    each = gap + speed.time(size) + _CLOCK_ROUNDS * speed.time(8)
    return PlanLine("ping", keys, reps * each + 0.005)


def limit(pair: Pair, of: str, low: int, high: int, speed: Speed, *, group: str = "net") -> PlanLine:
    """Search for the size in [low, high], in bytes, at which the protocol of sends or receives (`of`) changes."""
    keys: dict[str, str | int] = {
        "group": group, "a": pair[0], "b": pair[1], "of": of, "low": low, "high": high,
        "gap_us": int(2 * _PAUSE_S * 1e6), "reps": 3,
    }  # fmt: skip
    # The size is doubled up to the limit and then bisected. The limit is not known yet; 64 KiB is common.
    way = speed.time(1 << 16)
    probes = 2 * 17
    return PlanLine("limit", keys, probes * 3 * (max(3 * _PAUSE_S, 3.5 * way) + _CLOCK_ROUNDS * speed.time(8)))


def foreign() -> PlanLine:
    """Processor load by other processes on the nodes, while all ranks sleep."""
    return PlanLine("foreign", {"window_us": int(_FOREIGN_WINDOW_S * 1e6)}, _FOREIGN_WINDOW_S + 0.15)


def time_slice() -> PlanLine:
    """Computation of all ranks at the same time, from one interruption of a rank to the next."""
    return PlanLine("slice", {"window_us": int(_SLICE_WINDOW_S * 1e6)}, _SLICE_WINDOW_S + 0.1)


def steal(rank: int, window_s: float) -> PlanLine:
    """Fixed work again and again, then pauses: of one rank while the others sleep, or of all at once (-1)."""
    pauses = max(5, int(window_s * _PAUSES_PER_S))
    keys: dict[str, str | int] = {
        "rank": rank, "window_us": int(window_s * 1e6), "pauses": pauses, "pause_us": int(_SLEEP_S * 1e6),
    }  # fmt: skip
    return PlanLine("steal", keys, window_s + 1.5 * pauses * _SLEEP_S + 0.05)


def noise(window_s: float) -> PlanLine:
    """All ranks repeat a short piece of work for `window_s` seconds, and count what interrupts it."""
    return PlanLine("noise", {"window_us": int(window_s * 1e6)}, window_s + 0.05)


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
) -> PlanLine:
    """Simultaneous transfers; `seconds` is the expected duration of one repetition."""
    text = ",".join(f"{a}>{b}" for a, b in flows)
    keys: dict[str, str | int] = {
        "group": group, "name": name, "list": text, "bytes": size, "reps": reps, "call": call, **more,
    }  # fmt: skip
    return PlanLine("flows", keys, reps * (seconds + _START_LEAD_S) + 0.02)


def plain(kind: str, seconds: float, **keys: str | int) -> PlanLine:
    """An experiment of any other kind, with the given duration."""
    return PlanLine(kind, keys, seconds)
