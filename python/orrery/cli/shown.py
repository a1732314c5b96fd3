# SPDX-License-Identifier: BSD-3-Clause
"""Results on standard output, as JSON or in words."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from orrery import terminal
from orrery.published import json_of

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
