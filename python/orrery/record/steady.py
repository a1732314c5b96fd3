# SPDX-License-Identifier: BSD-3-Clause
"""What became of computation that was measured, where it is charged without what disturbed its measurement."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.units import show_time


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyComputation:
    """Regions of the program, each what lies between two calls of MPI, and what they were charged; seconds of processors of the
    host that measured them, all ranks together.
    """

    regions: int
    """Regions that ranks came through."""
    repeated_regions: int
    """Of these, those that a rank came through more than once."""
    samples: int
    """How often ranks came through them."""
    with_instructions: int
    """Of these, how often the instructions that the processor retired were counted."""
    measured_s: float
    """What was measured of regions."""
    repeated_s: float
    """Of this, what was measured of regions that the rank had come through before."""
    moved_s: float
    """By how much samples were charged more or less than they were measured, summed: disturbance that was evened out or
    removed."""
    removed_s: float
    """Of this, the excess of outliers that nothing has confirmed, which is charged nowhere."""
    outliers: int
    """Number of these outliers."""
    other_s: float
    """Computation that belongs to no region, charged as it is: declared, sampled, or of ranks with several threads."""

    def sentence(self) -> str:
        """Regions, the share of time that comes again, and the disturbance that was taken out."""
        regions = f"{self.regions:,} region{'' if self.regions == 1 else 's'}"
        share = self.repeated_s / self.measured_s if self.measured_s > 0 else 0.0
        moved = self.moved_s / self.measured_s if self.measured_s > 0 else 0.0
        outliers = f"{self.outliers:,} outlier{'' if self.outliers == 1 else 's'}"
        return (
            f"{show_time(self.measured_s)} in {regions}, {share:.0%} of it in repeated ones; this host's disturbance, taken out: "
            f"{show_time(self.moved_s)} ({moved:.0%}), of which {show_time(self.removed_s)} in {outliers} left out"
        )
