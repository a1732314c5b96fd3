# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay`, and its commands."""

from __future__ import annotations

import typer

from orrery.cli.command import add_group
from orrery.cli.relay import job, keys, pairs, serve

_HELP = """
Run one MPI job on several sites that cannot reach each other, through relays.

Where neither site lets anything in, all data go through relays: traversing TCP (both ends open at the same time) is not there.

\b
Examples:
  orrery relay keys keys --site lyon --site turin      keys, once; each site gets its own
  orrery relay pairs --config relay.toml               what each pair of sites will use
  orrery relay serve --config relay.toml --site lyon   on the front-end machine of each site
  orrery relay run --config relay.toml -- mpirun -np 8 --host node1:4,node2:4 ./cg
"""


def add_to(app: typer.Typer) -> None:
    """Register the commands. Help names them in this order."""
    add_group(
        app,
        "relay",
        (keys, pairs, serve, job),
        help=_HELP,
        short_help="Run one MPI job on several sites that cannot reach each other.",
    )
