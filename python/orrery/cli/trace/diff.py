# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orrery import terminal
from orrery.cli.trace.shared import TraceArgument, opened

if TYPE_CHECKING:
    from orrery.trace.reading import Operation


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("diff")(_diff)


def _diff(
    first: TraceArgument,
    second: Annotated[Path, typer.Argument(metavar="OTHER", help="Another.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> int:
    """Say where two traces do different things. Exit code 1 when they differ, or one of them is not complete.

    Times do not count, nor how requests and communicators are numbered. Of each rank the first operation is shown that differs,
    and in what.
    """
    from orrery.trace.difference import differences

    (first_trace, first_code), (second_trace, second_code) = opened(first), opened(second)
    streams = [first_trace.streams, second_trace.streams]
    alike = first_trace.streams == second_trace.streams
    found = differences(first_trace, second_trace) if alike else []
    if as_json:
        ranks = [
            {
                "rank": it.rank,
                "operation": it.number,
                "fields": it.fields,
                "first": _shown(it.first),
                "second": _shown(it.second),
            }
            for it in found
        ]
        terminal.line(json.dumps({"streams": streams, "different": ranks}))
    elif not alike:
        terminal.line(f"{first} has {first_trace.streams:,} ranks, {second} {second_trace.streams:,}")
    else:
        for it in found:
            what = f": {', '.join(it.fields)}" if it.fields else ":"
            terminal.line(f"rank {it.rank}, operation {it.number}{what}\n  {_shown(it.first)}\n  {_shown(it.second)}")
        terminal.line(f"{len(found):,} of {first_trace.streams:,} ranks differ" if found else "the traces do the same")
    return 1 if found or not alike else max(first_code, second_code)


def _shown(operation: Operation | None) -> str:
    from orrery.report.operation import line_of

    return "(the end)" if operation is None else line_of(operation)
