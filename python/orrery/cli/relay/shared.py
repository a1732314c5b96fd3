# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands of `orrery relay` have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path,
    typer.Option("--config", metavar="FILE", help="Sites, their policies and where their frontals listen: relay.toml."),
]
CompilerOption = Annotated[
    str,
    typer.Option("--cc", metavar="COMMAND", help="Compiler of C, for the library that is preloaded."),
]
CONFIG = Path("relay.toml")
