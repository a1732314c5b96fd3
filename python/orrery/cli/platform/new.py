# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, checked

_HELP = """
Write a platform file to start from, for a cluster of the kind TEMPLATE; without TEMPLATE: name those that there are.

All values of the file are typical of such clusters, none is measured, and comments say what each one is. Put in what
you know of yours, and hold what `orrery platform show FILE` says of messages against a measured ping-pong.

\b
Examples:
  orrery platform new
  orrery platform new fat-tree-200 --nodes 120 -o ours.toml
  orrery platform new ethernet-25 --cores 32 --name lab -o lab.toml
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("new", help=_HELP, short_help="Write a platform file to start from.")(_new)


def _new(
    template: Annotated[
        str | None, typer.Argument(metavar="[TEMPLATE]", help="Kind of cluster.", show_default=False)
    ] = None,
    *,
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1, help="How many nodes there are.")] = None,
    cores: Annotated[int | None, typer.Option("--cores", metavar="N", min=1, help="How many cores a node has.")] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the platform; by default the template's.")
    ] = "",
    output: Annotated[Path, output_option("The TOML file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
) -> None:
    from orrery.platform.load import parse
    from orrery.platform.templates import TEMPLATES, filled

    if template is None:
        if nodes or cores or name or output != STANDARD_OUTPUT:
            raise InputError(f"name a template: {', '.join(TEMPLATES)}")
        width = max(map(len, TEMPLATES))
        for known, kind in TEMPLATES.items():
            terminal.line(f"{known:<{width}}  {kind.network}; {kind.nodes:,} nodes of {kind.cores} cores")
        return
    text = filled(template, nodes=nodes, cores=cores, name=name)
    out = checked(output, overwrite=overwrite)
    parse(output, text)
    out.write(text)
