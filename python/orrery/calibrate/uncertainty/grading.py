# SPDX-License-Identifier: BSD-3-Clause
"""Bounds and reasons for the checks of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from orrery.platform.schema import Reason

Flaw = Literal["usable", "poor"]
"""The best grade of a calibration with this flaw."""


@dataclass(frozen=True)
class Bound:
    """Limits of a value: above `usable`, a calibration is usable at most; above `poor`, it is poor."""

    usable: float
    poor: float

    def grade(self, value: float) -> Flaw | None:
        """The grade for a value; None if it is at most `usable`. NaN is poor."""
        if value <= self.usable:
            return None
        return "usable" if value <= self.poor else "poor"


def reason(about: str, grade: Flaw, found: str, cure: str) -> Reason:
    """A reason against a calibration, see `schema.Reason`."""
    return Reason(about=about, grade=grade, found=found, cure=cure)
