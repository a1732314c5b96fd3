# SPDX-License-Identifier: BSD-3-Clause
"""JSON on standard output, as all commands print it."""

from __future__ import annotations

from typing import Any

from orrery import terminal
from orrery.published import json_of


def show_json(result: Any) -> None:
    """Print a result."""
    terminal.line(json_of(result))
