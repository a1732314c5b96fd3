# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units as SimGrid writes them."""

from __future__ import annotations

import re

_MOST_DIGITS = 18  # of the number of a host: what fits 64 bits
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z]*)\s*")
_PREFIX = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_PREFIX |= {f"{letter.upper()}i": 1024.0**power for power, letter in enumerate("kmgtpe", start=1)}
_TIMES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
_TIMES |= {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}


def seconds(text: str) -> float:
    """`59.904us` or `0.1`. Raises ValueError."""
    number, unit = _split(text)
    if unit not in _TIMES:
        raise ValueError(f'"{text}" is no time')
    return number * _TIMES[unit]


def bytes_per_second(text: str) -> float:
    """`41.28MBps`, `1Gbps` (bits) or bytes per second as a number. Raises ValueError."""
    number, unit = _split(text)
    for ending, factor in (("Bps", 1.0), ("bps", 0.125), ("", 1.0)):
        if unit.endswith(ending) and unit.removesuffix(ending) in _PREFIX:
            return number * _PREFIX[unit.removesuffix(ending)] * factor
    raise ValueError(f'"{text}" is no rate')


def flops_per_second(text: str) -> float:
    """`98.095Mf`; of several speeds ("100Mf,50Mf") the first, which is the fastest. Raises ValueError."""
    number, unit = _split(text.partition(",")[0])
    if unit.removesuffix("f") not in _PREFIX:
        raise ValueError(f'"{text}" is no speed')
    return number * _PREFIX[unit.removesuffix("f")]


def count(text: str) -> int:
    """`4`, or `4.0`, as SimGrid takes it. Raises ValueError."""
    number = float(text)
    if not 1 <= number < 1 << 31:
        raise ValueError(f'"{text}" is no count')
    return int(number)


def radical(text: str, most: int) -> list[int]:
    """`0-7,10`: 0, 1, ..., 7, 10. Raises ValueError, also for more than `most` numbers."""
    ranges: list[range] = []
    left = most
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if max(len(first), len(last)) > _MOST_DIGITS:
            raise ValueError("a number is too long")
        ranges.append(range(int(first), int(last or first) + 1))
        left -= len(ranges[-1])
        if left < 0:
            raise ValueError(f'"{text}": more than {most:,} hosts are too many for a file of SimGrid\'s')
    if left == most:
        raise ValueError(f'"{text}" is no list of numbers')
    return [number for one in ranges for number in one]


def _split(text: str) -> tuple[float, str]:
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f'"{text}" is no number with a unit')
    return float(found[1]), found[2]
