# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from orrery.errors import InputError

_HELP = """
Show the messages that a collective call consists of.

One call of each KIND for every number of ranks and every size, as CSV: who sends how many messages and
bytes to whom; with --sequence each message, in the order in which its source starts them. BYTES are the
whole vector (bcast, reduce, allreduce, scan, exscan, reduce_scatter), one rank's block (gather, scatter,
allgather, reduce_scatter_block and v-forms) or one pair's block (alltoall, alltoallv). Reductions are of
numbers of 8 bytes.

\b
Examples:
  orrery collective allreduce -n 8 -s 64KiB --messages --selector openmpi-4.1
  orrery collective bcast -n 4,8 -s 8,512KiB --messages --algorithm split_binary_tree --segment 8KiB
  orrery collective barrier alltoall -n 2,3,4 -s 8 --messages --sequence
"""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("collective", help=_HELP, short_help="Show the messages of a collective call.")(_collective)


def _collective(
    kinds: Annotated[list[str], typer.Argument(metavar="KIND...", help="Collectives: allreduce, bcast, ...")],
    *,
    ranks: Annotated[str, typer.Option("-n", "--ranks", metavar="N,...", help="Numbers of ranks.")],
    sizes: Annotated[str, typer.Option("-s", "--size", metavar="BYTES,...", help="Sizes, such as 8,64KiB.")] = "0",
    root: Annotated[int, typer.Option("--root", metavar="RANK", help="Root of collectives that have one.")] = 0,
    selector: Annotated[
        str, typer.Option("--selector", metavar="NAME", help="Who chooses the algorithm: default, openmpi-4.1.")
    ] = "default",
    coll: Annotated[
        str, typer.Option("--coll", metavar="KIND=ALGORITHM,...", help="Algorithms that overrule the selector's.")
    ] = "",
    algorithm: Annotated[
        str | None,
        typer.Option("--algorithm", metavar="NAME", help="Algorithm, by Orrery's name or Open MPI's, for every call."),
    ] = None,
    segment: Annotated[
        str, typer.Option("--segment", metavar="BYTES", help="Segment size of the algorithm; 0: not segmented.")
    ] = "0",
    fanout: Annotated[
        int, typer.Option("--fanout", metavar="N", help="Chains, or radix of a tree; 0: the algorithm's own.")
    ] = 0,
    messages: Annotated[bool, typer.Option("--messages", help="Print the messages as CSV.")] = False,
    sequence: Annotated[bool, typer.Option("--sequence", help="Each message on a line of its own.")] = False,
) -> int:
    if not messages and not sequence:
        raise InputError("predicted times of collectives are not there yet; say --messages to see who sends what")
    from orrery.collective.messages import Request, calls, write_messages

    request = Request(
        selector=selector, coll=coll, algorithm=algorithm, segment=segment, fanout=fanout, root=root, sequence=sequence
    )
    write_messages(calls(kinds, ranks, sizes, request), request, sys.stdout)
    return 0
