# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform`, and its commands."""

from __future__ import annotations

import typer

from orrery.cli.command import add_group
from orrery.cli.platform import diff, importing, json_schema, keys, listing, new, show, upgrade

_HELP = """
List, show, draw, begin, compare, convert and explain simulated clusters.

\b
Examples:
  orrery platform list
  orrery platform show graphene
  orrery platform show mine.toml        checks your own file, too
  orrery platform show graphene -o graphene.svg
  orrery platform new fat-tree-200 --nodes 120 -o ours.toml
  orrery platform diff monday.toml friday.toml
  orrery platform import cluster.xml -o cluster.toml
  orrery platform upgrade old.toml -o new.toml
  orrery platform keys transport.queue  what a key or table of the file means
  orrery platform schema -o platform.schema.json
"""


def add_to(app: typer.Typer) -> None:
    """Register the commands. Help names them in this order."""
    add_group(
        app,
        "platform",
        (listing, show, new, diff, importing, upgrade, keys, json_schema),
        help=_HELP,
        short_help="List, show, draw, begin and compare simulated clusters.",
    )
