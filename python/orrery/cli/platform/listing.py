# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform list`."""

from __future__ import annotations

from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.shown import show_json


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("list", help="List the built-in platforms.")(_list)


def _list(*, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    from orrery.platform.find import builtin_names, find
    from orrery.platform.load import load

    platforms = {name: load(name) for name in builtin_names()}
    if as_json:
        show_json(
            [
                {"name": name, "description": platform.description, "source": platform.source, "file": find(name)}
                for name, platform in platforms.items()
            ]
        )
        return
    width = max(len(name) for name in platforms)
    for name, platform in platforms.items():
        terminal.line(f"{name:<{width}}  {platform.description}")
        terminal.line(f"{'':<{width}}  parameters: {platform.source}")
