# SPDX-License-Identifier: BSD-3-Clause
"""What came of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orrery.noise.intervals import Interval
from orrery.published import published


@dataclass(frozen=True)
class PlacementGain:
    """How much less time one mapping takes than another, as a share of that: 0.25 is a quarter less."""

    median: float
    low: float
    """5th percentile of the pairs of replicas with one seed each; the median where nothing is random."""
    high: float
    """95th percentile."""

    @classmethod
    def of(cls, before_s: Sequence[float], after_s: Sequence[float]) -> PlacementGain:
        """Compute the gain from the times of both, pair by pair."""
        gains = [1 - after / before if before else 0.0 for before, after in zip(before_s, after_s, strict=True)]
        if len(gains) == 1:
            return cls(gains[0], gains[0], gains[0])
        found = Interval.of(gains)
        return cls(found.median_s, found.low_s, found.high_s)


@dataclass(frozen=True, kw_only=True)
class CandidateMapping:
    """A mapping that was looked at."""

    name: str
    """`given`, a policy, or `search`, with what its nodes were like."""
    start: str = ""
    """What the search improved it from."""
    host_of_rank: list[int]
    pairs_s: float
    """Cost of pairs, mean of all ranks."""
    busiest_s: float
    """Cost of the busiest border."""
    simulated_s: float | None = None
    """Simulated time; None: nothing could be simulated."""
    level_bytes: dict[str, float]
    """Bytes of all messages by the largest border that they cross."""
    fits: bool = True
    """Whether what groups ask for is met."""

    @property
    @published
    def cost_s(self) -> float:
        """Both terms."""
        return self.pairs_s + self.busiest_s


@dataclass(frozen=True, kw_only=True)
class PlacementOutcome:
    """The best mapping, and how it compares with the given one."""

    source: str
    platform: str
    model: str
    ranks: int
    messages: float
    bytes: float
    given: CandidateMapping
    best: CandidateMapping
    """The given one itself, where no other is better."""
    tried: list[CandidateMapping]
    """All, by increasing simulated time, or cost where nothing was simulated."""
    gain: PlacementGain | None
    """None: nothing could be simulated, or the given mapping is kept."""
    hosts: list[str]
    """Names, by rank."""
    cores: list[int]
    """Number of cores of the host of each rank."""
    order: list[str]
    """Names of all hosts, in the order in which a launcher fills them."""
    cautions: list[str] = field(default_factory=list)

    @property
    @published
    def kept(self) -> bool:
        """Whether the given mapping is as good as any."""
        return self.best is self.given
