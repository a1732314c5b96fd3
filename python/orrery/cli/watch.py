# SPDX-License-Identifier: BSD-3-Clause
"""`orrery watch`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.replaced import check_words
from orrery.cli.said import say
from orrery.cli.shown import show_json
from orrery.errors import InputError
from orrery.output import checked
from orrery.published import json_of
from orrery.verbs import every
from orrery.watch.settings import WatchSettings

_HELP = """
Run a program on your real MPI, and hold the time of each kind of call against what a platform expects.

The program is not compiled again: a library is preloaded into its ranks, which counts calls and keeps the times of some of them.
The first watch with an MPI compiles it, with the mpicc of that MPI, and says so. C, Fortran and Python programs, Open MPI and
MPICH. While the program runs a line on standard error says now and then how it goes.

At the end: for each class of collectives and messages the measured time, the expected one, the range in which real times are
expected in 9 of 10 cases, and their ratio; which ranks, nodes and links are slower than they should be; who waits for whom; what is
left out. However the program ends, what its ranks did until then is there.

The expected times are simulated, for the algorithms that this MPI chooses (--selector), on ranks that are where the names of
their hosts are on the platform, or else in the order of the hosts.

\b
Exit code: that of the launcher; 2 for input that cannot be used; 1 when no rank was watched.

\b
Examples:
  orrery watch -p cluster.toml -- mpirun -np 64 ./cg
  orrery watch -p cluster.toml -o cg.json -- mpirun -np 64 ./cg        and all of it as JSON
  orrery watch -p cluster.toml --every 60 -- mpirun -np 64 ./cg        a line each minute
  orrery watch -p cluster.toml --mpicc mpicc.mpich -- srun -n 64 ./cg  where the launcher does not tell which MPI it is
"""


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """What `orrery watch` can be told."""

    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", show_default=False)]
    """What starts the program."""
    settings: Annotated[Mapping[str, Any], every(WatchSettings)]
    output: Annotated[Path | None, output_option("Write what was found there, as JSON.")] = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print what was found as JSON; the program's output goes to standard error."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "watch",
        WatchOptions,
        _watch,
        help=_HELP,
        short_help="Hold a real run against what is expected.",
        context_settings={"allow_interspersed_args": False},
    )


def _watch(_context: typer.Context, options: WatchOptions) -> int:
    from orrery.report.watched import text
    from orrery.watch.session import watch

    if options.as_json and (old := check_words("watch", "--json", options.command[0])):
        raise InputError(old)
    out = None
    if options.output is not None:
        out = checked(options.output, overwrite=options.overwrite)
        if out.is_standard_output:
            raise InputError("-o -: standard output is the program's; name a file")
    watched = watch(WatchSettings(command=options.command, output_aside=options.as_json, **options.settings), say)
    terminal.write(text(watched), sys.stderr)
    if options.as_json:
        show_json(watched)
    if out is not None:
        out.write(f"{json_of(watched)}\n")
    return watched.exit_code
