# SPDX-License-Identifier: BSD-3-Clause
"""`orrery compare selectors`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from orrery.cli.command import add_command
from orrery.cli.shown import show
from orrery.comparison.settings import USUAL, SelectorsRequest

_HELP = """
Compare two selectors of collective algorithms, or rules files of an MPI: where they choose otherwise, and what that costs.

Both are asked for the same calls (-n, -s), which are simulated on a platform (-p).

\b
Examples:
  orrery compare selectors openmpi-4.1 mpich-4.0 -n 16,64 -s 8:1MiB -p graphene --map node
  orrery compare selectors openmpi-4.1 my-rules.conf -n 16 --json
"""


@dataclass(frozen=True, kw_only=True)
class SelectorsOptions(SelectorsRequest):
    """What is compared, and how it is shown."""

    as_json: Annotated[bool, typer.Option("--json")] = False
    """Print everything as JSON; in seconds."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    add_command(
        app,
        "compare selectors",
        SelectorsOptions,
        _selectors,
        help=_HELP,
        short_help="Say where two selectors of algorithms differ.",
    )


def _selectors(_context: typer.Context, options: SelectorsOptions) -> int:
    from orrery.collective.settings import CollectiveRequest
    from orrery.comparison.selectors import compare_selectors
    from orrery.comparison.sides import selector_side
    from orrery.progress import progress
    from orrery.report.selectors_compared import text

    asked = CollectiveRequest(
        kinds=options.collectives or USUAL,
        ranks=options.ranks,
        sizes=options.sizes,
        platform=options.platform,
        mapping=options.mapping,
    )
    with progress() as advanced:
        found = compare_selectors(selector_side(options.first), selector_side(options.second), asked, advanced)
    show(found, text, as_json=options.as_json)
    return 130 if found.missing else 0
