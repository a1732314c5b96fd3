# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`: what calls cost, or which messages they consist of."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from orrery import terminal
from orrery.cli.collective.options import CollectiveOptions
from orrery.cli.collective.output import print_found, write_found, write_report
from orrery.cli.command import add_command
from orrery.cli.outputs import FIGURES, by_ending, report_output
from orrery.cli.said import refuse_all, said
from orrery.errors import InputError, Interrupt
from orrery.progress import progress

if TYPE_CHECKING:
    from orrery.collective.call import Call
    from orrery.collective.study import Study
    from orrery.collective.versus import SendsStudy

_HELP = """
Say what a collective call costs, by algorithm, or which messages it consists of.

One call of each KIND for every number of ranks and every size. BYTES are the whole vector (bcast, reduce,
allreduce, scan, exscan, reduce_scatter), one rank's block (gather, scatter, allgather,
reduce_scatter_block and v-forms) or one pair's block (alltoall, alltoallv). Reductions are of numbers of
8 bytes. A range such as 8:1MiB goes by powers of two.

Without -s sizes go from 8 bytes to 1 MiB, in steps of eight.

Times are simulated: all ranks call at one moment, on a network that carries nothing else, and the time is
that until the last one goes on. Without --algorithm the algorithm is the selector's, which is compared with
no other; `--algorithm all` compares all that serve the call, those with segments with several sizes of
them, says where another one becomes the cheapest, and what the selector's choice loses.

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
  orrery collective allreduce -n 256 -s 8:4MiB --algorithm all --report allreduce.html
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
    add_command(
        app, "collective", CollectiveOptions, _collective, help=_HELP, short_help="Say what a collective call costs."
    )


def _collective(context: typer.Context, options: CollectiveOptions) -> int:
    options.check(sends=options.versus_sends)
    if options.wants_messages:
        return _messages(context, options)
    if options.ppn is not None:
        raise InputError("--ppn: acts only with --messages")
    outputs = by_ending(options.output, (".json", ".csv", *FIGURES), overwrite=options.overwrite)
    page = report_output(options.report, overwrite=options.overwrite)
    calls = options.calls
    found = _simulated(calls, options)
    if len(found.missing) == len(calls):
        raise Interrupt(
            f"none of {len(calls)} calls was simulated by then; ask for less at once: fewer -n or -s, or one --algorithm"
        )
    print_found(found, json=options.as_json, csv=options.as_csv)
    write_found(found, outputs)
    if page is not None:
        write_report(found, page)
    return _interrupted(calls, len(found.missing)) if found.missing else 0


def _messages(context: typer.Context, options: CollectiveOptions) -> int:
    from orrery.collective.messages import write_messages

    refuse_all(context, ("as_json", "as_csv", "output", "report", "overwrite"), "not with --messages, which are CSV")
    if "mapping" in said(context) and options.ppn is None:
        raise InputError("--map: acts on --messages only with --ppn")
    if len(options.segments or ()) > 1 or len(options.algorithm) > 1:
        raise InputError("--messages takes one --algorithm and one --segment")
    file = terminal.styling(sys.stdout)
    for caution in write_messages(options, file, per_node=options.ppn, sequence=options.sequence):
        terminal.line(f"orrery: caution: {caution}", error=True)
    return 0


def _simulated(calls: Sequence[Call], options: CollectiveOptions) -> Study | SendsStudy:
    from orrery.collective.session import opened
    from orrery.collective.study import study
    from orrery.collective.versus import compare

    with opened(calls, options) as (laboratory, question), progress() as advanced:
        if options.versus_sends:
            return compare(calls, question.selector, laboratory, advanced, barrier=options.barrier)
        return study(calls, question, laboratory, advanced)


def _interrupted(calls: Sequence[Call], missing: int) -> int:
    """Say what Ctrl-C left out, the last ones, and how to go on."""
    first = calls[-missing]
    terminal.line(
        f"orrery: interrupted: {len(calls) - missing} of {len(calls)} calls are there; missing from {first.kind} of "
        f"{first.size} bytes on {first.ranks} ranks on. The same command with the missing -n and -s gives the rest.",
        error=True,
    )
    return 130
