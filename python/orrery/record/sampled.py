# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a program that were executed a few times and then skipped, and what that leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledBlock:
    """A block of ORRERY_SAMPLE_LOCAL or ORRERY_SAMPLE_GLOBAL, over all ranks. Times are seconds of this host's processor."""

    file: str
    """Source file, as the compiler was given it."""
    line: int
    """Its line."""
    scope: Literal["rank", "all"]
    """`rank`: each rank had a sample of its own; `all`: all ranks had one in common."""
    executed: int
    """How often it was executed."""
    skipped: int
    """How often it was skipped, and a mean time counted."""
    mean_s: float
    """Mean time of the executions."""
    half_width_s: float | None
    """The mean is so far from the true one at most, with 95 % confidence; None: it was executed once, by all or by a rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledTime:
    """Where the simulated time would be if nothing had been skipped, in seconds."""

    low_s: float
    high_s: float
    confidence: float
    """That it is there, if the executions of a block are draws from one normal distribution."""
