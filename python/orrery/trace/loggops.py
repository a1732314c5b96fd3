# SPDX-License-Identifier: BSD-3-Clause
"""GOAL schedules under the model LogGOPS."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, dataclass

from orrery import _core
from orrery.errors import InputError
from orrery.trace.settings import ReplaySettings
from orrery.trace.sources import first_bytes, is_goal
from orrery.units import show_time


@dataclass(frozen=True)
class LogGOPSRun:
    """What a schedule takes."""

    schedule: str
    parameters: str
    end_ns: list[int]
    """By rank."""
    events: int
    """Operations and messages."""
    unfinished: int
    """Operations that could not be done."""
    unmatched: int
    """Messages that nobody received, and receives that nothing came for."""
    wall_s: float

    @property
    def complete(self) -> bool:
        """Everything was done."""
        return self.unfinished == 0 and self.unmatched == 0

    def to_json(self) -> str:
        """All of it."""
        return json.dumps(asdict(self))

    def text(self) -> str:
        """For people."""
        last = max(range(len(self.end_ns)), key=self.end_ns.__getitem__)
        lines = [
            ("simulated time", f"{show_time(self.end_ns[last] * 1e-9)}: {self.end_ns[last]:,} ns, at rank {last}"),
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


def run_loggops(settings: ReplaySettings) -> LogGOPSRun:
    """Run the one schedule of `settings`. Raises InputError when it is none, and KeyboardInterrupt for Ctrl-C."""
    if len(settings.traces) != 1 or not is_goal(first_bytes(settings.traces[0], 4096)):
        raise InputError("--loggops: expected one GOAL schedule; other traces run on platforms")
    path = settings.traces[0]
    stop = _core.Stop()
    found: list[_core.LogGOPSResult] = []
    failed: list[Exception] = []

    def work() -> None:
        try:
            found.append(_core.run_loggops(str(path), settings.loggops or "", stop=stop))
        except (InputError, MemoryError) as error:
            failed.append(error)
        except KeyboardInterrupt:
            return  # `stop` was set below

    begin = time.perf_counter()
    thread = threading.Thread(target=work)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        stop.set()
        thread.join()
        raise
    if failed:
        raise failed[0]
    wall_s = time.perf_counter() - begin
    result = found[0]
    return LogGOPSRun(
        str(path), settings.loggops or "", result.end_ns, result.events, result.unfinished, result.unmatched, wall_s
    )
