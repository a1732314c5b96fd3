# SPDX-License-Identifier: BSD-3-Clause
"""Why a run failed, for the user."""

from __future__ import annotations

from orrery import _core


def cause(outcome: _core.Outcome) -> str | None:
    """One paragraph: rank, signal or code, last MPI call; or who waits for whom. None when nothing failed."""
    if outcome.end == _core.End.COMPLETED:
        return None
    if outcome.end == _core.End.DEADLOCKED and outcome.deadlock is not None:
        return outcome.deadlock
    if outcome.end == _core.End.NOT_MPI:
        return f'{outcome.text}; an MPI program for Orrery is built with "$(orrery prefix)/bin/mpicc"'
    return outcome.text
