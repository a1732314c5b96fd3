# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.outputs import by_ending
from orrery.cli.shown import show_json

_HELP = """
Check a platform and show what is in it: a built-in NAME or a TOML FILE.

To describe a cluster of your own, start from the file of a built-in platform; the first line of the
output says where it is. What messages take is half of a ping-pong, between ranks that have nothing else to do: hold it
against a measured one. With -o FILE.svg it is drawn: every node and cable up to some hundred nodes, of larger
platforms a part, and how large the whole is.
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("show", help=_HELP, short_help="Check a platform and show what is in it.")(_show)


def _show(
    name_or_file: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in platform or TOML file.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="All values, and how clusters connect, as JSON.")] = False,
    output: Annotated[Path | None, output_option("The drawing to write, FILE.svg.")] = None,
    overwrite: OverwriteOption = False,
) -> None:
    outputs = by_ending([output] if output else None, (".svg",), overwrite=overwrite, read=[Path(name_or_file)])
    from orrery.collective.ping_pong import ping_pongs
    from orrery.platform import core
    from orrery.platform.find import find
    from orrery.platform.load import load
    from orrery.report import platform as report

    platform, file = load(name_or_file), find(name_or_file)
    hardware = core.build(platform.model_dump())
    messages = ping_pongs(name_or_file)
    if as_json:
        show_json(report.as_json(platform, hardware, file, messages))
    else:
        terminal.write(report.describe(platform, hardware, file, messages), sys.stdout)
    if outputs:
        from orrery.marks import mark_svg
        from orrery.report.drawing.platform import draw

        outputs[".svg"].write(mark_svg(draw(platform, [host.name for host in hardware.hosts])))
