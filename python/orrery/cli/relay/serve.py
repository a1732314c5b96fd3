# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay serve`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.relay.shared import CONFIG, ConfigOption
from orrery.cli.said import say
from orrery.errors import InputError, Interrupt, did_you_mean

_HELP = """
Run the frontal of a site: it knows the helpers of the site's nodes, and relays what cannot go directly.

It listens where relay.toml says and nowhere else, takes only who proves a key of `orrery relay keys`, and logs whom it refuses.

\b
Exit code: 0 after SIGTERM; 130 after Ctrl-C; 2 for input that cannot be used; 1 when it cannot listen there.

\b
Examples:
  orrery relay serve --config relay.toml --site lyon
"""


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """What `orrery relay serve` can be told."""

    config: ConfigOption = CONFIG
    site: Annotated[str, typer.Option("--site", metavar="NAME", show_default=False)]
    """Whose frontal this is."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "serve", ServeOptions, _serve, help=_HELP, short_help="Run the frontal of a site.")


def _serve(_context: typer.Context, options: ServeOptions) -> None:
    from orrery.relay.frontal import serve
    from orrery.relay.settings import read_settings

    relay = read_settings(Path(options.config))
    if options.site not in relay.sites:
        raise InputError(
            f"--site {options.site}: {options.config} has no such site{did_you_mean(options.site, relay.sites)}"
        )
    if (other := relay.frontal_of(options.site)) != options.site:
        raise InputError(
            f"--site {options.site}: the frontal of {other} serves this site (sites.{options.site}.frontal)"
        )
    try:
        asyncio.run(serve(relay, options.site, say))
    except KeyboardInterrupt:
        raise Interrupt("jobs that used this relay have ended") from None
