# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery collective` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, ReportOption, output_option
from orrery.collective.settings import NOT_SIMULATED, CollectiveRequest
from orrery.verbs import setting


@dataclass(frozen=True, kw_only=True)
class CollectiveOptions(CollectiveRequest):
    """What is asked about the calls, and what is shown."""

    messages: Annotated[bool, typer.Option("--messages")] = False
    """Print the messages as CSV."""
    sequence: Annotated[bool, typer.Option("--sequence")] = False
    """Each message on a line of its own."""
    ppn: Annotated[int | None, typer.Option("--ppn", metavar="K", min=1)] = None
    """For --messages: K ranks on each node, laid as --map says."""
    versus_sends: Annotated[bool, setting("--versus-sends", beside=NOT_SIMULATED)] = False
    """Compare with as many sends as do the same, one after the other."""
    barrier: Annotated[bool, setting("--barrier", needs="versus_sends")] = False
    """Count a barrier after the collective, for --versus-sends."""
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print times as JSON; in seconds."""
    as_csv: Annotated[
        bool, setting("--csv", beside={"as_json": "not with --json: print one of them; -o FILE.csv writes the other"})
    ] = False
    """Print times as CSV; in seconds."""
    output: Annotated[
        list[Path] | None,
        output_option(
            "What to write, by its ending: times (FILE.json, FILE.csv) or a drawing of them (FILE.html, .svg, .png); may be "
            "repeated."
        ),
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False

    @property
    def wants_messages(self) -> bool:
        """Whether nothing is simulated."""
        return self.messages or self.sequence
