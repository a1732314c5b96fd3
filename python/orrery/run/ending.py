# SPDX-License-Identifier: BSD-3-Clause
"""How a run ended: its exit code, and why it failed, for the user."""

from __future__ import annotations

import errno
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from orrery import _core
from orrery.run.settings import RunSettings

_TIMED_OUT = 124  # as of timeout(1)
_INTERRUPTED = _core.End.INTERRUPTED.name.lower()


@dataclass(frozen=True)
class RunEnd:
    """How a run ended, as its record has it."""

    end: str
    """`completed`, or what ended it."""
    exit_code: int
    """For the shell; not 0 where there is a cause."""
    cause: str | None = None
    """One paragraph: the time limit; rank, signal or code, last MPI call; or who waits for whom. None: nothing failed."""
    cautions: tuple[str, ...] = ()
    """What to keep in mind beside it, a sentence each."""


def ending_of(
    outcome: _core.Outcome, settings: RunSettings, *, received: Sequence[int], lost: OSError | None
) -> RunEnd:
    """How the run ended.

    Args:
        outcome: what became of its processes.
        settings: what it was told.
        received: signals that came for it, in their order.
        lost: why its output could not be written; None: it was. A run of which it is not known until its processes have
            ended has failed all the same.
    """
    if lost is not None:
        broken = lost.errno == errno.EPIPE
        return RunEnd(
            _INTERRUPTED, 128 + signal.SIGPIPE if broken else 1, f"its output cannot be written: {lost.strerror}"
        )
    if received[:1] == [signal.SIGALRM] and outcome.end == _core.End.INTERRUPTED and settings.timeout_s is not None:
        return RunEnd(_INTERRUPTED, _TIMED_OUT, f"it took longer than its time limit of {settings.timeout_s:g} s")
    if received and received[0] != signal.SIGALRM:
        return _after_signal(received[0], outcome)
    if outcome.end == _core.End.COMPLETED:
        return RunEnd("completed", 0)
    return RunEnd(outcome.end.name.lower(), _failure(outcome), _cause(outcome))


def _after_signal(number: int, outcome: _core.Outcome) -> RunEnd:
    """How a run ended that got a signal. Ranks that ended by themselves give the exit code, as with mpiexec; not on Ctrl-C."""
    by = "" if number == signal.SIGINT else f" by {signal.Signals(number).name}"
    if outcome.end == _core.End.INTERRUPTED or outcome.signal == number:
        return RunEnd(_INTERRUPTED, 128 + number, f"interrupted{by}")
    completed = outcome.end == _core.End.COMPLETED
    said = "the ranks ended by themselves" if completed else _cause(outcome)
    if number == signal.SIGINT:
        return RunEnd(_INTERRUPTED, 128 + number, f"interrupted: {said}")
    if completed:
        caution = f"interrupted{by}: {said}, and the figures are of what they did by then"
        return RunEnd(_INTERRUPTED, 0, cautions=(caution,))
    return RunEnd(outcome.end.name.lower(), _failure(outcome), f"interrupted{by}: {said}")


def _failure(outcome: _core.Outcome) -> int:
    """What failed never looks well, even if the program left with 0."""
    return outcome.exit_code or 1


def _cause(outcome: _core.Outcome) -> str:
    if outcome.end == _core.End.DEADLOCKED and outcome.deadlock is not None:
        return outcome.deadlock
    if outcome.end == _core.End.NOT_MPI and outcome.exit_code == 0:
        return f'{outcome.text}; an MPI program for Orrery is built with "$(orrery prefix)/bin/mpicc"'
    return outcome.text
