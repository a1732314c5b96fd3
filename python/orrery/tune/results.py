# SPDX-License-Identifier: BSD-3-Clause
"""What a tuning found, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery.published import SPREAD
from orrery.tune.seen import RulesObservation
from orrery.tune.session import TuningResult


@dataclass(frozen=True, kw_only=True)
class WrittenRules:
    """What became of the rules."""

    files: list[str] = field(default_factory=list)
    """That were written."""
    load: list[str] = field(default_factory=list)
    """Commands that make the library load them."""
    seen: RulesObservation | None = None
    """What the real library was seen to do with them; None: nobody looked."""


@dataclass(frozen=True)
class TuningReport:
    """What `orrery tune` found."""

    tuning: TuningResult = field(metadata=SPREAD)
    written: WrittenRules = field(metadata=SPREAD)
