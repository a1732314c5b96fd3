# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform import`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, checked

_HELP = """
Convert a platform file of SimGrid's (XML, version 3 to 4.1) into one of Orrery's.

Routes, rates, latencies and what flows share are those of SimGrid. A platform that is one cluster stays one where Orrery has
the same shape (a switch, a fat-tree, a torus); anything else becomes a graph. Costs of messages in <config> (smpi/os, smpi/or,
factors, thresholds) become regimes of the model hybrid; without them the model is fluid.

What a platform of Orrery's cannot hold is counted (profiles over time, disks, properties, other settings), or refused (wireless
links; hosts that no route joins, between which MPI programs could not send anything; of such files --zone takes one part).
The guide "Import from SimGrid" has the details, and the way for platforms in C++.

\b
Examples:
  orrery platform import small_platform.xml -o small.toml
  orrery platform import cluster.xml -o cluster.toml --flops 5e9     this host computes 5 Gflop/s
  orrery platform import cloud.xml --zone AS1_dc1 -o dc1.toml        one part
  orrery run -n 4 -p small.toml ./ring
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("import", help=_HELP, short_help="Convert a platform file of SimGrid's.")(_import)


def _import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="XML file of SimGrid's.")],
    *,
    output: Annotated[Path, output_option("The TOML file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
    name: Annotated[str, typer.Option("--name", help="Name of the platform; by default that of the file.")] = "",
    zone: Annotated[
        str, typer.Option("--zone", metavar="ID", help="Only the zone or cluster of this name, and what is in it.")
    ] = "",
    flops: Annotated[
        float | None,
        typer.Option(
            "--flops",
            metavar="N",
            help="What this host computes per second, in flop; by default what the file says (smpi/host-speed).",
        ),
    ] = None,
) -> None:
    from orrery.platform.simgrid.convert import convert

    if flops is not None and not 0 < flops < float("inf"):
        raise InputError(f"--flops {flops:g}: expected a number above 0")
    out = checked(output, overwrite=overwrite, read=[file])
    converted = convert(file, name or file.stem, flops, zone)
    _check(file, output, converted.toml)
    out.write(converted.toml)
    for line in converted.left_out.lines:
        terminal.write(f"{line}\n", sys.stderr)


def _check(source: Path, output: Path, toml: str) -> None:
    """Count hosts and links. Raises InputError for what the core finds impossible, such as a graph that is too large."""
    from orrery.platform import core
    from orrery.platform.load import parse

    where = source.with_suffix(".toml") if output == STANDARD_OUTPUT else output
    try:
        hardware = core.build(parse(where, toml).model_dump())
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    terminal.write(f"{where}: {len(hardware.hosts):,} hosts, {hardware.link_count:,} links\n", sys.stderr)
