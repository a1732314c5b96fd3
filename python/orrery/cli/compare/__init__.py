# SPDX-License-Identifier: BSD-3-Clause
"""`orrery compare` and `orrery compare selectors`."""

import typer

from orrery.cli.compare import command, selectors


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for verb in (command, selectors):
        verb.add_to(app)
