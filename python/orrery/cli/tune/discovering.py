# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune --discover`: what an unknown MPI chooses, from its times."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import typer

from orrery import terminal
from orrery.cli.ending import interrupted
from orrery.cli.said import refuse_all, refuse_without, say
from orrery.cli.tune.options import TuneOptions
from orrery.errors import InputError
from orrery.experiment.settings import DEFAULT_MAPPING
from orrery.marks import mark_json
from orrery.output import Output, checked
from orrery.platform.trusted import said_once
from orrery.progress import progress

if TYPE_CHECKING:
    from orrery.tune.discover.session import Discovery, DiscoverySettings

_SECONDS = 100.0
"""Time of the loops on one number of ranks in each round, at most."""
_TURNS = 200
"""Turns of a loop, at most."""
_NOT_BESIDE = (
    "upgrade",
    "see",
    "source",
    "others",
    "check",
    "program",
    "any_operation",
    "least_gain",
    "budget",
    "own_choices",
)


def discovering(context: typer.Context, options: TuneOptions) -> int:
    """The command; its exit code."""
    from orrery.tune.discover.session import discover

    refuse_without(context, {"overwrite": "-o"}, there={"-o": options.output is not None})
    refuse_all(context, _NOT_BESIDE, "acts on nothing with --discover, which tunes nothing")
    asked = _asked(options)
    place = _place(options)
    with said_once(), progress() as advanced:
        found = discover(asked, say, advanced)
    files = [] if place is None else _write(found, place)
    _print(found, files, options)
    return _ended(found, options) if found.interrupted else 0


def _asked(options: TuneOptions) -> DiscoverySettings:
    from orrery.benchmark.cases import COLLECTIVES
    from orrery.benchmark.real import RealLibrary
    from orrery.collective.sizes import byte_sizes, rank_counts
    from orrery.real_mpi.starter import mpicc_of
    from orrery.tune.discover.session import DiscoverySettings
    from orrery.tune.library import LIBRARIES, library
    from orrery.tune.session import KINDS, RANKS, SIZES

    if options.mpirun is None:
        raise InputError('--discover: measures an MPI; say what starts programs with it: --mpirun "mpirun -np {n}"')
    ranks = rank_counts(options.ranks or RANKS, 0)
    if min(ranks) < 2:
        raise InputError(f"-n {options.ranks}: a message needs two ranks")
    kinds = options.kinds or list(KINDS)
    if strange := [kind for kind in kinds if kind not in COLLECTIVES]:
        raise InputError(f'"{strange[0]}" is no collective that can be timed; there are: {", ".join(COLLECTIVES)}')
    sizes = byte_sizes(options.sizes or SIZES)
    return DiscoverySettings(
        kinds=list(dict.fromkeys(kinds)),
        ranks=sorted(set(ranks)),
        sizes=(min(sizes), max(sizes)),
        libraries=tuple(library(name) for name in (LIBRARIES if options.library is None else [options.library])),
        real=RealLibrary(
            mpirun=options.mpirun, mpicc=options.mpicc or mpicc_of(options.mpirun.split()), seconds=_SECONDS
        ),
        rounds=options.rounds,
        **{name: getattr(options, name) for name in ("platform", "model", "seed", "force", "share", "keep")},
        mapping=options.mapping or DEFAULT_MAPPING,
    )


def _place(options: TuneOptions) -> Output | None:
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


def _print(found: Discovery, files: list[str], options: TuneOptions) -> None:
    from orrery.report.discovered import text
    from orrery.tune.discover.results import as_json

    if options.as_json:
        terminal.line(json.dumps(mark_json(dict(as_json(found, files))), indent=1))
    else:
        terminal.write(text(found, files), sys.stdout)


def _ended(found: Discovery, options: TuneOptions) -> int:
    whole = len(found.inferred.choices) + len(found.missing)
    cure = "the same command goes on from there" if options.keep else "--keep FOLDER would keep what is measured"
    return interrupted(f"{len(found.inferred.choices)} of {whole} cells are there; {cure}")
