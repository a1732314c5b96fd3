# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate`, and its commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from orrery.cli.once import App
from orrery.cli.validate import ablate, collectives, program, residuals, suite, trace

_HELP = """
Compare predictions with measurements, case by case, and say how far they are apart.

With --replicas N predictions are intervals, from the 5th to the 95th percentile of N simulations whose noise
differs: a case is inside when its median lies in the measured spread, and overlaps when its interval and that
spread have a time in common. Twenty or more make a percentile one. With --vary calibration they differ in the
platform's parameters as well, as far as its calibration leaves them open.

Without a command's name, --suite, --profile, --trace and --ablate say which one is meant; else it is collectives.

Exit code 1: an error is above its bound (--most-median, --most-p90), or, of a suite, became worse than it.

\b
Examples:
  orrery validate collectives --platform cluster.toml --selector openmpi-4.1 --ingest times.csv --report errors.html
  orrery validate program --profile npb-functions.csv --where kernel=cg.W --record cg.json
  orrery validate trace cg.trace --platform cluster.toml --selector openmpi-4.1 --replicas 20
  orrery validate suite suite.toml --store reports
  orrery validate ablate suite.toml -o accuracy.md
"""

_NAMES = ("collectives", "program", "trace", "suite", "ablate", "residuals")
_BY_OPTION = {"--ablate": "ablate", "--suite": "suite", "--profile": "program", "--trace": "trace"}
"""Options that have told what is compared since before there were commands."""


class _ValidateGroup(TyperGroup):
    """A group of which the command need not be named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name in front, where it is not there."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else _named(args))


def _named(words: list[str]) -> list[str]:
    if words[:1] and words[0] in (*_NAMES, "-h", "--help"):
        return words
    return [_meant(words), *words]


def _meant(words: Sequence[str]) -> str:
    options = {word.partition("=")[0] for word in words}
    return next((name for option, name in _BY_OPTION.items() if option in options), "collectives")


def add_to(app: typer.Typer) -> None:
    """Register the commands. Help names them in this order."""
    group = App(
        cls=_ValidateGroup, help=_HELP, short_help="Compare predictions with measurements.", rich_markup_mode=None
    )
    for command in (collectives, program, trace, suite, ablate, residuals):
        command.add_to(group)
    app.add_typer(group, name="validate")
