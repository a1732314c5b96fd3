# SPDX-License-Identifier: BSD-3-Clause
"""JSON on standard output, as all commands print it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from orrery import terminal
from orrery.marks import mark_json


def show_json(document: Mapping[str, Any]) -> None:
    """Print a document, marked as one of Orrery's."""
    terminal.line(json.dumps(mark_json(dict(document)), indent=1))
