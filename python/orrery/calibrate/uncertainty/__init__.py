# SPDX-License-Identifier: BSD-3-Clause
"""Uncertainty of parameters: draws, intervals and the verdict."""

from orrery.calibrate.uncertainty.draws import TAILS
from orrery.calibrate.uncertainty.outcome import outcome_of
from orrery.calibrate.uncertainty.verdict import judge

__all__ = [
    "TAILS",
    "judge",
    "outcome_of",
]
