# SPDX-License-Identifier: BSD-3-Clause
"""`orrery deploy`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption
from orrery.cli.said import say
from orrery.errors import InputError
from orrery.output import checked
from orrery.published import json_of
from orrery.verbs import setting
from orrery.words import shell

_HELP = """
Run a program on your real MPI with collective algorithms of Orrery's: those that `orrery collective` simulates.

A rules file says which calls have which algorithm; all other calls are left to the MPI library. The program is not
compiled again: a library is preloaded into its ranks. The first use with an MPI compiles it, with the mpicxx of that MPI,
and says so. C, Fortran and Python programs, Open MPI and MPICH.

\b
  [[rule]]
  collective = "bcast"                  barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall
  min_ranks = 8                         limits are included, and may be left out
  max_bytes = "256KiB"                  of the vector, or of a block, as in orrery collective -s
  algorithm = "hierarchical(levels=site+node):segment=10KiB"     as in orrery collective --algorithm, or "library"

Hierarchical algorithms follow nodes and NUMA nodes by themselves, and sites, clusters and cabinets where --topology or
--platform names the hosts in them. At the end a summary on standard error says which calls had which algorithm.

\b
Exit code: that of the launcher; 2 for input that cannot be used; 1 when no rank used the library.

\b
Examples:
  orrery deploy --collectives rules.toml -- mpirun -np 64 ./cg
  orrery deploy --collectives rules.toml --topology places.toml --check -- mpirun -np 64 ./cg
  orrery deploy --collectives rules.toml --mpicxx mpicxx.mpich -- srun -n 64 ./cg
  orrery deploy --collectives rules.toml --prepare job       prints variables for a launcher that is started otherwise
"""

_NAMED = {"platform": "{platform} says where hosts are, too; use one of them"}
_RUNS_NOTHING = {"prepare": "acts only on a program that runs, not with {prepare}"}


@dataclass(frozen=True, kw_only=True)
class DeployOptions:
    """What `orrery deploy` can be told."""

    collectives: Annotated[Path, typer.Option("--collectives", metavar="RULES.toml", show_default=False)]
    """Which calls have which algorithm."""
    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", show_default=False)] = None
    """What starts the program."""
    topology: Annotated[Path | None, setting("--topology", metavar="PLACES.toml", beside=_NAMED)] = None
    """Where hosts are: [[place]] with hosts (names, or patterns), site, cluster, cabinet."""
    platform: Annotated[str | None, setting("-p", "--platform", metavar="NAME|FILE")] = None
    """Where hosts are, from a platform whose hosts have the names of the real ones."""
    check: Annotated[bool, typer.Option("--check")] = False
    """Compare the first use of each rule, class of sizes and communicator with the library's result; a difference ends the job."""
    output: Annotated[Path | None, setting("-o", "--output", metavar="FILE", beside=_RUNS_NOTHING)] = None
    """Write the summary there, as JSON, not on standard error."""
    overwrite: OverwriteOption = False
    mpicxx: Annotated[str | None, typer.Option("--mpicxx", metavar="COMMAND")] = None
    """C++ compiler of your MPI, for C++20; by default the one that lies beside mpirun."""
    prepare: Annotated[Path | None, setting("--prepare", metavar="FOLDER")] = None
    """Run nothing: write what ranks need to the folder, and print the environment variables that they need."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "deploy",
        DeployOptions,
        _deploy,
        help=_HELP,
        short_help="Run a program on a real MPI with simulated collectives.",
        context_settings={"allow_interspersed_args": False},
    )


def _deploy(_context: typer.Context, options: DeployOptions) -> int:
    from orrery.deploy.places import places_of_platform, read_places
    from orrery.deploy.rules import read_rules
    from orrery.deploy.session import DeploySettings, deploy, prepare
    from orrery.report.deployed import text

    if bool(options.command) == (options.prepare is not None):
        raise InputError(
            "expected either -- and what starts the program, such as -- mpirun -n 4 ./cg, or --prepare FOLDER"
        )
    out = None
    if options.output is not None:
        out = checked(
            options.output, overwrite=options.overwrite, read=filter(None, [options.collectives, options.topology])
        )
        if out.is_standard_output:
            raise InputError("-o -: standard output is the program's; name a file")
    places = read_places(options.topology) if options.topology is not None else []
    settings = DeploySettings(
        command=options.command or [],
        rules=read_rules(options.collectives),
        places=places_of_platform(options.platform) if options.platform is not None else places,
        check=options.check,
        mpicxx=options.mpicxx,
    )
    if options.prepare is not None:
        for name, value in prepare(settings, options.prepare, say).items():
            terminal.hand_on(f"export {name}={shell(value)}\n")
        return 0
    deployed = deploy(settings, say)
    if out is None:
        terminal.write(text(deployed), sys.stderr)
    else:
        out.write(f"{json_of(deployed)}\n")
    return deployed.exit_code
