# SPDX-License-Identifier: BSD-3-Clause
"""Options of the command line take their help from the docstrings of the settings."""

from __future__ import annotations

from typing import Any

import typer

from orrery import docstrings


def option(model: type, field: str, *names: str, **more: Any) -> Any:
    """A typer option for `field` of `model`, with its docstring as help."""
    return typer.Option(*names, help=docstrings.of_fields(model)[field], **more)
