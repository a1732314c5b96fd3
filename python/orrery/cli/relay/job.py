# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay run`, and `orrery relay node`, which it lets the launch agent call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.relay.shared import CONFIG, CompilerOption, ConfigOption
from orrery.cli.said import say
from orrery.errors import InputError

_RUN_HELP = """
Start an MPI job whose nodes are of several sites: what starts it, Open MPI's or MPICH's, follows as it is.

Each node gets a helper, and its processes a preloaded library that makes their connections to other sites through it. The
launcher's own connections go the same way. What starts processes on other nodes, such as ssh, has to reach them by itself,
where there is a firewall through a front-end machine (ProxyJump in ~/.ssh/config). Orrery, relay.toml and the keys have to lie
at the same place on all nodes.

\b
Exit code: that of the launcher; 130 after Ctrl-C; 2 for input that cannot be used; 1 when the relay cannot be reached, or it is not certain that nothing was lost: a relay or helper was gone before the end, or a connection was cut.

\b
Examples:
  orrery relay run --config relay.toml -- mpirun -np 8 --host node1:4,node2:4 ./cg
  orrery relay run --config relay.toml --agent "ssh -q" -- mpiexec -n 8 -hosts node1,node2 ./cg
"""
_NODE_HELP = """
Run a command under a helper of a job. The launch agent of `orrery relay run` calls this on each node.
"""


@dataclass(frozen=True, kw_only=True)
class RelayRunOptions:
    """What `orrery relay run` can be told."""

    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", show_default=False)] = None
    """What starts the job."""
    config: ConfigOption = CONFIG
    agent: Annotated[str, typer.Option("--agent", metavar="COMMAND")] = "ssh"
    """What reaches other nodes: gets the node's name and a command for its shell."""
    cc: CompilerOption = "cc"


@dataclass(frozen=True, kw_only=True)
class NodeOptions:
    """What `orrery relay node` can be told."""

    command: Annotated[list[str] | None, typer.Argument(metavar="-- COMMAND...", show_default=False)] = None
    """What runs on this node."""
    config: ConfigOption = CONFIG
    job: Annotated[str, typer.Option("--job", metavar="NAME", show_default=False)]
    """Name of the job."""
    started_on: Annotated[str | None, typer.Option("--started-on", metavar="ADDRESS", show_default=False)] = None
    """Address of the node where the job was started; its helper is told how the command ends here."""
    cc: CompilerOption = "cc"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    words = {"allow_interspersed_args": False}
    add_command(
        app,
        "run",
        RelayRunOptions,
        _run,
        help=_RUN_HELP,
        short_help="Start a job on several sites.",
        context_settings=words,
    )
    add_command(
        app,
        "node",
        NodeOptions,
        _node,
        help=_NODE_HELP,
        short_help="What `run` starts on each node.",
        context_settings=words,
    )


def _run(_context: typer.Context, options: RelayRunOptions) -> int:
    from orrery.relay.job import JobSettings, run_job

    command = _given(options.command)
    return run_job(
        JobSettings(config=Path(options.config), command=command, compiler=options.cc, agent=options.agent), say
    )


def _node(_context: typer.Context, options: NodeOptions) -> int:
    from orrery.relay.job import JobSettings, run_node

    command = _given(options.command)
    return run_node(
        JobSettings(config=Path(options.config), command=command, compiler=options.cc, agent=""),
        options.job,
        options.started_on,
        say,
    )


def _given(command: list[str] | None) -> list[str]:
    if not command:
        raise InputError("expected -- and what starts the job, such as -- mpirun -np 4 ./cg")
    return command
