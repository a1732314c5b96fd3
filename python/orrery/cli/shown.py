# SPDX-License-Identifier: BSD-3-Clause
"""Results on standard output and in files: as JSON, as CSV or in words."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from orrery import terminal
from orrery.published import json_of
from orrery.words import cell

_Result = TypeVar("_Result")


def show(result: _Result, text: Callable[[_Result], str], *, as_json: bool) -> None:
    """Print a result as JSON, or as the words that `text` has for it."""
    if as_json:
        show_json(result)
    else:
        terminal.write(text(result), sys.stdout)


def show_json(result: Any) -> None:
    """Print a result."""
    terminal.line(json_of(result))


def csv_of(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows, of which there is one at least, below the names of their columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(map(cell, row.values()) for row in rows)
    return text.getvalue()
