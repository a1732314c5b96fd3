# SPDX-License-Identifier: BSD-3-Clause
"""Options of the command line take their help from the docstrings of the settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from orrery import docstrings


def option(model: type, field: str, *names: str, values: Sequence[str] = (), **more: Any) -> Any:
    """A typer option for `field` of `model`, with its docstring as help, and the `values` that there are."""
    known = f" There are: {', '.join(values)}." if values else ""
    return typer.Option(*names, help=docstrings.of_fields(model)[field] + known, **more)
