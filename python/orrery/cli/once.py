# SPDX-License-Identifier: BSD-3-Clause
"""Commands that refuse an option which takes one value and is given twice, where typer takes the last one silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from orrery.errors import InputError


class App(typer.Typer):
    """A group of commands, each of which is a `Command`."""

    def command(self, name: str | None = None, **more: Any) -> Callable[[Any], Any]:
        """As `typer.Typer.command` has it."""
        return super().command(name, cls=Command, **more)


class Command(TyperCommand):
    """A command whose options have one value, unless they are declared as lists."""

    def make_parser(self, ctx: Any) -> Any:
        """The parser, which raises InputError for an option that is given twice."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            values, rest, order = parse(args)
            if not ctx.resilient_parsing:
                refuse_twice(order)
            return values, rest, order

        parser.parse_args = parse_once  # type: ignore[method-assign]
        return parser


def refuse_twice(order: Sequence[Any]) -> None:
    """Raise InputError naming the first option that is given twice.

    A switch that is merely repeated says nothing else the second time; one that also has a spelling for "off" may.

    Args:
        order: the parameters of a command line, each as often as it is given.
    """
    for parameter, times in Counter(order).items():
        takes_one = parameter.param_type_name == "option" and not (parameter.multiple or parameter.count)
        repeated = times > 1 and not (parameter.is_flag and not parameter.secondary_opts)
        if takes_one and repeated:
            raise InputError(f"{'/'.join(spellings(parameter))}: is given {_times(times)}, and has one value: keep one")


def spellings(parameter: Any) -> list[str]:
    """How an option may be written; of a switch, for "on" and for "off"."""
    return [*parameter.opts, *parameter.secondary_opts]


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
