# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform list` and `orrery platform show`."""

from __future__ import annotations

from typing import Annotated

import typer

_HELP = """
List and show simulated clusters.

\b
Examples:
  orrery platform list
  orrery platform show graphene
  orrery platform show mine.toml        checks your own file, too
"""

_SHOW_HELP = """
Check a platform and show what is in it: a built-in NAME or a TOML FILE.

To describe a cluster of your own, start from the file of a built-in platform; the first line of the
output says where it is.
"""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    group = typer.Typer(help=_HELP, short_help="List and show simulated clusters.", rich_markup_mode=None)
    group.callback(invoke_without_command=True)(_root)
    group.command("list", help="List the built-in platforms.")(_list)
    group.command("show", help=_SHOW_HELP, short_help="Check a platform and show what is in it.")(_show)
    app.add_typer(group, name="platform")


def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _list(*, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    from orrery.platform.find import builtin_names, find
    from orrery.platform.load import load

    platforms = {name: load(name) for name in builtin_names()}
    if as_json:
        import json

        found = [
            {"name": name, "description": platform.description, "source": platform.source, "file": str(find(name))}
            for name, platform in platforms.items()
        ]
        typer.echo(json.dumps(found, indent=1))
        return
    width = max(len(name) for name in platforms)
    for name, platform in platforms.items():
        typer.echo(f"{name:<{width}}  {platform.description}")
        typer.echo(f"{'':<{width}}  parameters: {platform.source}")


def _show(
    name_or_file: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in platform or TOML file.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="All values, as JSON.")] = False,
) -> None:
    from orrery.platform import core
    from orrery.platform.find import find
    from orrery.platform.load import load
    from orrery.report.platform import describe

    platform = load(name_or_file)
    hardware = core.build(platform.model_dump())
    if as_json:
        typer.echo(platform.model_dump_json(indent=1, by_alias=True))
    else:
        typer.echo(describe(platform, hardware, find(name_or_file)), nl=False)
