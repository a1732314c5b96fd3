# SPDX-License-Identifier: BSD-3-Clause
"""What a run skipped, as the record has it."""

from __future__ import annotations

import math
from typing import Literal

from orrery import _core
from orrery.record.sampled import SampledBlock, SampledTime

_CONFIDENCE = 0.95


def blocks_of(sampling: _core.Sampling) -> list[SampledBlock]:
    """By file and line."""
    return [
        SampledBlock(
            file=block.file,
            line=block.line,
            scope=_scope(block),
            executed=block.executed,
            skipped=block.skipped,
            mean_s=block.mean_s,
            half_width_s=block.half_width_s if math.isfinite(block.half_width_s) else None,
        )
        for block in sampling.blocks
    ]


def time_of(sampling: _core.Sampling, simulated_s: float) -> SampledTime | None:
    """Where the time would be if nothing had been skipped. None if nothing was, or if nothing is known of what was."""
    if not any(block.skipped for block in sampling.blocks):
        return None
    shorter_s = min(sampling.shorter * simulated_s, sampling.in_all_s)
    longer_s = min(sampling.longer * simulated_s, sampling.in_all_s)
    if not math.isfinite(longer_s):
        return None
    return SampledTime(low_s=max(0.0, simulated_s - shorter_s), high_s=simulated_s + longer_s, confidence=_CONFIDENCE)


def cautions_of(sampling: _core.Sampling) -> list[str]:
    """A sentence each, of a run that skipped blocks."""
    skipped = [block for block in sampling.blocks if block.skipped]
    if not skipped:
        return []
    times, places = sum(block.skipped for block in skipped), len(skipped)
    were = "was" if places == 1 else "were"
    said = [
        (
            f"{_many(places, 'block')} of the program {were} skipped {_many(times, 'time')}: what they compute is missing, "
            "and values that the program prints may be wrong (--whole executes all)"
        )
    ]
    once = [block for block in skipped if not math.isfinite(block.half_width_s)]
    if once:
        where = ", ".join(f"{block.file}:{block.line}" for block in once)
        said.append(f"{where}: executed once, so how far its mean is off is not known: sample it twice at least")
    return said


def _scope(block: _core.SampledBlock) -> Literal["rank", "all"]:
    return "all" if block.together else "rank"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
