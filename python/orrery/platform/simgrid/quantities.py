# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units as SimGrid writes them."""

from __future__ import annotations

import math
import re
from itertools import accumulate, repeat
from operator import mul

_MOST_DIGITS = 18  # of the number of a host: what fits 64 bits
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*")


def _powers(names: str, factor: float) -> dict[str, float]:
    return dict(zip(names.split(), accumulate(repeat(factor), mul), strict=False))


_PREFIX = {"": 1.0, "K": 1e3} | _powers("k M G T P E Z Y", 1000.0) | _powers("Ki Mi Gi Ti Pi Ei Zi Yi", 1024.0)
_SPELLED = _powers("kilo mega giga tera peta exa zeta yotta", 1000.0)
_TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
_TIMES |= {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_RATES = {f"{prefix}{ending}": power * factor for prefix, power in _PREFIX.items()
          for ending, factor in (("Bps", 1.0), ("bps", 0.125))} | {"": 1.0}  # fmt: skip
_SPEEDS = {f"{prefix}{ending}": power for prefix, power in (_PREFIX | _SPELLED).items() for ending in ("f", "flops")}
_SPEEDS |= _PREFIX  # before version 4 numbers had prefixes alone


def seconds(text: str) -> float:
    """`59.904us` or `0.1`. Raises ValueError."""
    return _measured(text, _TIMES, "time", "s, ms, us, ns, ps, m, h, d, w")


def bytes_per_second(text: str) -> float:
    """`41.28MBps`, `1Gbps` (bits) or bytes per second as a number. Raises ValueError."""
    return _measured(text, _RATES, "rate", "Bps, kBps, MBps, GBps, KiBps, MiBps, ..., or bps, Mbps, ... for bits")


def flops_per_second(text: str) -> float:
    """`98.095Mf`, `1Gflops` or `1gigaflops`. Raises ValueError."""
    return _measured(text, _SPEEDS, "speed", "f, kf, Mf, Gf, ..., or flops, megaflops, gigaflops, ...")


def number(text: str) -> float:
    """A number without a unit. Raises ValueError."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f'"{text}" is no number') from None


def whole(text: str) -> int:
    """`4`, or `4.0`, as SimGrid takes it; from 0. Raises ValueError."""
    value = number(text)
    if not 0 <= value < 1 << 31:
        raise ValueError(f'"{text}" is no count')
    return math.floor(value)


def count(text: str) -> int:
    """`4`, or `4.0`, as SimGrid takes it; from 1. Raises ValueError."""
    if (value := whole(text)) < 1:
        raise ValueError(f'"{text}" is no count')
    return value


def radical(text: str) -> list[range]:
    """`0-7,10`: 0 to 7, and 10. Raises ValueError."""
    ranges: list[range] = []
    for part in text.split(","):
        first, _, last = (word.strip() for word in part.partition("-"))
        if max(len(first), len(last)) > _MOST_DIGITS:
            raise ValueError("a number is too long")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise ValueError(f'"{text[:80]}" is no list of numbers')
        ranges.append(range(int(first), int(last or first) + 1))
    if not any(ranges):
        raise ValueError(f'"{text[:80]}" is no list of numbers')
    return ranges


def _measured(text: str, units: dict[str, float], what: str, known: str) -> float:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is no number with a unit')
    if found[2] not in units:
        raise ValueError(f'"{text}" is no {what}: its unit may be {known}')
    return float(found[1]) * units[found[2]]
