# SPDX-License-Identifier: BSD-3-Clause
"""What a user has said, and what is said to a user. Options that have no effect beside others are refused, not ignored."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import typer

from orrery import terminal
from orrery.errors import InputError


def say(text: str) -> None:
    """A line on standard error, now."""
    terminal.write(f"orrery: {text}\n", sys.stderr)
    sys.stderr.flush()


def said(context: typer.Context) -> set[str]:
    """Names of the parameters that the user gave."""
    given = ("COMMANDLINE", "ENVIRONMENT")
    names = (parameter.name for parameter in context.command.params if parameter.name)
    return {name for name in names if getattr(context.get_parameter_source(name), "name", "") in given}


def spelling(context: typer.Context, name: str) -> str:
    """How the user writes a parameter: its long option."""
    parameter = next(parameter for parameter in context.command.params if parameter.name == name)
    long = [option for option in parameter.opts if option.startswith("--")]
    return long[0] if long else (getattr(parameter, "metavar", None) or name)


def refuse_all(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Raises InputError naming those of `names` that the user gave: "OPTIONS: WHY"."""
    given = said(context)
    if found := [spelling(context, name) for name in names if name in given]:
        raise InputError(f"{', '.join(found)}: {why}")


def refuse_without(context: typer.Context, needs: Mapping[str, str], *, there: Mapping[str, bool]) -> None:
    """Raises InputError for the first option that acts only beside another one which is not there.

    Args:
        context: of the command.
        needs: by parameter, what it acts beside, as the user writes it.
        there: whether that is so, by the same words.
    """
    given = said(context)
    for name, need in needs.items():
        if name in given and not there[need]:
            raise InputError(f"{spelling(context, name)}: acts only with {need}")
