# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune`, `orrery tune discover` and `orrery tune upgrade`."""

import typer

from orrery.cli.tune import command, discover, upgrade


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for verb in (command, discover, upgrade):
        verb.add_to(app)
