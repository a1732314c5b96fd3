# SPDX-License-Identifier: BSD-3-Clause
"""What to mind before a program runs with tuned rules: on the terminal, in `tuned.json` and in the settings files alike."""

from __future__ import annotations

from orrery.tune import commuting
from orrery.tune.rules import TunedRules


def cautions(tuned: TunedRules) -> list[str]:
    """A sentence each: what the rules themselves do, then the limits of what they were made from."""
    return [*commuting.cautions(tuned), *tuned.made.limits]
