# SPDX-License-Identifier: BSD-3-Clause
"""What became of computation that was measured, where it is charged without what disturbed its measurement."""

from __future__ import annotations

from dataclasses import dataclass

from orrery.units import show_time

_WORTH_SAYING = 0.01
"""Share of computation."""
_MUCH = 0.2
"""Share of computation that disturbances of a host rarely take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteadyComputation:
    """Regions of the program, each what lies between two calls of MPI, and what they were charged; seconds of processors of the
    host that measured them, all ranks together.
    """

    charged: bool
    """Whether regions were charged so (`--compute steady`); otherwise they were charged as measured, and would have been."""
    regions: int
    """Regions that ranks came through."""
    repeated_regions: int
    """Regions that some rank came through more than once."""
    samples: int
    """How often ranks came through them."""
    with_instructions: int
    """Samples whose instructions were counted, as the processor retired them."""
    measured_s: float
    """What was measured of regions."""
    repeated_s: float
    """Part of `measured_s` in regions that the rank had come through before."""
    moved_s: float
    """By how much samples were charged more or less than they were measured, summed: noise that was evened out or
    removed."""
    removed_s: float
    """Part of `moved_s`: the excess of outliers that nothing has confirmed, which is charged nowhere."""
    outliers: int
    """Number of these outliers."""
    cold_caches_s: float
    """What was measured beyond what regions take with caches as the rank left them, charged nowhere: ranks that take turns on this
    host's processors find each other's data there."""
    other_s: float
    """Computation that belongs to no region, charged as it is: declared, sampled, or of ranks with several threads."""

    def regions_words(self) -> str:
        """Regions of the program, their time and the share of it that comes again, and the time outside of them."""
        text = f"{self.regions:,}, {show_time(self.measured_s)} of all ranks, {self._share(self.repeated_s)} repeated"
        if self.other_s >= _WORTH_SAYING * self.measured_s and self.other_s > 0:
            text += f"; {show_time(self.other_s)} outside of them, as it is"
        return text

    def host_noise_words(self) -> str:
        """What this host added to the time of regions: what became of it, or that it is charged."""
        if not self.charged:
            return f"{self._part(self.moved_s)}, charged (--compute steady filters it)"
        noise = f"{self._part(self.moved_s - self.removed_s)} evened out, {self._part(self.removed_s)} removed"
        cold = f"; cold caches {self._part(self.cold_caches_s)} removed" if self.cold_caches_s > 0 else ""
        return f"{noise}{cold}"

    def cautions(self) -> list[str]:
        """Return what to keep in mind where more was removed than a host mostly adds."""
        if not self.charged or self.removed_s < _MUCH * self.measured_s or self.removed_s == 0:
            return []
        return [
            (
                f"{self._share(self.removed_s)} of the computation was removed as this host's noise, which may be work that comes "
                "rarely: --compute raw charges all that was measured"
            )
        ]

    def _part(self, seconds: float) -> str:
        return f"{show_time(round(seconds, 9))} ({self._share(seconds)})"

    def _share(self, seconds: float) -> str:
        return f"{seconds / self.measured_s if self.measured_s > 0 else 0:.0%}"
