# SPDX-License-Identifier: BSD-3-Clause
"""How a run ended: its exit code, and why it failed, for the user."""

from __future__ import annotations

import errno
import signal
from collections.abc import Sequence

from orrery import _core
from orrery.run.settings import RunSettings

_TIMED_OUT = 124  # as of timeout(1)


def exit_code(outcome: _core.Outcome, received: Sequence[int], *, output_error: int) -> int:
    """For the shell. `received`: signals that came; `output_error`: errno of output that could not be written, or 0."""
    if outcome.end == _core.End.COMPLETED:
        return 0
    if outcome.end != _core.End.INTERRUPTED:
        return outcome.exit_code or 1  # what failed never looks well, even if the program left with 0
    if received:
        return _TIMED_OUT if received[0] == signal.SIGALRM else 128 + received[0]
    if output_error:
        return 128 + signal.SIGPIPE if output_error == errno.EPIPE else 1
    return outcome.exit_code


def cause(outcome: _core.Outcome, received: Sequence[int], settings: RunSettings) -> str | None:
    """One paragraph: the time limit; rank, signal or code, last MPI call; or who waits for whom. None when nothing failed."""
    if outcome.end == _core.End.COMPLETED:
        return None
    if outcome.end == _core.End.INTERRUPTED and received[:1] == [signal.SIGALRM] and settings.timeout_s is not None:
        return f"it took longer than its time limit of {settings.timeout_s:g} s"
    if outcome.end == _core.End.DEADLOCKED and outcome.deadlock is not None:
        return outcome.deadlock
    if outcome.end == _core.End.NOT_MPI:
        return f'{outcome.text}; an MPI program for Orrery is built with "$(orrery prefix)/bin/mpicc"'
    return outcome.text
