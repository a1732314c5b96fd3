# SPDX-License-Identifier: BSD-3-Clause
"""The interval in which the real time of a prediction is expected, as a record has it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedInterval:
    """Interval that is expected to contain the real time, in seconds."""

    low_s: float
    high_s: float
    level: float
    """Probability that the interval contains the real time, for a case like those of the residuals."""
    cases: int
    """Number of residuals that were used."""
    clusters: int = 0
    """Number of clusters on which they were measured; 0: written by a version that did not count them."""
    by_hand: bool = False
    """Whether the platform has no calibration, so that machines with platforms that were written by hand stand for it."""
    beyond: list[str] = field(default_factory=list)
    """In what the case is outside of the range of the residuals, and how the interval accounts for it."""
