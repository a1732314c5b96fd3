# SPDX-License-Identifier: BSD-3-Clause
"""What became of measured computation, as the record has it."""

from __future__ import annotations

from orrery import _core
from orrery.record.steady import SteadyComputation


def steady_of(charged: _core.ChargedComputation) -> SteadyComputation | None:
    """None: no region was measured."""
    if charged.regions == 0:
        return None
    return SteadyComputation(
        charged=charged.is_steady,
        regions=charged.regions,
        repeated_regions=charged.repeated,
        samples=charged.samples,
        with_instructions=charged.with_instructions,
        measured_s=charged.measured_s,
        repeated_s=charged.repeated_s,
        moved_s=charged.moved_s,
        removed_s=charged.removed_s,
        outliers=charged.outliers,
        cold_caches_s=charged.cold_s,
        other_s=charged.other_s,
    )
