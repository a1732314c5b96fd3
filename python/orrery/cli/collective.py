# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orrery import _core
from orrery.cli.options import option
from orrery.cli.progress import progress
from orrery.cli.simulating import (
    ForceOption,
    MappingOption,
    ModelOption,
    ReplicasOption,
    RulesOption,
    SeedOption,
    VaryOption,
)
from orrery.collective.call import Operation
from orrery.errors import InputError
from orrery.run.settings import RunSettings

if TYPE_CHECKING:
    from orrery import _core
    from orrery.collective.call import Call
    from orrery.collective.laboratory import Laboratory
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

Hierarchical algorithms take arguments: "hierarchical(levels=cluster+node,inner=binomial,outer=linear)", each
of which may be left out; with a segment size, slices follow each other through the levels.

With --versus-sends each collective, by the selector's algorithm, is compared with as many sends as do the
same, one after the other, and the scenario named: always lower, always higher, or where it changes.

With --messages: who sends how many messages and bytes to whom, as CSV; with --sequence each message,
in the order in which its source starts them. Selectors see nodes there only with --ranks-per-node:
without it each rank is alone on its node (MPICH), or all are on one (Open MPI).

\b
Examples:
  orrery collective allreduce -n 64 -s 8:1MiB --algorithm all --selector openmpi-4.1
  orrery collective bcast alltoall -n 16,64 -s 1KiB,1MiB --platform graphene --map node --csv
  orrery collective allreduce -n 16 -s 8:1MiB -p cluster.toml --replicas 20
  orrery collective allreduce -n 256 -s 8:4MiB --algorithm all --plot allreduce.html
  orrery collective reduce -n 32 -s 1KiB:4MiB -p grid2 --map node --algorithm pipeline --algorithm hierarchical
  orrery collective bcast reduce gather scatter alltoall -n 8 -s 8:1MiB --map node --versus-sends --barrier
  orrery collective allreduce -n 8 -s 64KiB --messages --selector openmpi-4.1
  orrery collective bcast -n 4,8 -s 8,512KiB --messages --algorithm split_binary_tree --segment 8KiB
  orrery collective barrier alltoall -n 2,3,4 -s 8 --messages --sequence
  orrery collective reduce -n 8 -s 64KiB --immediate --messages --selector openmpi-5.0
  orrery collective bcast -n 16 -s 1MiB --messages --ranks-per-node 4 --selector openmpi-5.0
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
    model: ModelOption = None,
    mapping: MappingOption = "slot",
    selector: Annotated[
        str, option(RunSettings, "selector", "--selector", metavar="NAME", values=_core.selectors())
    ] = "default",
    coll: Annotated[
        str, typer.Option("--coll", metavar="KIND=ALGORITHM,...", help="Algorithms that overrule the selector's.")
    ] = "",
    rules: RulesOption = None,
    immediate: Annotated[bool, typer.Option("--immediate", help="Non-blocking calls, such as MPI_Ibcast.")] = False,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            metavar="NAME|all",
            help="Algorithm, by Orrery's name or Open MPI's; or all. May be repeated.",
        ),
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
    ranks_per_node: Annotated[
        int,
        typer.Option("--ranks-per-node", metavar="K", help="For --messages: K ranks on each node, laid as --map says."),
    ] = 0,
    type_size: Annotated[
        int,
        typer.Option(
            "--type-size", metavar="BYTES", help="Of one element of the datatype; 0: 8 for reductions, else 1."
        ),
    ] = 0,
    type_extent: Annotated[
        int,
        typer.Option(
            "--type-extent", metavar="BYTES", help="From one element to the next, of a datatype with gaps; 0: no gaps."
        ),
    ] = 0,
    operation: Annotated[
        Operation, typer.Option("--operation", help="Of reductions: one of MPI's own, or a user's.")
    ] = "built-in",
    in_place: Annotated[bool, typer.Option("--in-place", help="An all-to-all with MPI_IN_PLACE.")] = False,
    versus_sends: Annotated[
        bool, typer.Option("--versus-sends", help="Compare with as many sends as do the same, one after the other.")
    ] = False,
    barrier: Annotated[
        bool, typer.Option("--barrier", help="Count a barrier after the collective, for --versus-sends.")
    ] = False,
    replicas: ReplicasOption = 1,
    vary: VaryOption = "noise",
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Times as JSON; in seconds.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Times as CSV; in seconds.")] = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the times: FILE.html, .svg, .png.")
    ] = None,
) -> int:
    from orrery.collective.call import calls
    from orrery.collective.sizes import byte_sizes

    all_calls = calls(
        kinds,
        ranks,
        sizes,
        root,
        immediate=immediate,
        type_size=type_size,
        type_extent=type_extent,
        operation=operation,
        in_place=in_place,
    )
    segments = None if segment is None else tuple(byte_sizes(segment, "--segment"))
    if messages or sequence:
        from orrery.collective.messages import Request, write_messages

        if (segments is not None and len(segments) > 1) or (algorithm is not None and len(algorithm) > 1):
            raise InputError("--messages takes one --algorithm and one --segment")
        if ranks_per_node < 0:
            raise InputError(f"--ranks-per-node {ranks_per_node}: expected a number of ranks")
        request = Request(
            selector=selector,
            coll=coll,
            rules=rules,
            algorithm=algorithm[0] if algorithm else None,
            segment=segment or "0",
            fanout=fanout,
            root=root,
            sequence=sequence,
            ranks_per_node=ranks_per_node,
            mapping=mapping,
        )
        write_messages(all_calls, request, sys.stdout)
        return 0
    from orrery.collective.laboratory import Laboratory
    from orrery.collective.predict import Question
    from orrery.collective.study import study

    laboratory = Laboratory(platform, model, mapping, root, replicas=replicas, seed=seed, vary=vary, force=force)
    chooser = laboratory.selector(selector, coll, rules, max(call.ranks for call in all_calls))
    if versus_sends:
        return _versus(
            all_calls,
            chooser,
            laboratory,
            barrier=barrier,
            as_json=as_json,
            as_csv=as_csv,
        )
    question = Question(
        selector=chooser,
        algorithms=tuple(algorithm or ()),
        segments=segments,
        fanout=fanout,
        most_messages=most_messages,
    )
    with laboratory.open(), progress() as advanced:
        found = study(all_calls, question, laboratory, advanced)
    _write(found, as_json=as_json, as_csv=as_csv)
    if plot is not None:
        from orrery.report.collective_plot import write_plot

        write_plot(found, plot)
    return 0


def _versus(
    calls: Sequence[Call],
    selector: _core.Selector,
    laboratory: Laboratory,
    *,
    barrier: bool,
    as_json: bool,
    as_csv: bool,
) -> int:
    from orrery.collective.versus import COLUMNS, compare
    from orrery.report.versus import write_versus

    with laboratory.open(), progress() as advanced:
        found = compare(calls, selector, laboratory, advanced, barrier=barrier)
    if as_json:
        _write_json(found.as_json())
    elif as_csv:
        _write_csv(COLUMNS, found.rows())
    else:
        write_versus(found, sys.stdout)
    return 0


def _write(found: Study, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        _write_json(found.as_json())
    elif as_csv:
        from orrery.collective.study import COLUMNS

        _write_csv(COLUMNS, found.rows())
    else:
        from orrery.report.collective import write_tables

        write_tables(found, sys.stdout)


def _write_json(values: dict[str, Any]) -> None:
    import json

    json.dump(values, sys.stdout, indent=1)
    sys.stdout.write("\n")


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
