# SPDX-License-Identifier: BSD-3-Clause
"""`orrery place`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption
from orrery.cli.said import refuse_all, say
from orrery.cli.shown import show
from orrery.errors import InputError
from orrery.output import checked
from orrery.placement.settings import NODES, PlaceSettings
from orrery.verbs import every, setting

_HELP = """
Find the best nodes for the ranks of a program: those that exchange much go near each other, and no link has too much.

Who sends how much to whom comes from a trace, which is replayed, so that what collectives send counts; from a program, which
is run once in simulation; or from a matrix in a file. The best mappings that a search finds are simulated beside the given
one, slot and node. The best is told, with its gain in simulated time and the bytes that cross each level of the platform.
Where none is better, the given mapping is kept.

With --clusters it is several clusters that a job can go to: the one for each of its groups is found, so that all get what
they ask for, on the fewest clusters, with the earliest start, at the lowest price.

\b
Exit code: 0; 130 for Ctrl-C; 2 for input that cannot be used, and for groups that cannot be served.

\b
Examples:
  orrery place cg.trace                                   on the platform of the recording
  orrery place cg.trace -p grid2 -o cg.ranks              then: orrery run --map file:cg.ranks ...
  orrery place cg.trace -p grid2 --format openmpi-rankfile -o cg.rankfile
  orrery place -n 64 -p graphene ./cg                     run the program, then place it
  orrery place -n 64 ./cg -- -v                           options of the program come behind --
  orrery place halo.csv -p graphene                       a matrix: source,target,messages,bytes
  orrery place cg.trace -p grid2 --groups job.toml        only where the groups have what they need
  orrery place --clusters sites.toml --groups job.toml -n 64
"""


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """What is placed, how, and what is written."""

    source: Annotated[Path | None, setting(metavar="PROGRAM|TRACE|MATRIX", beside=NODES)] = None
    """A program (with -n), a trace or anything that `orrery replay` takes, or a matrix: FILE.csv, FILE.mtx, or what
    `orrery profile --json` writes, FILE.json."""
    program: Annotated[list[str] | None, typer.Argument(metavar="ARGS")] = None
    """Arguments of a program; behind "--" where they begin with "-"."""
    settings: Annotated[Mapping[str, Any], every(PlaceSettings)]
    output: Annotated[Path | None, setting("-o", "--output", metavar="FILE", beside=NODES)] = None
    """The mapping, as --format says."""
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print what was found as JSON."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app, "place", PlaceOptions, _place, help=_HELP, short_help="Find the best nodes for the ranks of a program."
    )


def _place(context: typer.Context, options: PlaceOptions) -> int:
    if options.settings["clusters"] is not None:
        return _choose(as_json=options.as_json, **options.settings)
    if options.source is None:
        raise InputError("say what to place: a trace, a matrix, or with -n a program; `orrery place --help` says how")
    settings = PlaceSettings(source=options.source, program=options.program or [], **options.settings)
    if settings.program and settings.ranks is None:
        raise InputError(f"{settings.program[0]}: {options.source} is placed as it is, and a program needs -n")
    read = [path for path in (options.source, settings.groups) if path is not None]
    output = None if options.output is None else checked(options.output, overwrite=options.overwrite, read=read)
    if settings.of_matrix:
        refuse_all(context, ("selector", "replicas"), f"acts not on {options.source}: a matrix cannot be simulated")
    from orrery.placement.formats import write
    from orrery.placement.session import placed
    from orrery.platform.trusted import said_once
    from orrery.report.placement import text

    with said_once():
        found = placed(settings)
    show(found, text, as_json=options.as_json)
    if output is not None:
        say(f"{output.path}: {write(output, settings.format, found)}")
    return 0


def _choose(clusters: Path, groups: Path | None, ranks: int | None, *, as_json: bool, **_of_nodes: object) -> int:
    if groups is None or ranks is None:
        raise InputError(f"--clusters {clusters}: needs --groups, the job's profile, and -n, its number of ranks")
    from orrery.job.reading import load
    from orrery.placement.clusters import load_sites
    from orrery.placement.meta import choose
    from orrery.report.placement import choice_text

    show(choose(load(groups), ranks, load_sites(clusters)), choice_text, as_json=as_json)
    return 0
