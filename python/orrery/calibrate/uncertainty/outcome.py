# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a calibration with what is known of them."""

from __future__ import annotations

from orrery.calibrate.fit import Outcome, evaluate
from orrery.calibrate.measure import About, Results
from orrery.calibrate.uncertainty.draws import with_draws


def outcome_of(results: Results, about: About, *, most_regimes: int) -> Outcome:
    """Fit what was measured. Raises CalibrationError when nothing can be fitted to it."""
    outcome = evaluate(
        results,
        nodes=about.nodes,
        ppn=about.ppn,
        groups=about.cabinets,
        most_regimes=most_regimes,
    )
    return with_draws(outcome, results, about.cabinets)
