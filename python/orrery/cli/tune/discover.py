# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune discover`: what an unknown MPI chooses, from its times."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import interrupted
from orrery.cli.files import OverwriteOption
from orrery.cli.said import say
from orrery.cli.shown import show_json
from orrery.errors import InputError
from orrery.output import Output, checked
from orrery.platform.trusted import said_once
from orrery.progress import progress
from orrery.tune.settings import DiscoveryRequest
from orrery.verbs import setting

if TYPE_CHECKING:
    from orrery.tune.discover.session import Discovery

_HELP = """
Find out what an MPI chooses itself, which may be one that nobody knows, from times alone.

Its calls are measured at few sizes and compared with those of all algorithms, simulated; where that tells more, further sizes
are measured. The result is a file for --selector-rules, with how sure each rule is.

Ctrl-C writes what is there by then; with --keep FOLDER the same command goes on from it.

\b
Examples:
  orrery tune discover --platform mine.toml --mpirun "mpirun -np {n} --hostfile hosts" -o found
  orrery tune discover bcast --library openmpi-4.1 --mpirun "mpirun -np {n}" -p mine.toml --keep times
"""


@dataclass(frozen=True, kw_only=True)
class DiscoverOptions(DiscoveryRequest):
    """Whose choices are found out, and where they go."""

    output: Annotated[Path | None, setting("-o", "--output", metavar="FOLDER")] = None
    """Write the file of rules there."""
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app, "tune discover", DiscoverOptions, _discover, help=_HELP, short_help="Find out what an MPI chooses itself."
    )


def _discover(_context: typer.Context, options: DiscoverOptions) -> int:
    from orrery.tune.discover.session import DiscoverySettings, discover

    asked = DiscoverySettings.of(options)
    place = _place(options)
    with said_once(), progress() as advanced:
        found = discover(asked, say, advanced)
    files = [] if place is None else _write(found, place)
    _print(found, files, options)
    return _ended(found, options) if found.interrupted else 0


def _place(options: DiscoverOptions) -> Output | None:
    """Where the rules go."""
    from orrery.tune.discover.selector_file import FILE

    if options.output is None:
        return None
    try:
        options.output.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"-o {options.output}: {error.strerror}; expected a folder") from None
    return checked(options.output / FILE, overwrite=options.overwrite)


def _write(found: Discovery, place: Output) -> list[str]:
    from orrery.tune.discover.selector_file import text_of

    place.write(text_of(found))
    return [str(place.path)]


def _print(found: Discovery, files: list[str], options: DiscoverOptions) -> None:
    from orrery.report.discovered import text
    from orrery.tune.discover.results import DiscoveryReport

    if options.as_json:
        show_json(DiscoveryReport(found, files))
    else:
        terminal.write(text(found, files), sys.stdout)


def _ended(found: Discovery, options: DiscoverOptions) -> int:
    whole = len(found.inferred.choices) + len(found.missing)
    cure = "the same command goes on from there" if options.keep else "--keep FOLDER would keep what is measured"
    return interrupted(f"{len(found.inferred.choices)} of {whole} cells are there; {cure}")
