# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay keys`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.command import add_command

_HELP = """
Make keys for sites: one for the frontal of each and one for its helpers, signed by an authority that is made with the first.

A site needs authority.pem and its own folder. authority.key signs keys of further sites; keep it where it is made.

\b
Examples:
  orrery relay keys keys --site lyon --site turin
  orrery relay keys keys --site delft                  one more
  scp -r keys/authority.pem keys/turin turin:job/keys  what turin gets
"""


@dataclass(frozen=True, kw_only=True)
class KeysOptions:
    """What `orrery relay keys` can be told."""

    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)]
    """Where keys are written."""
    sites: Annotated[list[str], typer.Option("--site", metavar="NAME", show_default=False)]
    """A site, as in relay.toml; once for each."""
    days: Annotated[int, typer.Option("--days", metavar="N", min=1, max=3650)] = 30
    """How long keys are valid."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "keys", KeysOptions, _keys, help=_HELP, short_help="Make keys for sites.")


def _keys(_context: typer.Context, options: KeysOptions) -> None:
    from orrery.relay.keys import make_keys

    for file in make_keys(options.folder, options.sites, options.days):
        typer.echo(file)
