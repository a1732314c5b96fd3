# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform upgrade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, checked

_HELP = """
Rewrite a platform FILE of version 0.2 in today's words: [hybrid] became [network], [transport] and [node].

Values and comments stay as they are. A key that is no longer modelled becomes a comment. Without -o the new file is printed.

\b
Example:
  orrery platform upgrade old.toml -o new.toml
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("upgrade", help=_HELP, short_help="Rewrite a file of version 0.2.")(_upgrade)


def _upgrade(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Platform file of version 0.2.")],
    *,
    output: Annotated[Path, output_option("The TOML file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
) -> None:
    from orrery.documents import parse_toml, read_text
    from orrery.platform.load import parse
    from orrery.platform.upgrade import is_old, upgraded

    text = read_text(file)
    if not is_old(parse_toml(file, text)):
        raise InputError(f"{file}: has no [hybrid], so it is of today already")
    out = checked(output, overwrite=overwrite, read=[file])
    new = upgraded(text)
    parse(file, new)
    out.write(new)
