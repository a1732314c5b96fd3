# SPDX-License-Identifier: BSD-3-Clause
"""`orrery papers`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.ending import NOTHING_KEPT
from orrery.cli.files import OverwriteOption, ReportOption
from orrery.cli.outputs import report_output
from orrery.cli.said import refuse_all, say
from orrery.cli.shown import show, show_json
from orrery.errors import InputError, Interrupt

if TYPE_CHECKING:
    from orrery.papers.session import PaperOutcome

_HELP = """
Run experiments of published papers again, and say for each claim whether it comes out here.

Platforms come from what a paper says of hardware and point-to-point times; nothing is fitted to the claims. A claim is
`reproduced`, or its `sign` is `right` (what is faster there is faster here, by another factor), or it is `not
reproduced`. What had to be assumed is said beside it. Without a name, the papers are listed.

With -o FOLDER, each experiment is kept as soon as it is done, and what is kept is not run again. The page with curves, verdicts
and what had to be assumed is in the folder, too, unless --report names another place.

`orrery papers get npb` fetches the NAS Parallel Benchmarks from NASA and builds them with Orrery's compilers. No experiment
needs them: programs with the same messages come with Orrery.

\b
Exit code: 0 whatever the verdicts are; 130 for Ctrl-C; 2 for input that cannot be used.

\b
Examples:
  orrery papers                                    which there are, and what is missing of each
  orrery papers smpi                               all experiments of one
  orrery papers smpi --figure 4                    what shows a figure; --only takes names of experiments
  orrery papers thesis --quick                     a few rows of each table, in seconds
  orrery papers smpi -o results                    keep the results, and a page results/smpi.html
  orrery papers get npb --build cg.B -o npb        NPB's CG, class B, as npb/bin/cg.B.x
"""


@dataclass(frozen=True, kw_only=True)
class PapersOptions:
    """Which experiments, and where what they give goes."""

    paper: Annotated[str | None, typer.Argument(metavar="PAPER")] = None
    """Name of a paper; `get`: fetch the programs that are named next."""
    programs: Annotated[str | None, typer.Argument(metavar="NAME")] = None
    """With `get`: `npb`, the NAS Parallel Benchmarks."""
    only: Annotated[list[str] | None, typer.Option("--only", metavar="EXPERIMENT")] = None
    """Only this experiment, such as `figure-4`; may be repeated."""
    figure: Annotated[list[str] | None, typer.Option("--figure", metavar="N")] = None
    """Only what shows this figure of the paper, such as 4 or A.12; may be repeated."""
    table: Annotated[list[str] | None, typer.Option("--table", metavar="N")] = None
    """Only what shows this table; may be repeated."""
    quick: Annotated[bool, typer.Option("--quick")] = False
    """The quick form: fewer ranks, sizes or rows; claims on what it leaves out are not checked."""
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FOLDER")] = None
    """Keep results and a page here, and go on from those that are here; with `get`, unpack and build here, by default in `npb`."""
    archive: Annotated[Path | None, typer.Option("--from", metavar="FILE")] = None
    """With `get`: a tarball that is here already, where there is no network."""
    build: Annotated[list[str] | None, typer.Option("--build", metavar="PROGRAM.CLASS")] = None
    """With `get`: build this program, such as `cg.B`; may be repeated. By default those of the paper `smpi`."""
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print results and verdicts as JSON; times in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app, "papers", PapersOptions, _papers, help=_HELP, short_help="Run experiments of published papers again."
    )


def _papers(context: typer.Context, options: PapersOptions) -> int:
    from orrery.papers.library import names, paper
    from orrery.papers.session import run
    from orrery.progress import progress
    from orrery.report.papers import as_json_listing, listing, text

    if options.paper == "get":
        return _get(context, options)
    refuse_all(context, ["programs", "archive", "build"], "acts only with get")
    if options.paper is None:
        refuse_all(context, ["only", "figure", "table", "quick", "output", "report"], "acts only beside a paper")
        found = [paper(name) for name in names()]
        if options.as_json:
            show_json(as_json_listing(found))
        else:
            terminal.write(listing(found), sys.stdout)
        return 0
    chosen = paper(options.paper)
    experiments = chosen.only(options.only or [], options.figure or [], options.table or [])
    folder = _folder(options.output)
    beside = None if folder is None else folder / f"{chosen.name}.html"
    page = report_output(options.report or beside, overwrite=options.overwrite)
    with progress() as advanced:
        outcome = run(chosen, experiments, quick=options.quick, folder=folder, advanced=advanced)
    if not outcome.experiments:
        raise Interrupt(NOTHING_KEPT)
    show(outcome, text, as_json=options.as_json)
    if page is not None:
        from orrery.page.document import write_page
        from orrery.report.pages.papers import page_of_paper

        write_page(page_of_paper(outcome), page)
    return _interrupted(outcome, folder) if outcome.missing else 0


def _get(context: typer.Context, options: PapersOptions) -> int:
    from orrery.papers import npb

    refuse_all(context, ["only", "figure", "table", "quick", "report", "overwrite", "as_json"], "does not act with get")
    if options.programs != npb.NAME:
        raise InputError(f"get {options.programs or ''}: expected {npb.NAME}, as in: orrery papers get {npb.NAME}")
    folder = options.output or Path(npb.NAME)
    for binary in npb.get(options.archive, folder, options.build or npb.DEFAULT_BUILDS, say):
        terminal.hand_on(f"{binary}\n")
    return 0


def _folder(wanted: Path | None) -> Path | None:
    """Where results are kept: it is made. Raises InputError where that cannot be."""
    if wanted is None:
        return None
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"-o {wanted}: {error.strerror}; name a folder for results") from None
    return wanted


def _interrupted(outcome: PaperOutcome, folder: Path | None) -> int:
    kept = "the same command goes on from there" if folder else "-o FOLDER keeps what is done"
    terminal.write(f"orrery: interrupted before {', '.join(outcome.missing)}; {kept}\n", sys.stderr)
    return Interrupt.exit_code
