# SPDX-License-Identifier: BSD-3-Clause
"""`-o FILE` and `--overwrite`, as all commands have them."""

from __future__ import annotations

from typing import Annotated

import typer

OverwriteOption = Annotated[
    bool,
    typer.Option("--overwrite", help="Let -o replace a file that Orrery did not write; its own it replaces anyway."),
]
"""Beside every `-o`."""


def output_option(what: str) -> typer.models.OptionInfo:
    """`-o FILE`. `what`: what is written there, a sentence."""
    option: typer.models.OptionInfo = typer.Option("-o", "--output", metavar="FILE", help=what)
    return option
