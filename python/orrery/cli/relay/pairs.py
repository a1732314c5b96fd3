# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay pairs`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import typer

from orrery import terminal
from orrery.cli.command import add_command
from orrery.cli.relay.shared import CONFIG, ConfigOption

_HELP = """
Say how processes of each site will connect to those of each other one, in the order in which it is tried.

\b
  direct   a plain connection, or one between the helpers of both nodes where NAT hides who calls
  reverse  the helper of the target's node connects to that of the caller's
  relay    through the frontals

Traversing TCP, where both ends behind NAT open at the same time, is not there: two sites behind NAT are relayed.
"""


@dataclass(frozen=True, kw_only=True)
class PairsOptions:
    """What `orrery relay pairs` can be told."""

    config: ConfigOption = CONFIG


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(app, "pairs", PairsOptions, _pairs, help=_HELP, short_help="Say how sites connect to each other.")


def _pairs(_context: typer.Context, options: PairsOptions) -> None:
    from orrery.relay.settings import read_settings

    relay = read_settings(Path(options.config))
    for caller in relay.sites:
        for target in relay.sites:
            if caller != target:
                terminal.line(f"{caller} -> {target}: {', '.join(relay.methods(caller, target)) or 'nothing'}")
