# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import _core
from orrery.cli.options import option
from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.run.settings import Mapping, RunSettings

if TYPE_CHECKING:
    from orrery.collective.study import Study

_HELP = """
Say what a collective call costs, by algorithm, or which messages it consists of.

One call of each KIND for every number of ranks and every size. BYTES are the whole vector (bcast, reduce,
allreduce, scan, exscan, reduce_scatter), one rank's block (gather, scatter, allgather,
reduce_scatter_block and v-forms) or one pair's block (alltoall, alltoallv). Reductions are of numbers of
8 bytes. A range such as 8:1MiB goes by powers of two.

Times are simulated: all ranks call at one moment, on a network that carries nothing else, and the time is
that until the last one goes on. Without --algorithm the algorithm is the selector's; `--algorithm all`
compares all that serve the call, those with segments with several sizes of them, says where another
one becomes the cheapest, and what the selector's choice loses.

With --messages: who sends how many messages and bytes to whom, as CSV; with --sequence each message,
in the order in which its source starts them.

\b
Examples:
  orrery collective allreduce -n 64 -s 8:1MiB --algorithm all --selector openmpi-4.1
  orrery collective bcast alltoall -n 16,64 -s 1KiB,1MiB --platform graphene --map node --csv
  orrery collective allreduce -n 256 -s 8:4MiB --algorithm all --plot allreduce.html
  orrery collective allreduce -n 8 -s 64KiB --messages --selector openmpi-4.1
  orrery collective bcast -n 4,8 -s 8,512KiB --messages --algorithm split_binary_tree --segment 8KiB
  orrery collective barrier alltoall -n 2,3,4 -s 8 --messages --sequence
  orrery collective reduce -n 8 -s 64KiB --immediate --messages --selector openmpi-5.0
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("collective", help=_HELP, short_help="Say what a collective call costs.")(_collective)


def _collective(
    kinds: Annotated[list[str], typer.Argument(metavar="KIND...", help="Collectives: allreduce, bcast, ...")],
    *,
    ranks: Annotated[str, typer.Option("-n", "--ranks", metavar="N,...", help="Numbers of ranks.")],
    sizes: Annotated[
        str, typer.Option("-s", "--size", metavar="BYTES,...", help="Sizes, such as 8,64KiB or 8:1MiB.")
    ] = "0",
    root: Annotated[int, typer.Option("--root", metavar="RANK", help="Root of collectives that have one.")] = 0,
    platform: Annotated[str, option(RunSettings, "platform", "-p", "--platform", metavar="NAME|FILE")] = "default",
    model: Annotated[Model | None, option(RunSettings, "model", "--model", metavar="hybrid|loggps|fluid")] = None,
    mapping: Annotated[Mapping, option(RunSettings, "mapping", "--map", metavar="slot|node")] = "slot",
    selector: Annotated[
        str, option(RunSettings, "selector", "--selector", metavar="NAME", values=_core.selectors())
    ] = "default",
    coll: Annotated[
        str, typer.Option("--coll", metavar="KIND=ALGORITHM,...", help="Algorithms that overrule the selector's.")
    ] = "",
    rules: Annotated[Path | None, option(RunSettings, "rules", "--selector-rules", metavar="FILE")] = None,
    immediate: Annotated[bool, typer.Option("--immediate", help="Non-blocking calls, such as MPI_Ibcast.")] = False,
    algorithm: Annotated[
        str | None,
        typer.Option("--algorithm", metavar="NAME|all", help="Algorithm, by Orrery's name or Open MPI's; or all."),
    ] = None,
    segment: Annotated[
        str | None,
        typer.Option("--segment", metavar="BYTES,...", help="Segment sizes for algorithms that have them; 0: none."),
    ] = None,
    fanout: Annotated[
        int, typer.Option("--fanout", metavar="N", help="Chains, or radix of a tree; 0: the algorithm's own.")
    ] = 0,
    most_messages: Annotated[
        int, typer.Option("--most-messages", metavar="N", help="Leave out of `all` what would send more.")
    ] = 20_000_000,
    messages: Annotated[bool, typer.Option("--messages", help="Print the messages as CSV.")] = False,
    sequence: Annotated[bool, typer.Option("--sequence", help="Each message on a line of its own.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Times as JSON; in seconds.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Times as CSV; in seconds.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the times: FILE.html, .svg, .png.")
    ] = None,
) -> int:
    from orrery.collective.call import calls
    from orrery.collective.sizes import byte_sizes

    all_calls = calls(kinds, ranks, sizes, root, immediate=immediate)
    segments = None if segment is None else tuple(byte_sizes(segment, "--segment"))
    if messages or sequence:
        from orrery.collective.messages import Request, write_messages

        if segments is not None and len(segments) > 1:
            raise InputError("--segment: --messages takes one size")
        request = Request(
            selector=selector,
            coll=coll,
            rules=rules,
            algorithm=algorithm,
            segment=segment or "0",
            fanout=fanout,
            root=root,
            sequence=sequence,
        )
        write_messages(all_calls, request, sys.stdout)
        return 0
    from orrery.collective.laboratory import Laboratory
    from orrery.collective.predict import Question
    from orrery.collective.selector import selector_named
    from orrery.collective.study import study

    question = Question(
        selector=selector_named(selector, coll, rules),
        algorithm=algorithm,
        segments=segments,
        fanout=fanout,
        most_messages=most_messages,
    )
    with Laboratory(platform, model, mapping, root).open() as laboratory, _progress() as advanced:
        found = study(all_calls, question, laboratory, advanced)
    _write(found, as_json=as_json, as_csv=as_csv)
    if plot is not None:
        from orrery.report.collective_plot import write_plot

        write_plot(found, plot)
    return 0


def _write(found: Study, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        import json

        json.dump(found.as_json(), sys.stdout, indent=1)
        sys.stdout.write("\n")
    elif as_csv:
        import csv

        from orrery.collective.study import COLUMNS

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(found.rows())
    else:
        from orrery.report.collective import write_tables

        write_tables(found, sys.stdout)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], object]]:
    """A bar on standard error, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
