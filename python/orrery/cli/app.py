# SPDX-License-Identifier: BSD-3-Clause
"""`orrery`: the commands, by typer."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import orrery
from orrery import terminal
from orrery.cli.ending import code_of, complain
from orrery.cli.once import App
from orrery.errors import InputError, did_you_mean

_ABOUT = """
A working model of a cluster: runs MPI programs on it and says how long they would take there.

\b
Build a program with Orrery's MPI, then run it on a simulated cluster:
  $(orrery prefix)/bin/mpicc -O2 ring.c -o ring
  orrery run -n 16 ./ring
  orrery run -n 16 --platform graphene ./ring
  orrery profile --per-rank

Words and options complete with Tab after: orrery --install-completion (bash, zsh, fish).
"""

_COMPLETE = "_ORRERY_COMPLETE"
"""Set by the shell's function that completes words, which asks this program for them."""

_UsageError: type[Exception] = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")
"""Base of all that typer says about a command line (click.ClickException, or typer's own copy of it)."""

_INCOMPLETE = ("Missing ", "No such ", "Got unexpected extra ")
"""Words that typer begins with where it names no cure, unless it ends with what is near."""

_PLAIN = (
    (r"is not a valid (?:int|integer)(?: range)?", "expected a whole number"),
    (r"is not a valid float(?: range)?", "expected a number"),
    (r"is not in the range (\S+?)<=x<=(\S+?)", r"expected a number from \1 to \2"),
    (r"is not in the range x>=(\S+?)", r"expected \1 or more"),
    (r"is not in the range x<=(\S+?)", r"expected \1 or less"),
)
"""What typer says at the end of what is wrong with a number, and the words for it."""

GROUPS = {
    "Simulate": ("run", "mpiexec", "replay", "collective", "benchmark"),
    "Look": ("profile", "compare", "compare selectors", "trace"),
    "Real runs": ("capture", "watch", "launch", "deploy", "relay"),
    "Improve": ("tune", "tune discover", "tune upgrade", "place"),
    "Describe clusters": ("calibrate", "platform", "validate"),
    "More": ("papers", "prefix"),
}
"""Commands as help and the reference group them, in the order in which people need them. Those that begin with the same word
are in a module of that name here, of which only the one that is wanted is loaded.
"""
_COMMANDS = tuple(name for names in GROUPS.values() for name in names)
_MODULES = tuple(dict.fromkeys(name.split()[0] for name in _COMMANDS))


class _Commands(TyperGroup):
    """The commands, listed by `GROUPS`; the name of one may be two words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The name of the command that `args` begin with, the command, and what follows it."""
        two = " ".join(args[:2])
        if two in self.commands:
            return two, self.commands[two], args[2:]
        seconds = [name.removeprefix(f"{args[0]} ") for name in self.commands if name.startswith(f"{args[0]} ")]
        word = args[1] if args[1:] and not args[1].startswith("-") else ""
        if seconds and word and not Path(word).exists() and (near := did_you_mean(word, seconds)):
            raise InputError(f'"{two}" is no command{near}')
        name, command, rest = super().resolve_command(ctx, args)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  typer calls it so
        """Write a list for each group."""
        for title, names in GROUPS.items():
            commands = [(name, self.commands[name]) for name in names if name in self.commands]
            width = formatter.width - 6 - max(map(len, _COMMANDS))
            if commands:
                with formatter.section(title):
                    formatter.write_dl([(name, command.get_short_help_str(width)) for name, command in commands])


def _app() -> typer.Typer:
    app = App(
        cls=_Commands,
        help=_ABOUT,
        add_completion=_COMPLETE in os.environ or _about_itself(sys.argv[1:2]),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(invoke_without_command=True)(_root)
    return app


def _about_itself(words: Sequence[str]) -> bool:
    """Whether options of completion are asked for, or shown: they take a while to load."""
    return not words or words[0] in ("-h", "--help") or "completion" in words[0]


def _root(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", "-V", help="Say which version this is.")] = False,
) -> None:
    """Without a command, say what there is."""
    if version:
        terminal.line(f"orrery {orrery.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        terminal.line(context.get_help())


def help_as_option(words: Sequence[str]) -> list[str]:
    """`help COMMAND` is `COMMAND --help`, as in other programs of several commands; any other words are as they are."""
    if words[:1] != ["help"]:
        return [*words]
    return [*(word for word in words if word not in ("help", "-h", "--help")), "--help"]


def load(words: Sequence[str]) -> typer.Typer:
    """The program with the command that `words` begin with; with all of them if it is none."""
    app = _app()
    if words[:1] in (["--version"], ["-V"]):
        return app
    for name in words[:1] if words and words[0] in _MODULES else _MODULES:
        importlib.import_module(f"orrery.cli.{name}").add_to(app)
    return app


def main(app: typer.Typer | None = None) -> int:
    """Run the command line and give its exit code; mistakes are one line on standard error and 2, never a traceback.

    `app` is what `load` gave for it.
    """
    return code_of(lambda: command(app))


def command(app: typer.Typer | None = None) -> object:
    """As `main`, for who sees to how it ends: what is not typer's own is raised."""
    try:
        commands = load(sys.argv[1:]) if app is None else app
        return commands(prog_name="orrery", standalone_mode=False)
    except _UsageError as error:
        return complain(_replaced(error) or _said(error), 2)
    except typer.Abort:
        return 130


def _replaced(error: Exception) -> str | None:
    """What to say where a spelling was right once."""
    from orrery.cli.replaced import command_of, said_of

    context = getattr(error, "ctx", None)
    command = command_of(sys.argv[1:]) if context is None else context.command_path.removeprefix("orrery").strip()
    return said_of(command, getattr(error, "option_name", None), _said(error))


def _said(error: Exception) -> str:
    """What typer has to say, on one line, without the words that pydantic puts before it, and where to read on."""
    text: str = error.format_message() if hasattr(error, "format_message") else str(error)
    said = " ".join(text.replace("Value error, ", "").split())
    for typers, plain in _PLAIN:
        said = re.sub(rf" {typers}\.$", f": {plain}", said)
    context = getattr(error, "ctx", None)
    if context is None or not said.startswith(_INCOMPLETE) or said.endswith("?") or "(Possible " in said:
        return said
    return f"{said.rstrip('.')}; `{context.command_path} --help` says what there is"
