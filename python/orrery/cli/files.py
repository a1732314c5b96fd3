# SPDX-License-Identifier: BSD-3-Clause
"""`-o FILE`, `--report FILE` and `--overwrite`, as all commands have them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.verbs import setting

_OVERWRITE = "Replace a file that Orrery did not write; its own it replaces anyway."
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help=_OVERWRITE)]
"""Beside every `-o`."""
OverwriteSetting = Annotated[bool, setting("--overwrite", needs="output", text=_OVERWRITE)]
"""That, where `-o` is all that is written."""
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FILE.html", help="Write a page that explains the result: one file, for any browser."
    ),
]


def output_option(what: str) -> typer.models.OptionInfo:
    """`-o FILE`. `what`: what is written there, a sentence."""
    option: typer.models.OptionInfo = typer.Option("-o", "--output", metavar="FILE", help=what)
    return option
