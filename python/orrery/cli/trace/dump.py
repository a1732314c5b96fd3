# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace dump`."""

from __future__ import annotations

import json
from itertools import islice
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.trace.shared import OnlyOption, TraceArgument, chosen_ranks, opened


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("dump")(_dump)


def _dump(
    trace: TraceArgument,
    *,
    only: OnlyOption = None,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", min=1, help="At most so many operations of each rank.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object for each line.")] = False,
) -> int:
    """Print the operations of a trace as text.

    Exit code: 0; 1 when the trace is not complete, which the first line of the error stream says.
    """
    from orrery.report.operation import line_of
    from orrery.trace.reading import operations

    file, exit_code = opened(trace)
    for rank in chosen_ranks(only, file.streams):
        for number, operation in enumerate(islice(operations(file, rank), most)):
            if as_json:
                values = operation._asdict()
                values["answer"] = operation.answer._asdict() if operation.answer else None
                terminal.line(json.dumps({"rank": rank, "number": number, **values}))
            else:
                terminal.line(f"{rank:>5} {number:>6} {line_of(operation)}")
    return exit_code
