# SPDX-License-Identifier: BSD-3-Clause
"""What else used this host's processors while computation was measured on them."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

_STATISTICS = Path("/proc/stat")
_IDLE = (3, 4)
"""Columns of processor time that nobody used: idle, and waiting for input or output."""
_COUNTED = 8
"""Columns that are time of a processor, each once: those of guests are in those of users, too."""
_SHORTEST_S = 0.3
"""The kernel counts in hundredths of a second: of shorter times it says too little."""
_MUCH = 0.25
"""Processors that others use: of less, one region in a good many is disturbed, and what is charged does not have that."""


@dataclass(frozen=True, slots=True)
class HostLoad:
    """What processors of this host had been used for until a moment."""

    used_s: float | None
    """By all, since the host was started; None: the system does not say."""
    own_s: float
    """By this process and those of its children that have ended."""
    at_s: float

    @classmethod
    def now(cls) -> HostLoad:
        """Until now."""
        own_s = sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        try:
            used_s = used_in(_STATISTICS.read_text(encoding="ascii"), os.sysconf("SC_CLK_TCK"))
        except (OSError, ValueError):
            used_s = None
        return cls(used_s, own_s, monotonic())

    def others_since(self, before: HostLoad) -> float | None:
        """Processors that others used since then, on average; None: that is not known, or it was too short to say."""
        passed_s = self.at_s - before.at_s
        if self.used_s is None or before.used_s is None or passed_s < _SHORTEST_S:
            return None
        return max(0.0, (self.used_s - before.used_s - (self.own_s - before.own_s)) / passed_s)


def used_in(text: str, ticks_per_s: float) -> float:
    """Seconds that all processors were used, in the words of /proc/stat (proc_stat(5)), stolen time included.

    Raises ValueError if it is no such text.
    """
    first = text.partition("\n")[0].split()
    if len(first) < 1 + max(_IDLE) + 1 or first[0] != "cpu" or not all(word.isdecimal() for word in first[1:]):
        raise ValueError("it does not begin with all processors")
    columns = [int(word) for word in first[1 : 1 + _COUNTED]]
    return sum(ticks for column, ticks in enumerate(columns) if column not in _IDLE) / ticks_per_s


def cautions_of(others: float | None) -> list[str]:
    """A sentence if so many processors were used by others that what was measured is in doubt."""
    if others is None or others < _MUCH:
        return []
    processors = os.cpu_count() or 1
    said = (
        f"other programs used {others:.1f} of this host's {processors} processors while computation was measured: measure again "
        "when the host is idle, or record once (-o FILE.trace) and replay that"
    )
    return [said]
