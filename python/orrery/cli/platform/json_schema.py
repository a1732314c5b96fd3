# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.output import STANDARD_OUTPUT, checked
from orrery.words import json_text

_HELP = """
Print the JSON schema of platform files (draft 2020-12), or write it with -o.

Editors complete and check platform files by it. Those that use Taplo (VS Code with "Even Better TOML", Helix, Neovim,
Zed) are told so by the first line of the file:

\b
  #:schema ./platform.schema.json

The schema knows what single keys allow; `orrery platform show FILE` also checks what several of them say together.

\b
Examples:
  orrery platform schema -o platform.schema.json
  orrery platform schema | jq '.properties.network.properties | keys'
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("schema", help=_HELP, short_help="Write the JSON schema of platform files.")(_schema)


def _schema(
    *,
    output: Annotated[Path, output_option("The file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
) -> None:
    import json

    out = checked(output, overwrite=overwrite)
    from orrery.platform.json_schema import schema

    out.write(json_text(json.dumps(schema(), indent=1, ensure_ascii=False)) + "\n")
