# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay keys`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.errors import InputError

_HELP = """
Make keys for sites: one for the frontal of each and one for its helpers, signed by an authority that is made with the first.

A site needs authority.pem and its own folder. authority.key signs keys of further sites; keep it where it is made.

\b
Examples:
  orrery relay keys keys --site lyon --site turin
  orrery relay keys keys --site delft                  one more
  scp -r keys/authority.pem keys/turin turin:job/keys  what turin gets
  orrery relay keys keys --list                        serial numbers, for the list of revoked keys
"""


@dataclass(frozen=True, kw_only=True)
class KeysOptions:
    """What `orrery relay keys` can be told."""

    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)]
    """Where keys are written."""
    sites: Annotated[list[str] | None, typer.Option("--site", metavar="NAME", show_default=False)] = None
    """A site, as in relay.toml; once for each."""
    listed: Annotated[bool, typer.Option("--list", show_default=False)] = False
    """Make none; say whose keys are there, their serial numbers, and until when they are valid."""
    days: Annotated[int, typer.Option("--days", metavar="N", min=1, max=3650)] = 30
    """How long keys are valid."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "keys", KeysOptions, _keys, help=_HELP, short_help="Make keys for sites.")


def _keys(_context: typer.Context, options: KeysOptions) -> None:
    from orrery.relay.keys import list_keys, make_keys

    if options.listed == bool(options.sites):
        raise InputError("expected --site NAME, once for each site that gets keys, or --list")
    if options.listed:
        for key in list_keys(options.folder):
            terminal.line(f"{key.name}  {key.serial}  until {key.valid_until:%Y-%m-%d %H:%M} UTC")
        return
    for file in make_keys(options.folder, options.sites or [], options.days):
        terminal.line(f"{file}")
