# SPDX-License-Identifier: BSD-3-Clause
"""Quantities as people write them ("10Gbit/s", "24us", "64 KiB") and back.

A number without a unit is in the base unit, which the name of its key says: seconds, bytes, bytes per second.
`b` and `bit` are bits, `B` is a byte; k, M, G are powers of 1000; Ki, Mi, Gi are powers of 1024. Only rates may be in bits: who
writes a size of 64kb means bytes. Sizes without `B` are as dd, OSU's benchmarks and Intel's read them: 64K and 1M are 64 KiB and
1 MiB, as are 64Ki and 1Mi.
"""

from __future__ import annotations

import math

_TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9, "ps": 1e-12}
_PREFIX = {
    "": 1,
    "k": 1000,
    "K": 1000,
    "M": 1000**2,
    "G": 1000**3,
    "T": 1000**4,
    "Ki": 1024,
    "Mi": 1024**2,
    "Gi": 1024**3,
    "Ti": 1024**4,
}
_BINARY = {**dict.fromkeys(("k", "K", "Ki"), 1024), **dict.fromkeys(("M", "Mi"), 1024**2),
           **dict.fromkeys(("G", "Gi"), 1024**3), **dict.fromkeys(("T", "Ti"), 1024**4)}  # fmt: skip
"""Units of sizes that are powers of 1024, as they have no `B`."""
SIZES = "64k, 64KiB, 1M and 1MiB (powers of 1024) or 1MB (a power of 1000)"
"""Sizes as they may be written, for messages."""
MOST_BYTES = 1 << 53
"""The largest size: up to here each number of bytes is a double."""
_MOST_DIGITS = 18
_NUMBER = r"\s*([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
_QUANTITY = _NUMBER + r"(.*?)\s*"
_BYTES = r"((?:[KMGT]i?|k)?)(bit|b|B)"

# Units behind a number as regular expressions, for JSON schemas: what the functions below read, and nothing else.
_ONE_TIME = f"(?:{'|'.join(_TIME)})"
_ONE_SIZE = "(?:[KMGT]i?|k)?(?:bit|b|B)"
TIME_UNIT = f"{_ONE_TIME}?"
TIME_PER_BYTE_UNIT = rf"{_ONE_TIME}?(?:\s*/B)?"
RATE_UNIT = f"(?:{_ONE_SIZE}/s|(?:[KMGT]i?|k)?bps)?"
SIZE_UNIT = f"(?:(?:[KMGT]i?|k)?B|{'|'.join(_BINARY)})?"


class BitsError(ValueError):
    """A size in bits; its text is a sentence that says how bytes are written."""


def _split(text: str) -> tuple[float, str]:
    import re  # only to show quantities, it would take longer to load than all the rest

    match = re.fullmatch(_QUANTITY, text)
    if match is None:
        raise ValueError(text)
    return float(match[1].replace("_", "")), match[2]


def _byte_factor(unit: str) -> float:
    import re

    match = re.fullmatch(_BYTES, unit)
    if match is None:
        raise ValueError(unit)
    return _PREFIX[match[1]] / (1 if match[2] == "B" else 8)


def seconds(text: str) -> float:
    """Seconds in "24us", "7.8 ms" or "0.5". Raises ValueError for anything else."""
    number, unit = _split(text)
    if unit and unit not in _TIME:
        raise ValueError(text)
    # Division by a power of ten that is exact in binary rounds once: "24us" is the number that 24e-6 is.
    return number / round(1 / _TIME[unit]) if unit else number


def duration(text: str, base_s: float) -> float:
    """Seconds in "240s", "4min", "1h"; a number without a unit counts `base_s`. Raises ValueError for anything else."""
    number, unit = _split(text)
    factor = {"": base_s, "min": 60.0, "m": 60.0, "h": 3600.0}.get(unit)
    return number * factor if factor is not None else seconds(text)


def byte_count(text: str) -> int:
    """Whole bytes in "64KiB", "64K", "1.5 MB" or "1420".

    Raises BitsError for bits, and ValueError for anything else and for parts of a byte.
    """
    number, unit = _split(text)
    if unit.endswith(("b", "bit")):
        raise BitsError(_bytes_instead(text, unit))
    count = number * (_BINARY[unit] if unit in _BINARY else _byte_factor(unit or "B"))
    if not math.isfinite(count) or count != int(count):
        raise ValueError(text)
    return int(count)


def _bytes_instead(text: str, unit: str) -> str:
    prefix = unit.removesuffix("bit").removesuffix("b")
    if prefix not in _PREFIX:
        raise ValueError(text)
    number = text.strip().removesuffix(unit).rstrip()
    letter = prefix.removesuffix("i")
    ways = f"{number}B" if not letter else f"{number}{'k' if letter == 'K' else letter}B or {number}{letter.upper()}iB"
    return f"sizes are in bytes, and {unit} are bits: {ways}"


def bytes_per_second(text: str) -> float:
    """Rate in "10Gbit/s", "1.2 GiB/s" or "125e6". Raises ValueError for anything else."""
    number, unit = _split(text)
    if not unit:
        return number
    if unit.endswith("bps"):
        unit = unit.removesuffix("ps") + "/s"
    if not unit.endswith("/s"):
        raise ValueError(text)
    return number * _byte_factor(unit.removesuffix("/s"))


def seconds_per_byte(text: str) -> float:
    """Cost in "0.8ns/B" or "8e-10". Raises ValueError for anything else."""
    return seconds(text.rstrip().removesuffix("/B"))


def whole_number(text: str) -> int | None:
    """The number in "0" or "42"; None for all but ASCII digits, and for more than 63 bits hold.

    Python itself takes digits of other scripts, and ends where there are thousands of them.
    """
    digits = text.lstrip("0")
    if not (text.isascii() and text.isdigit()) or len(digits) > _MOST_DIGITS:
        return None
    return int(digits or "0")


def show_time(value: float) -> str:
    """`1.23 ms`: four significant digits with the unit that suits."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= factor:
            return f"{value / factor:.4g} {unit}"
    return "0 s" if value == 0 else f"{value * 1e9:.4g} ns"


def show_difference(value: float) -> str:
    """`+1.23 ms`: a difference of times."""
    return f"+{show_time(value)}" if value > 0 else show_time(value)


def show_bytes(value: float) -> str:
    """`1.5 MiB`: four significant digits with a binary prefix."""
    for unit, factor in (("TiB", 1024**4), ("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value:.4g} B"


def show_rate(value: float) -> str:
    """`1.25 GB/s (10 Gbit/s)`: as memory is sold and as networks are sold."""
    return f"{_decimal(value)}B/s ({_decimal(value * 8)}bit/s)"


def _decimal(value: float) -> str:
    for unit, factor in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value:.4g} "
