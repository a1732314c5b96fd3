# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from orrery import _core
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.options import option
from orrery.cli.outputs import FIGURES, by_ending, figure_of
from orrery.cli.said import refuse_all, refuse_without, said
from orrery.cli.simulating import (
    ForceOption,
    MappingOption,
    ModelOption,
    ReplicasOption,
    RulesOption,
    SeedOption,
    VaryOption,
)
from orrery.collective.call import DEFAULT_SIZES, REDUCTIONS, ROOTED, Operation
from orrery.errors import InputError
from orrery.output import Output
from orrery.progress import progress
from orrery.run.settings import RunSettings

if TYPE_CHECKING:
    from orrery.collective.call import Call
    from orrery.collective.study import Study
    from orrery.collective.versus import Versus

_HELP = """
Say what a collective call costs, by algorithm, or which messages it consists of.

One call of each KIND for every number of ranks and every size. BYTES are the whole vector (bcast, reduce,
allreduce, scan, exscan, reduce_scatter), one rank's block (gather, scatter, allgather,
reduce_scatter_block and v-forms) or one pair's block (alltoall, alltoallv). Reductions are of numbers of
8 bytes. A range such as 8:1MiB goes by powers of two.

Without -s sizes go from 8 bytes to 1 MiB, in steps of eight.

Times are simulated: all ranks call at one moment, on a network that carries nothing else, and the time is
that until the last one goes on. Without --algorithm the algorithm is the selector's; `--algorithm all`
compares all that serve the call, those with segments with several sizes of them, says where another
one becomes the cheapest, and what the selector's choice loses.

Hierarchical algorithms take arguments: "hierarchical(levels=cluster+node,inner=binomial,outer=linear)", each
of which may be left out; with a segment size, slices follow each other through the levels.

With --versus-sends each collective, by the selector's algorithm, is compared with as many sends as do the
same, one after the other, and the scenario named: always lower, always higher, or where it changes.

With --messages: who sends how many messages and bytes to whom, as CSV; with --sequence each message,
in the order in which its source starts them. Selectors see nodes there only with --ppn:
without it each rank is alone on its node (MPICH), or all are on one (Open MPI).

Ctrl-C shows what has been simulated by then, and says what is missing.

\b
Examples:
  orrery collective allreduce -n 64 -s 8:1MiB --algorithm all --selector openmpi-4.1
  orrery collective bcast alltoall -n 16,64 -s 1KiB,1MiB --platform graphene --map node --csv
  orrery collective allreduce -n 16 -s 8:1MiB -p cluster.toml --replicas 20
  orrery collective allreduce -n 256 -s 8:4MiB --algorithm all -o allreduce.html
  orrery collective reduce -n 32 -s 1KiB:4MiB -p grid2 --map node --algorithm pipeline --algorithm hierarchical
  orrery collective bcast reduce gather scatter alltoall -n 8 -s 8:1MiB --map node --versus-sends --barrier
  orrery collective allreduce -n 8 -s 64KiB --messages --selector openmpi-4.1
  orrery collective bcast -n 4,8 -s 8,512KiB --messages --algorithm split_binary_tree --segment 8KiB
  orrery collective barrier alltoall -n 2,3,4 -s 8 --messages --sequence
  orrery collective reduce -n 8 -s 64KiB --immediate --messages --selector openmpi-5.0
  orrery collective bcast -n 16 -s 1MiB --messages --ppn 4 --selector openmpi-5.0
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("collective", help=_HELP, short_help="Say what a collective call costs.")(_collective)


def _collective(
    context: typer.Context,
    kinds: Annotated[list[str], typer.Argument(metavar="KIND...", help="Collectives: allreduce, bcast, ...")],
    *,
    ranks: Annotated[str, typer.Option("-n", "-np", "--ranks", metavar="N,...", help="Numbers of ranks.")],
    sizes: Annotated[
        str | None,
        typer.Option(
            "-s", "--size", metavar="BYTES,...", help=f"Sizes, such as 8,64KiB or 8:1M; by default {DEFAULT_SIZES}."
        ),
    ] = None,
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
    ppn: Annotated[
        int | None,
        typer.Option("--ppn", metavar="K", min=1, help="For --messages: K ranks on each node, laid as --map says."),
    ] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print times as JSON; in seconds.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print times as CSV; in seconds.")] = False,
    output: Annotated[
        list[Path] | None,
        output_option(
            "What to write, by its ending: times (FILE.json, FILE.csv) or a drawing of them (FILE.html, .svg, .png); may be "
            "repeated."
        ),
    ] = None,
    overwrite: OverwriteOption = False,
) -> int:
    from orrery.collective.call import calls
    from orrery.collective.sizes import byte_sizes

    _check(context, kinds, messages=messages or sequence, versus_sends=versus_sends, algorithm=algorithm or [])
    outputs = by_ending(output, (".json", ".csv", *FIGURES), overwrite=overwrite)
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
        request = Request(
            selector=selector,
            coll=coll,
            rules=rules,
            algorithm=algorithm[0] if algorithm else None,
            segment=segment or "0",
            fanout=fanout,
            root=root,
            sequence=sequence,
            ranks_per_node=ppn or 0,
            mapping=mapping,
        )
        write_messages(all_calls, request, sys.stdout)
        return 0
    from orrery.collective.laboratory import Laboratory
    from orrery.collective.predict import Question
    from orrery.collective.study import study
    from orrery.collective.versus import compare

    laboratory = Laboratory(platform, model, mapping, root, replicas=replicas, seed=seed, vary=vary, force=force)
    chooser = laboratory.selector(selector, coll, rules, max(call.ranks for call in all_calls))
    question = Question(
        selector=chooser,
        algorithms=tuple(algorithm or ()),
        segments=segments,
        fanout=fanout,
        most_messages=most_messages,
    )
    found: Versus | Study
    with laboratory.open(), progress() as advanced:
        if versus_sends:
            found = compare(all_calls, chooser, laboratory, advanced, barrier=barrier)
        else:
            found = study(all_calls, question, laboratory, advanced)
    if len(found.missing) == len(all_calls):
        raise KeyboardInterrupt
    _print(found, as_json=as_json, as_csv=as_csv)
    _write(found, outputs)
    return _interrupted(all_calls, found.missing) if found.missing else 0


_BESIDE = {"barrier": "--versus-sends", "ppn": "--messages", "segment": "--algorithm", "fanout": "--algorithm NAME",
           "most_messages": "--algorithm all"}  # fmt: skip
"""Options that act only beside another."""
_NOT_WITH_MESSAGES = ("platform", "model", "replicas", "vary", "seed", "most_messages", "versus_sends", "barrier", "as_json",
                      "as_csv", "output", "overwrite", "force")  # fmt: skip
_NOT_WITH_SENDS = ("algorithm", "segment", "fanout", "most_messages")


def _check(
    context: typer.Context, kinds: Sequence[str], *, messages: bool, versus_sends: bool, algorithm: Sequence[str]
) -> None:
    """Raises InputError for what would be ignored."""
    given = said(context)
    if messages:
        refuse_all(context, _NOT_WITH_MESSAGES, "not with --messages and --sequence, which simulate nothing")
        if "mapping" in given and "ppn" not in given:
            raise InputError("--map: acts on --messages only with --ppn")
    if versus_sends:
        refuse_all(context, _NOT_WITH_SENDS, "not with --versus-sends, which takes the selector's algorithm")
    there = {
        "--versus-sends": versus_sends,
        "--messages": messages,
        "--algorithm": bool(algorithm),
        "--algorithm NAME": any(name != "all" for name in algorithm),
        "--algorithm all": "all" in algorithm,
    }
    refuse_without(context, _BESIDE, there=there)
    if algorithm and "all" not in algorithm:
        refuse_all(context, ("selector", "coll", "rules"), "chooses nothing beside --algorithm NAME")
    if "root" in given and not versus_sends and not ROOTED.intersection(kinds):
        raise InputError(f"--root: {', '.join(kinds)}: has none; it is for {', '.join(sorted(ROOTED))}")
    if "operation" in given and not REDUCTIONS.intersection(kinds):
        raise InputError(f"--operation: {', '.join(kinds)}: reduces nothing; it is for {', '.join(sorted(REDUCTIONS))}")
    if {"as_json", "as_csv"} <= given:
        raise InputError("--json and --csv: print one of them; -o FILE.csv writes the other")
    if given & {"vary"} and "replicas" not in given:
        raise InputError("--vary: acts only with --replicas")


def _interrupted(calls: Sequence[Call], missing: Sequence[Call]) -> int:
    """Say what Ctrl-C left out, and how to go on."""
    first = missing[0]
    sys.stderr.write(
        f"orrery: interrupted: {len(calls) - len(missing)} of {len(calls)} calls are there; missing from {first.kind} of "
        f"{first.size} bytes on {first.ranks} ranks on. The same command with the missing -n and -s gives the rest.\n"
    )
    return 130


def _print(found: Study | Versus, *, as_json: bool, as_csv: bool) -> None:
    if as_json:
        _write_json(found, sys.stdout)
    elif as_csv:
        _write_csv(found, sys.stdout)
    else:
        _write_tables(found, sys.stdout)


def _write(found: Study | Versus, outputs: dict[str, Output]) -> None:
    """By the endings."""
    for ending, write in ((".json", _write_json), (".csv", _write_csv)):
        if ending in outputs:
            text = io.StringIO()
            write(found, text)
            outputs[ending].write(text.getvalue())
    for output in figure_of(outputs):
        _draw(found, output)


def _draw(found: Study | Versus, output: Output) -> None:
    from orrery.collective.study import Study
    from orrery.report import collective_plot, versus_plot

    if isinstance(found, Study):
        collective_plot.write_plot(found, output)
    else:
        versus_plot.write_plot(found, output)


def _write_tables(found: Study | Versus, file: TextIO) -> None:
    from orrery.collective.study import Study

    if isinstance(found, Study):
        from orrery.report.collective import write_tables

        write_tables(found, file)
    else:
        from orrery.report.versus import write_versus

        write_versus(found, file)


def _write_json(found: Study | Versus, file: TextIO) -> None:
    import json

    from orrery.marks import mark_json

    json.dump(mark_json(found.as_json()), file, indent=1)
    file.write("\n")


def _write_csv(found: Study | Versus, file: TextIO) -> None:
    import csv

    from orrery.collective import study, versus

    columns: Sequence[str] = study.COLUMNS if isinstance(found, study.Study) else versus.COLUMNS
    rows: Iterable[Sequence[object]] = found.rows()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
