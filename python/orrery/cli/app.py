# SPDX-License-Identifier: BSD-3-Clause
"""`orrery`: the commands, and how mistakes reach the user."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import orrery
from orrery.cli import platform, prefix, profile, run
from orrery.errors import OrreryError

_ABOUT = """
A working model of a cluster: runs MPI programs on it and says how long they would take there.

\b
Build a program with Orrery's MPI, then run it on a simulated cluster:
  $(orrery prefix)/bin/mpicc -O2 ring.c -o ring
  orrery run -n 16 ./ring
  orrery run -n 16 --platform graphene ./ring
  orrery profile --per-rank
"""

_UsageError: type[Exception] = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")
"""Base of all that typer says about a command line (click.ClickException, or typer's own copy of it)."""

app = typer.Typer(
    help=_ABOUT,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(value: bool) -> None:  # noqa: FBT001  called by typer
    if value:
        typer.echo(f"orrery {orrery.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Options of `orrery` itself; the callback of each does its work."""


run.add_to(app)
profile.add_to(app)
platform.add_to(app)
prefix.add_to(app)


def main() -> None:
    """Run the command line: mistakes are one line on standard error and exit code 2, never a traceback."""
    try:
        code = app(prog_name="orrery", standalone_mode=False)
    except OrreryError as error:
        code = _complain(str(error), error.exit_code)
    except _UsageError as error:
        code = _complain(getattr(error, "format_message", error.__str__)(), getattr(error, "exit_code", 2))
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        # Whoever read our output has gone: nothing is left to say, and Python must not try at exit.
        sys.stderr.close()
        code = 141
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> int:
    if message:
        line = " ".join(message.split("\n")) if code != 1 else message
        sys.stderr.write(f"orrery: error: {line}\n")
    return code
