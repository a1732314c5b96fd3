# SPDX-License-Identifier: BSD-3-Clause
"""What a page says of bounds that were set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal


def tone_of(above: Sequence[str], *, bounded: bool) -> Literal["plain", "good", "bad"]:
    """Tone of the verdict. `above`: a sentence for each exceeded bound; `bounded`: whether there are any."""
    return "bad" if above else "good" if bounded else "plain"


def bounds_said(above: Sequence[str], *, bounded: bool) -> str:
    """To be put behind a verdict; empty without bounds."""
    if above:
        return f" Bounds are exceeded: {'; '.join(above)}."
    return " All bounds hold." if bounded else ""
