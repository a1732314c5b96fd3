# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery benchmark` can be told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.benchmark.settings import BenchmarkRequest
from orrery.cli.files import OverwriteOption, ReportOption, output_option


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(BenchmarkRequest):
    """What is timed, and what is written."""

    output: Annotated[
        list[Path] | None,
        output_option("What to write, by its ending: all loops (FILE.json, FILE.csv); may be repeated."),
    ] = None
    report: ReportOption = None
    overwrite: OverwriteOption = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print all as JSON; times in seconds."""
