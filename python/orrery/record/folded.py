# SPDX-License-Identifier: BSD-3-Clause
"""Memory that ranks share instead of having it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapPlace:
    """A place in the program that asked for large blocks of the heap, and what the first rank had in them."""

    file: str
    """File of the machine code."""
    offset: int
    """Where in it, in bytes: `addr2line -e FILE OFFSET` gives the line of the source."""
    blocks: int
    """Blocks that it asked for."""
    words: int
    """Words of 8 bytes that were looked at and are not 0."""
    suspected: int
    """How many of these are no floating-point numbers: integers or addresses, which the program may depend on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedMemory:
    """How much memory was shared."""

    asked_bytes: int
    """Bytes that all ranks together asked for, most at once."""
    held_bytes: int
    """Bytes that stand for them; part of `peak_rss_bytes`."""
    places: list[HeapPlace] = field(default_factory=list)
    """With --fold-heap: what is in it."""
