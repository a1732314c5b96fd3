# SPDX-License-Identifier: BSD-3-Clause
"""How far a simulated time of a call is off, before anything of the library is known.

The spread comes from the residuals of measured collectives (`orrery.evidence.expectation`), whose intervals hold 9 of 10 times. Their
residuals over difficulty are correlated over sizes of one collective on one number of ranks in one hour: 0.51 over a factor of 4, 0.33
over 16 and 0.13 over 64. The first two are those of a shared part of SHARED of the variance, correlated by CORRELATION over a factor
of 4, and a part of each size's own. Over collectives, at one size and number of ranks, they are correlated by ACROSS.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

from orrery.benchmark.cases import LoopCase
from orrery.evidence.expectation import reach_of_call
from orrery.evidence.residuals import LEVEL
from orrery.evidence.statement import Statement

SHARED = 0.79
CORRELATION = 0.645
ACROSS = 0.29
"""Correlation of the residuals of two collectives on one number of ranks, at one size, in one hour."""
_QUANTILE = NormalDist().inv_cdf((1 + LEVEL) / 2)
_LEAST = 0.03
"""Loops are timed until their means are known to 2 %, on both sides."""


@dataclass(frozen=True)
class Error:
    """Error of simulations on one platform."""

    statement: Statement | None
    """What its calibration says of its uncertainty; None: it was written by hand."""

    def spread(self, case: LoopCase, measured: float = 0.0) -> float:
        """In ln of time; `measured`: the spread of the measured time in it."""
        reach = reach_of_call(case.test, case.ranks, case.bytes, statement=self.statement)
        return hypot(max(_LEAST, reach / _QUANTILE), measured)
