# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.trace.shared import LossyOption, ReportOption, checked_place, exit_code_of, report_left_out

_HELP = """
Read a trace of another tool and write it as one of Orrery's, for replay, dump, profile, slice and convert.

\b
  DUMPI     name the .meta file, or the binary file of any rank
  Paraver   name the .prv file, or .prv.gz; the .pcf is beside it
  OTF2      name the .otf2 file, or the folder that has it (needs: pip install otf2)

`orrery replay` takes these traces as they are, too. What a format does not record, and what is taken
instead, is in docs/trace-imports.md. Exit code: 0; 1 when the trace is not complete, which the first line
says: what is left of it is imported.
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("import", help=_HELP)(_import)


def _import(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="Trace of the other tool.")],
    *,
    output: Annotated[Path, output_option("The trace to write; - is standard output.")],
    lossy: LossyOption = False,
    overwrite: OverwriteOption = False,
    as_json: ReportOption = False,
) -> int:
    from orrery.trace.imports.detect import import_trace

    out = checked_place(output, trace, overwrite=overwrite, as_json=as_json)
    with out.partial() as partial:
        target = import_trace(trace, partial, lossy=lossy)
    report_left_out(target.left_out, target.what_is_damaged, trace, as_json=as_json, ranks=target.ranks)
    if not as_json:
        terminal.line(f"{target.ranks:,} ranks", error=out.is_standard_output)
    return exit_code_of(target.what_is_damaged)
