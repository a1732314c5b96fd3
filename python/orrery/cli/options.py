# SPDX-License-Identifier: BSD-3-Clause
"""Options of the command line take their help from the docstrings of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from orrery import docstrings

_UNDESCRIBED: list[tuple[Any, type, str, str]] = []
"""Options without help yet, each with the class and the field that it sets, and what to say behind its docstring."""


def option(model: type, field: str, *names: str, values: Sequence[str] = (), **more: Any) -> Any:
    """A typer option for `field` of `model`, with its docstring as help, and the `values` that there are.

    The help is there after `describe_options`: reading docstrings takes time that few command lines need.
    """
    info = typer.Option(*names, **more)
    known = f" There are: {', '.join(values)}." if values else ""
    _UNDESCRIBED.append((info, model, field, known))
    return info


def describe_options() -> None:
    """Give all options their help."""
    while _UNDESCRIBED:
        info, model, field, known = _UNDESCRIBED.pop()
        info.help = docstrings.of_fields(model)[field] + known
