# SPDX-License-Identifier: BSD-3-Clause
"""Lists of ranks as text: "0-3,8,10-30/2" are 0 to 3, 8, and every second one from 10 to 30."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?:/([1-9]\d{0,8}))?)?")
EXPECTED = 'expected ranks such as "0-3,8", or "0-30/2" for every second one'
"""For messages."""


def parse(text: str, size: int) -> list[int]:
    """The ranks that a list names, in its order.

    Args:
        text: the list.
        size: number of ranks that there are; bounds what a few characters can ask for.
    Raises:
        ValueError: it is no such list, names a rank twice, or one that there is not.
    """
    ranks: list[int] = []
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        if not found:
            raise ValueError(EXPECTED)
        first = int(found[1])
        last = first if found[2] is None else int(found[2])
        if last < first:
            raise ValueError(f"{part.strip()} ends before it begins; {EXPECTED}")
        if last >= size:
            raise ValueError(f"names rank {last}, but the ranks are 0 to {size - 1}")
        ranks += range(first, last + 1, int(found[3] or 1))
        if len(ranks) > size:
            break
    if len(set(ranks)) < len(ranks):
        raise ValueError("names a rank twice")
    return ranks


def show(ranks: Sequence[int]) -> str:
    """The list as short text, which `parse` reads: the same ranks in the same order."""
    return ",".join(_runs(ranks))


def _runs(ranks: Sequence[int]) -> Iterator[str]:
    begin = 0
    while begin < len(ranks):
        end = begin + 1
        step = ranks[end] - ranks[begin] if end < len(ranks) else 0
        while step > 0 and end < len(ranks) and ranks[end] - ranks[end - 1] == step:
            end += 1
        if end - begin < 3 and step != 1:  # two that are apart are as short by themselves
            end = begin + 1
        first, last = ranks[begin], ranks[end - 1]
        yield str(first) if first == last else f"{first}-{last}" if step == 1 else f"{first}-{last}/{step}"
        begin = end
