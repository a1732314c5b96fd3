# SPDX-License-Identifier: BSD-3-Clause
"""GOAL schedules under the model LogGOPS.

What is loaded here is loaded in no time: most schedules take less than it would take to load all of Orrery.
"""

from __future__ import annotations

import time

from orrery import _loggops
from orrery.errors import InputError
from orrery.trace.goal import is_goal


class LogGOPSRun:
    """What a schedule takes."""

    def __init__(self, schedule: str, parameters: str, result: _loggops.LogGOPSResult, wall_s: float) -> None:
        """`wall_s`: reading the schedule and simulating it."""
        self.schedule = schedule
        self.parameters = parameters
        self.end_ns = result.end_ns
        """By rank."""
        self.events = result.events
        """Operations and messages."""
        self.unfinished = result.unfinished
        """Operations that could not be done."""
        self.unmatched = result.unmatched
        """Messages that nobody received, and receives that nothing came for."""
        self.wall_s = wall_s

    @property
    def complete(self) -> bool:
        """Everything was done."""
        return self.unfinished == 0 and self.unmatched == 0

    def to_json(self) -> str:
        """All of it."""
        import json

        return json.dumps(vars(self)) + "\n"

    def text(self) -> str:
        """For people."""
        from orrery.units import show_time

        end_ns = max(self.end_ns)
        lines = [
            ("simulated time", f"{show_time(end_ns * 1e-9)}: {end_ns:,} ns, at rank {self.end_ns.index(end_ns)}"),
            ("ranks", f"{len(self.end_ns):,}"),
            ("events", f"{self.events:,}, {self.events / max(self.wall_s, 1e-9):,.0f} per second"),
            ("wall time", show_time(self.wall_s)),
            ("model", f"LogGOPS {self.parameters or 'with the defaults of LogGOPSim'}"),
        ]
        if not self.complete:
            lines.append(
                ("caution", f"{self.unfinished:,} operations were not done, {self.unmatched:,} found no match")
            )
        return "".join(f"{what:<15} {value}\n" for what, value in lines)


def run_loggops(schedule: str, parameters: str) -> LogGOPSRun:
    """Run a schedule. Raises InputError when it is none, and KeyboardInterrupt for Ctrl-C."""
    try:
        with open(schedule, "rb") as file:  # noqa: PTH123  without pathlib
            start = file.read(4096)
    except OSError as error:
        raise InputError(f"{schedule}: {error.strerror}: cannot read the schedule") from None
    if not is_goal(start):
        raise InputError(f"{schedule}: --loggops: expected a GOAL schedule; other traces run on platforms")
    begin = time.perf_counter()
    result = _loggops.run_loggops(schedule, parameters)
    return LogGOPSRun(schedule, parameters, result, time.perf_counter() - begin)
