# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform keys`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.outputs import by_ending
from orrery.cli.shown import show_json
from orrery.errors import InputError
from orrery.published import json_of

_HELP = """
Explain the keys of platform files: meaning, values, default, what they need, and what measures them.

Without NAME all tables are printed. NAME is a table or a key with the tables that it is in; some of these may be left
out, and a name alone stands for all keys that have it. With -o FILE.md the reference page is written in Markdown, with
-o FILE.json all of it for programs.

\b
Examples:
  orrery platform keys
  orrery platform keys transport.queue             a table
  orrery platform keys network.between_nodes.protocol
  orrery platform keys latency_s                   every key of this name
  orrery platform keys --markdown > keys.md
  orrery platform keys burst_bytes --json
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("keys", help=_HELP, short_help="Explain the keys of platform files.")(_keys)


def _keys(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Table or key, such as transport.queue; by default all.")
    ] = None,
    *,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="The reference page, in Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    output: Annotated[
        Path | None, output_option("The file to write: FILE.md the page, FILE.json all of it for programs.")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    if as_markdown and as_json:
        raise InputError("--markdown and --json: print one of them; -o writes the other")
    if name is not None and (as_markdown or (output and output.suffix.lower() == ".md")):
        raise InputError(
            f"{name}: the page in Markdown is of all keys; leave out the name, or print it without --markdown"
        )
    outputs = by_ending([output] if output else None, (".md", ".json"), overwrite=overwrite)
    from orrery.platform.keys import named
    from orrery.report import platform_keys

    found = None if name is None else named(name)
    keys = {"keys": platform_keys.as_json(found)}
    if ".md" in outputs:
        outputs[".md"].write(platform_keys.markdown())
    if ".json" in outputs:
        outputs[".json"].write(f"{json_of(keys)}\n")
    if as_json:
        show_json(keys)
    elif as_markdown:
        terminal.write(platform_keys.markdown(), sys.stdout)
    elif not outputs:
        import shutil

        width = min(100, shutil.get_terminal_size((100, 24)).columns)
        terminal.write(platform_keys.text(found, width), sys.stdout)
