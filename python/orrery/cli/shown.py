# SPDX-License-Identifier: BSD-3-Clause
"""Results as JSON and CSV, as all commands print and write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from orrery import terminal
from orrery.published import json_of
from orrery.words import cell


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
