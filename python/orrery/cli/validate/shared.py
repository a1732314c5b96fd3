# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of `orrery validate` have in common."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, get_args

import typer

from orrery import terminal
from orrery.cli.files import output_option
from orrery.errors import InputError
from orrery.output import Output
from orrery.platform.model import Model
from orrery.published import json_of

WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="COLUMN=VALUE", help="Only rows with this value; may be repeated."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as JSON; in seconds.")]
WrittenOption = Annotated[
    list[Path] | None,
    output_option(
        "What to write, by its ending: everything (FILE.json) or a drawing (FILE.html, .svg, .png); may be repeated."
    ),
]


def suite_of(file: Path | None, option: Path | None, command: str) -> Path:
    """The suite, named as an argument or by --suite. Raises InputError for none, and for both."""
    if file is not None and option is not None:
        raise InputError(f"--suite {option}: names a second suite beside {file}")
    if (found := file or option) is None:
        raise InputError(f"expected a suite, a TOML file: orrery validate {command} FILE")
    return found


def columns(where: Sequence[str] | None) -> dict[str, str]:
    """Values by column. Raises InputError for what names neither."""
    chosen = {}
    for text in where or ():
        column, equals, value = text.partition("=")
        if not equals or not column:
            raise InputError(f'--where "{text}": expected COLUMN=VALUE')
        chosen[column] = value
    return chosen


def models(named: Sequence[str] | None) -> tuple[Model, ...]:
    """Those that were named, or all. Raises InputError for one that is not there."""
    known: tuple[Model, ...] = get_args(Model)
    if unknown := [name for name in named or () if name not in known]:
        raise InputError(f"--model {unknown[0]}: there are {', '.join(known)}")
    return tuple(model for model in known if not named or model in named)


def write_record(found: object, outputs: dict[str, Output]) -> None:
    """In the file that was named for it, if one was."""
    if ".json" in outputs:
        outputs[".json"].write(f"{json_of(found)}\n")


def complain(above: Sequence[str]) -> int:
    """Say which bounds are exceeded. Gives the exit code."""
    for line in above:
        terminal.write(f"orrery validate: {line}\n", sys.stderr)
    return 1 if above else 0
