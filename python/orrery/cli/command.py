# SPDX-License-Identifier: BSD-3-Clause
"""Commands whose options are declared once, as the fields of a class.

A field has its type with what typer calls it, a default, and its docstring, which is its help:

    @dataclass(frozen=True, kw_only=True)
    class Options:
        most: Annotated[int, typer.Option("--most", metavar="N")] = 1
        \"\"\"At most so many.\"\"\"
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_type_hints

import typer

from orrery import docstrings, terminal
from orrery.cli.ending import NOTHING_KEPT
from orrery.cli.once import App
from orrery.errors import Interrupt

Options = TypeVar("Options")


def add_command(
    app: typer.Typer,
    name: str,
    options: type[Options],
    do: Callable[[typer.Context, Options], object],
    **more: Any,
) -> None:
    """Register a command of this name, which calls `do` with what the user said.

    `options`: a dataclass; `more`: as `typer.Typer.command` takes it, such as `help` and `short_help`.
    """

    def command(context: typer.Context, **values: Any) -> object:
        try:
            return do(context, options(**values))
        except KeyboardInterrupt:  # typer would end without a word
            raise Interrupt(NOTHING_KEPT) from None

    command.__signature__ = _signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {}  # those of the signature count
    app.command(name, **more)(command)


class CommandModule(Protocol):
    """A module with commands."""

    def add_to(self, app: typer.Typer) -> None:
        """Register them."""


def add_group(app: typer.Typer, name: str, parts: Iterable[CommandModule], **more: Any) -> None:
    """Register a group of commands; help names them in the order of `parts`. Its name alone says what there is.

    `more`: as `typer.Typer` takes it, such as `help` and `short_help`.
    """

    def root(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            terminal.line(context.get_help())

    root.__annotations__ = {"context": typer.Context}
    group = App(rich_markup_mode=None, **more)
    group.callback(invoke_without_command=True)(root)
    for part in parts:
        part.add_to(group)
    app.add_typer(group, name=name)


def _signature(options: type) -> inspect.Signature:
    """The context, then a parameter for each field."""
    kinds, docs = get_type_hints(options, include_extras=True), docstrings.of_fields(options)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    return inspect.Signature([context, *(_parameter(field, kinds[field.name], docs) for field in fields(options))])


def _parameter(field: Field[Any], kind: Any, docs: dict[str, str]) -> inspect.Parameter:
    plain, about = get_args(kind)
    if about.help is None:
        about = copy(about)
        about.help = docs[field.name]
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[plain, about]
    )
