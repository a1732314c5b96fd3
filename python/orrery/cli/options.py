# SPDX-License-Identifier: BSD-3-Clause
"""Options of the command line take their help from the docstrings of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from orrery import docstrings, units
from orrery.errors import InputError


def parse_budget(text: str) -> float:
    """Seconds of "5min", "90s" or "5", which are minutes. Raises InputError for anything else, and for less than a second."""
    try:
        budget_s = units.duration(text, 60.0)
    except ValueError:
        budget_s = 0.0
    if not 1 <= budget_s < float("inf"):
        raise InputError(
            f'--budget "{text}": expected a time of a second or more, such as 5min or 90s; a number: minutes'
        )
    return budget_s


def option(model: type, field: str, *names: str, values: Sequence[str] = (), **more: Any) -> Any:
    """A typer option for `field` of `model`, with its docstring as help, and the `values` that there are."""
    known = f" There are: {', '.join(values)}." if values else ""
    return typer.Option(*names, help=docstrings.of_fields(model)[field] + known, **more)
