# SPDX-License-Identifier: BSD-3-Clause
"""`orrery launch`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption
from orrery.cli.outputs import profile_output
from orrery.cli.said import say
from orrery.errors import InputError

_HELP = """
Start a program on your real MPI, by its own launcher, with the groups of ranks that a job profile asks for.

The ranks find the groups in the environment variable ORRERY_GROUPS. A program reads it by a header that needs nothing
else: names to numbers ("colours") and back, its own group, ranks of a group, a communicator of a group. The same program runs in
simulation with `orrery run --groups`. Copy the files to your program, or let the compiler find them:

\b
  mpicc -I$(orrery prefix)/portable ...      #include <orrery/groups.h>
  mpifort -I$(orrery prefix)/portable ...    include 'orrery/groups.f90', a module orrery_groups
  Python with mpi4py                         from orrery.groups import Groups

Nothing is simulated, and nothing of Orrery is loaded into the program. Open MPI's mpirun is told to hand the variable on (-x),
MPICH's, Intel's and srun hand on their environment. Of another launcher you are told to see to that.

A job profile in TOML; `orrery run --help` and the page "ask for groups" of the documentation say more:

\b
  [[group]]
  name = "ocean"
  processes = "50 %"            # or 4, "rest", "$NPROCS"; or ranks = "0-3,8"
  [[group.group]]               # groups inside, to any depth
  name = "east"
  [[group.group]]
  name = "west"
  [[group]]
  name = "air"

\b
Exit code: that of the launcher; 2 for input that cannot be used.

\b
Examples:
  orrery launch --groups job.toml -- mpirun -n 8 ./climate
  orrery launch --groups job.xml -- srun -n 64 ./climate
  orrery launch --groups job.toml --ranks 64 -- ./start.sh     where the command does not say how many
  orrery launch --groups job.toml --groups-out filled.toml -- mpirun -n 8 ./climate
"""


@dataclass(frozen=True, kw_only=True)
class LaunchOptions:
    """What `orrery launch` can be told."""

    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", show_default=False)] = None
    """What starts the program."""
    groups: Annotated[Path, typer.Option("--groups", metavar="FILE", show_default=False)]
    """Job profile, TOML or XML: which groups of ranks the program asks for."""
    ranks: Annotated[int | None, typer.Option("--ranks", metavar="N", min=1)] = None
    """Number of ranks; by default as the command says (-n N)."""
    groups_out: Annotated[Path | None, typer.Option("--groups-out", metavar="FILE")] = None
    """Write the job profile there, with the ranks and the number of each group. XML if its name ends in .xml, else TOML."""
    overwrite: OverwriteOption = False


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "launch",
        LaunchOptions,
        _launch,
        help=_HELP,
        short_help="Start a program on a real MPI with the groups of its job.",
        context_settings={"allow_interspersed_args": False},
    )


def _launch(_context: typer.Context, options: LaunchOptions) -> int:
    from orrery.launch.session import LaunchSettings, launch

    if not options.command:
        raise InputError("expected -- and what starts the program, such as -- mpirun -n 8 ./climate")
    out = None
    if options.groups_out is not None:
        out = profile_output(options.groups_out, overwrite=options.overwrite, read=[options.groups])
    settings = LaunchSettings(command=options.command, groups=options.groups, ranks=options.ranks, groups_out=out)
    return launch(settings, say)
