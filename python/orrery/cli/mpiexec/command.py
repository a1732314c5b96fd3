# SPDX-License-Identifier: BSD-3-Clause
"""The command `orrery mpiexec`."""

from __future__ import annotations

import os
import sys
from itertools import pairwise

import typer

import orrery
from orrery import terminal
from orrery.cli.mpiexec.line import line_of
from orrery.platform.find import DEFAULT
from orrery.platform.prepared import prepare

_HELP = """
Start an MPI program on a simulated cluster, with the options that people know from mpiexec and mpirun.

`mpiexec` and `mpirun` of $(orrery prefix)/bin are this command. It takes the options of Hydra (MPICH) and of Open MPI, with
one dash or two, and all options of `orrery run`. An option that has no meaning in a simulation is ignored with a word on
standard error; one that cannot be obeyed is refused.

\b
How many, and what:
  -n, -np N                  ranks of the program behind it; "a : -n 2 b" starts several programs
  -configfile, --app FILE    one program on each line, with its options
  -wdir FOLDER               where ranks start
  -env NAME VALUE, -x NAME[=VALUE], -genv NAME VALUE, -envlist, -genvlist NAMES
  -s 0|none                  which rank reads standard input
  -l, --tag-output           the rank before each line

\b
Where, on the nodes of the platform (`orrery platform show` names them):
  -f FILE                    a host file of Hydra: a host without a number is one slot
  --hostfile FILE            a host file of Open MPI: a host without a number has a slot for each core
  -hosts, --host LIST        node-1,node-2:4
  -ppn, -N, -npernode N      so many ranks to each node
  --map-by slot|node|socket|ppr:N:node
  --rankfile FILE            rank N=HOST slot=CORES: ranks that are bound to one core share it
  -bind-to core|socket|none  each rank has a core of its own as long as there are enough
  -bind-to user:0,2          the first rank of a node on core 0, the second on core 2; 0+1: on either

\b
How they are started, where the platform says what that takes ([launch]):
  -launcher ssh|slurm|pbs    through connections, or by a resource manager
  -rmk slurm|pbs             the same, where no -launcher is given
  -branch-count N            so many proxies below each other one

\b
Examples:
  mpiexec -n 16 -ppn 4 --platform graphene ./cg
  mpiexec -f hosts -n 4 -env OMP_NUM_THREADS 2 ./a : -n 1 ./b
  mpirun -np 8 --map-by node -x DEBUG --report a.html ./a
"""

_CONTEXT = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": [],  # typer would take -launcher for -l -a ... -h
}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(
        "mpiexec", help=_HELP, short_help="The same, with the options of mpiexec and mpirun.", context_settings=_CONTEXT
    )(_mpiexec)


def _mpiexec(context: typer.Context) -> object:
    from orrery.cli.app import load

    words = list(context.args)
    if not words or words[0] in ("-h", "-help", "--help"):
        terminal.line(context.get_help())
        return 0
    if words[0] in ("--version", "-version", "-V", "-info"):
        terminal.line(f"mpiexec (Orrery) {orrery.__version__}")
        return 0
    run = load(["run"])
    line = line_of(words, _taken_by(run))
    launcher, of_launcher = line.launching.option(prepare(_platform(line.words))) if line.launching.said else (None, [])
    for sentence in [*line.said, *of_launcher]:
        terminal.write(f"{sentence}\n", sys.stderr)
    if line.no_input:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    policy = line.places.policy()
    options = line.words + (["--map", policy] if policy else []) + (["--launcher", launcher] if launcher else [])
    first = line.programs[0]
    ranks = str(first.ranks)
    return run(
        ["run", *options, "-n", ranks, *first.command], prog_name="orrery", standalone_mode=False, obj=line.programs
    )


def _platform(words: list[str]) -> str:
    named = [value for word, value in pairwise(words) if word in ("-p", "--platform")]
    return named[-1] if named else DEFAULT


def _taken_by(run: typer.Typer) -> dict[str, int]:
    """Options of `orrery run` and how many words follow each."""
    command = typer.main.get_command(run).commands["run"]  # type: ignore[attr-defined]
    return {
        name: 0 if getattr(option, "is_flag", False) else option.nargs
        for option in command.params
        for name in option.opts
        if name.startswith("-")
    }
