# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a calibration with their intervals."""

from __future__ import annotations

from orrery.calibrate.fit import CalibrationOutcome, evaluate
from orrery.calibrate.measure import About, CalibrationResults
from orrery.calibrate.uncertainty.draws import with_draws


def outcome_of(results: CalibrationResults, about: About, *, most_regimes: int) -> CalibrationOutcome:
    """Fit all parameters, with draws and intervals. Raises CalibrationError if nothing can be fitted."""
    outcome = evaluate(
        results,
        nodes=about.nodes,
        ppn=about.ppn,
        groups=about.cabinets,
        virtual=about.vms_per_host is not None,
        most_regimes=most_regimes,
    )
    return with_draws(outcome, results, about.cabinets)
