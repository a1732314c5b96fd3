# SPDX-License-Identifier: BSD-3-Clause
"""Lists and ranges of sizes and of numbers of ranks, as the command line gives them."""

from __future__ import annotations

from collections.abc import Callable

from orrery import units
from orrery.errors import InputError

_MOST_RANKS = 2**31 - 1
"""Ranks are ints in MPI."""


def byte_sizes(text: str, option: str = "-s") -> list[int]:
    """Bytes in "8,64KiB" or "8:1MiB", which is 8, 16, 32, ... as far as 1 MiB. Raises InputError for anything else."""
    return _numbers(text, lambda number: byte_size(number, option))


def rank_counts(text: str, root: int) -> list[int]:
    """Numbers of ranks in "4,12" or "2:1024". Raises InputError for anything else, and where `root` is no rank."""
    return _numbers(text, lambda number: _ranks(number, root))


def byte_size(text: str, option: str) -> int:
    """Bytes in "1420" or "64KiB"."""
    try:
        size = units.byte_count(text)
    except units.BitsError as error:
        raise InputError(f'{option} "{text}": {error}') from None
    except ValueError:
        size = -1
    if size < 0:
        raise InputError(f'{option} "{text}": expected a size in bytes such as 8, 1024, {units.SIZES}')
    if size > units.MOST_BYTES:
        raise InputError(f'{option} "{text}": expected at most {units.MOST_BYTES >> 40} TiB')
    return size


def _numbers(text: str, parse: Callable[[str], int]) -> list[int]:
    found = []
    for part in text.split(","):
        first, colon, last = part.partition(":")
        found += _doubling(parse(first), parse(last), part) if colon else [parse(part)]
    return found


def _doubling(first: int, last: int, part: str) -> list[int]:
    if not 0 < first <= last:
        raise InputError(f'"{part}": a range goes from a number above 0 to a larger one, such as 8:1MiB')
    steps = (last // first).bit_length()
    return [first << step for step in range(steps)]


def _ranks(text: str, root: int) -> int:
    ranks = units.whole_number(text)
    if not ranks:
        raise InputError(f'-n "{text}": expected whole numbers above 0')
    if ranks > _MOST_RANKS:
        raise InputError(f"-n {text}: expected at most {_MOST_RANKS:,} ranks")
    if not 0 <= root < ranks:
        raise InputError(f"--root {root}: there is no such rank among {text}")
    return ranks
