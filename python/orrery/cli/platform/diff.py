# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform diff`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from orrery import terminal
from orrery.cli.shown import show_json

_HELP = """
Compare two platforms value by value: is what differs more than their calibrations leave open?

`orrery calibrate` states an interval of 95 % for what it measured. Values whose intervals have something in common are
within them, others are apart; so are values without an interval that are not equal. The ends of regimes are found in
the data, so regimes are compared by what messages of 1 B to 16 MiB cost: overheads, and the time between them.

Processors and network are counted by themselves: a busy host changes what handling a message takes, not rates, limits
or headers. With --same-pace all that processors do is scaled by what a fixed piece of arithmetic took in each
calibration: what is then still apart is not explained by how fast the hosts computed.

Exit code 1: something is apart.

\b
Examples:
  orrery platform diff monday.toml friday.toml
  orrery platform diff monday.toml friday.toml --same-pace
  orrery platform diff openmpi.toml mpich.toml --json
"""


def add_to(group: typer.Typer) -> None:
    """Register the command."""
    group.command("diff", help=_HELP, short_help="Compare two platforms and their intervals.")(_diff)


def _diff(
    first: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in platform or TOML file.")],
    second: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Another one.")],
    *,
    same_pace: Annotated[
        bool,
        typer.Option("--same-pace", help="As if the same arithmetic had taken as long in both calibrations."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All values, equal ones too, as JSON.")] = False,
) -> int:
    return show_difference(first, second, same_pace=same_pace, as_json=as_json)


def show_difference(first: str, second: str, *, same_pace: bool, as_json: bool) -> int:
    """Print how two platforms differ, built-in ones or files. 1: some value is apart, by more than calibrations leave open."""
    from orrery.platform.difference import compare
    from orrery.platform.load import load
    from orrery.report.difference import write_difference

    first_platform, second_platform = load(first), load(second)
    found = compare(first_platform, second_platform, same_pace=same_pace)
    if as_json:
        show_json(found)
    else:
        write_difference(first_platform, second_platform, found, terminal.styling(sys.stdout))
    return 1 if any(value.verdict == "apart" for value in found) else 0
