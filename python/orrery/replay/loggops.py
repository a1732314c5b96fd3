# SPDX-License-Identifier: BSD-3-Clause
"""GOAL schedules under the model LogGOPS."""

from __future__ import annotations

from pathlib import Path

from orrery import _core
from orrery.errors import InputError
from orrery.trace.goal import is_goal


def run_loggops(schedule: Path, parameters: str) -> _core.LogGOPSRun:
    """Run a schedule. Raises InputError when it is none, and KeyboardInterrupt for Ctrl-C."""
    try:
        with schedule.open("rb") as file:
            start = file.read(4096)
    except OSError as error:
        raise InputError(f"{schedule}: {error.strerror}: cannot read the schedule") from None
    if not is_goal(start):
        raise InputError(f"{schedule}: --loggops: expected a GOAL schedule; other traces run on platforms")
    return _core.run_loggops(str(schedule), parameters)
