# SPDX-License-Identifier: BSD-3-Clause
"""Figures and tables that an experiment shows, from where in the paper it says that it is."""

from __future__ import annotations

import re

_SHOWN = re.compile(r"\b(figure|table)s? ([A-Z\d][\w.]*)(?: to ([A-Z\d][\w.]*))?")


def shows(where: str, kind: str, number: str) -> bool:
    """Whether "section 3.3, figures 6 to 8" has this figure or table.

    Args:
        where: of an experiment.
        kind: `figure` or `table`.
        number: as the paper has it, such as 7, 4.1 or A.12.
    """
    wanted = _parts(number)
    for found in _SHOWN.finditer(where):
        first, last = _parts(found[2]), _parts(found[3] or found[2])
        if found[1] == kind and len(first) == len(wanted) and first[:-1] == wanted[:-1] and first <= wanted <= last:
            return True
    return False


def _parts(number: str) -> list[tuple[int, str]]:
    """For comparisons: numbers as such, letters behind them."""
    return [(int(part), "") if part.isdigit() else (0, part.upper()) for part in number.rstrip(".").split(".")]
