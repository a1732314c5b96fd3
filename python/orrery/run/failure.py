# SPDX-License-Identifier: BSD-3-Clause
"""Why a run failed, in one paragraph: rank, signal or code, last MPI call."""

from __future__ import annotations

import signal as signals
from typing import TYPE_CHECKING

from orrery import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


def cause(outcome: _core.Outcome, command: Sequence[str]) -> str | None:
    """The paragraph; None when nothing failed."""
    end = _core.End
    if outcome.end == end.COMPLETED:
        return None
    if outcome.end == end.DEADLOCKED:
        return outcome.deadlock or outcome.text
    if outcome.end == end.CRASHED and outcome.rank is not None and outcome.signal is not None:
        return f"rank {outcome.rank} was killed by signal {_signal(outcome.signal)} {_where(outcome)}."
    if outcome.end == end.NOT_MPI:
        return (
            f"{outcome.text}. Is {command[0]} an MPI program, and built for Orrery? "
            'Build it with "$(orrery prefix)/bin/mpicc".'
        )
    return outcome.text


def _signal(number: int) -> str:
    try:
        name = signals.Signals(number).name
    except ValueError:
        return str(number)
    return f"{number} ({name}: {signals.strsignal(number)})"


def _where(outcome: _core.Outcome) -> str:
    if not outcome.routine:
        return "before its first MPI call"
    if outcome.in_routine:
        return f"inside {outcome.routine}"
    return f"outside of MPI; its last MPI call was {outcome.routine}"
