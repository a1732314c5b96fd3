# SPDX-License-Identifier: BSD-3-Clause
"""Bounds and reasons, from which the checks of a calibration are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orrery.platform.schema import Reason

Flaw = Literal["usable", "poor"]
"""The best grade of a calibration with this flaw."""


@dataclass(frozen=True)
class Bound:
    """Values above which a calibration is usable only, and above which it is poor."""

    usable: float
    poor: float

    def grade(self, value: float) -> Flaw | None:
        """Grade of a value; None if it is within the bounds. NaN is poor."""
        if value <= self.usable:
            return None
        return "usable" if value <= self.poor else "poor"


def reason(about: str, grade: Flaw, found: str, cure: str) -> Reason:
    """A reason against a calibration, see `schema.Reason`."""
    return Reason(about=about, grade=grade, found=found, cure=cure)
