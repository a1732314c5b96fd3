# SPDX-License-Identifier: BSD-3-Clause
"""`orrery place`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.options import option
from orrery.cli.said import refuse_all, refuse_without, say
from orrery.cli.simulating import MAPPING_METAVAR, MAPPING_NAMES, SELECTORS, ForceOption
from orrery.errors import InputError
from orrery.experiment.variants import MOST_SEED
from orrery.output import checked
from orrery.placement.settings import Format, PlaceSettings
from orrery.platform.model import Model

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
    """What `PlaceSettings` has, by the same names."""

    source: Annotated[Path | None, typer.Argument(metavar="PROGRAM|TRACE|MATRIX")] = None
    """A program (with -n), a trace or anything that `orrery replay` takes, or a matrix: FILE.csv, FILE.mtx, or what
    `orrery profile --json` writes, FILE.json."""
    program: Annotated[list[str] | None, typer.Argument(metavar="ARGS")] = None
    """Arguments of a program; behind "--" where they begin with "-"."""
    ranks: Annotated[int | None, typer.Option("-n", "-np", "--ranks", metavar="N", min=1)] = None
    """Number of ranks of a program, or of the job for --clusters."""
    platform: Annotated[str | None, option(PlaceSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = None
    model: Annotated[Model | None, option(PlaceSettings, "model", "--model", metavar="hybrid|loggps|fluid")] = None
    mapping: Annotated[str | None, option(PlaceSettings, "mapping", *MAPPING_NAMES, metavar=MAPPING_METAVAR)] = None
    selector: Annotated[
        str | None, option(PlaceSettings, "selector", "--selector", metavar="NAME", values=SELECTORS)
    ] = None
    groups: Annotated[Path | None, option(PlaceSettings, "groups", "--groups", metavar="FILE")] = None
    clusters: Annotated[Path | None, option(PlaceSettings, "clusters", "--clusters", metavar="FILE.toml")] = None
    replicas: Annotated[int, option(PlaceSettings, "replicas", "--replicas", metavar="N", min=1)] = 5
    seed: Annotated[int | None, option(PlaceSettings, "seed", "--seed", metavar="N", min=0, max=MOST_SEED)] = None
    force: ForceOption = False
    format: Annotated[Format, option(PlaceSettings, "format", "--format", metavar="FORMAT")] = "orrery"
    output: Annotated[Path | None, output_option("The mapping, as --format says.")] = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print what was found as JSON."""


_NOT_OF_CLUSTERS = (
    "source",
    "platform",
    "model",
    "mapping",
    "selector",
    "replicas",
    "seed",
    "force",
    "format",
    "output",
    "overwrite",
)
_OF_OUTPUT = {"format": "-o", "overwrite": "-o"}


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app, "place", PlaceOptions, _place, help=_HELP, short_help="Find the best nodes for the ranks of a program."
    )


def _place(context: typer.Context, options: PlaceOptions) -> int:
    if options.clusters is not None:
        return _choose(context, options, options.clusters)
    if options.source is None:
        raise InputError("say what to place: a trace, a matrix, or with -n a program; `orrery place --help` says how")
    refuse_without(context, _OF_OUTPUT, there={"-o": options.output is not None})
    if options.program and options.ranks is None:
        raise InputError(f"{options.program[0]}: {options.source} is placed as it is, and a program needs -n")
    read = [path for path in (options.source, options.groups) if path is not None]
    output = None if options.output is None else checked(options.output, overwrite=options.overwrite, read=read)
    settings = _settings(options, options.source)
    if settings.of_matrix:
        refuse_all(context, ("selector", "replicas"), f"acts not on {options.source}: a matrix cannot be simulated")
    from orrery.placement.formats import write
    from orrery.placement.session import placed
    from orrery.platform.trusted import said_once
    from orrery.report.placement import text, to_json

    with said_once():
        found = placed(settings)
    terminal.write(to_json(found) if options.as_json else text(found), sys.stdout)
    if output is not None:
        say(f"{output.path}: {write(output, settings.format, found)}")
    return 0


def _settings(options: PlaceOptions, source: Path) -> PlaceSettings:
    alike = ("ranks", "platform", "model", "mapping", "selector", "groups", "replicas", "seed", "force", "format")
    return PlaceSettings(
        source=source, program=options.program or [], **{name: getattr(options, name) for name in alike}
    )


def _choose(context: typer.Context, options: PlaceOptions, clusters: Path) -> int:
    refuse_all(context, _NOT_OF_CLUSTERS, "acts not with --clusters, which knows clusters, not nodes")
    if options.groups is None or options.ranks is None:
        raise InputError(f"--clusters {clusters}: needs --groups, the job's profile, and -n, its number of ranks")
    from orrery.job.reading import load
    from orrery.placement.clusters import load_sites
    from orrery.placement.meta import choose
    from orrery.report.placement import choice_text, choice_to_json

    found = choose(load(options.groups), options.ranks, load_sites(clusters))
    terminal.write(choice_to_json(found) if options.as_json else choice_text(found), sys.stdout)
    return 0
