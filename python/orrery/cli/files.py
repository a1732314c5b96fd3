# SPDX-License-Identifier: BSD-3-Clause
"""`-o FILE`, `--report FILE` and `--overwrite`, as all commands have them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.verbs import Setting, setting

_OVERWRITE = "Replace a file that Orrery did not write; its own it replaces anyway."
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help=_OVERWRITE)]
"""Beside every `-o`."""


def report_setting(**more: Any) -> Setting:
    """`--report FILE.html`. `more`: as the fields of `Setting` are called."""
    text = "Write a page that explains the result: one file, for any browser."
    return setting("--report", metavar="FILE.html", text=text, **more)


ReportOption = Annotated[Path | None, report_setting()]


def output_option(what: str) -> typer.models.OptionInfo:
    """`-o FILE`. `what`: what is written there, a sentence."""
    option: typer.models.OptionInfo = typer.Option("-o", "--output", metavar="FILE", help=what)
    return option
