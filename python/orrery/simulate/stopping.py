# SPDX-License-Identifier: BSD-3-Clause
"""Stopping of a simulation by Ctrl-C, a signal or a time limit."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_USER = (signal.SIGUSR1, signal.SIGUSR2)
GRACE_S = 5.0
"""Wall-clock seconds that who handles a signal has to end."""


@contextmanager
def stopping(
    *stops: Callable[[], object], limit_s: float | None = None, pass_on: Callable[[int], int] | None = None
) -> Iterator[list[int]]:
    """Call `stops`, in order, when SIGINT, SIGTERM or SIGHUP arrives or the time limit is reached.

    Gives the list of the signals received. The previous handlers are restored at the end. Outside of the main thread
    Python handles no signals: there only the time limit acts.

    Args:
        stops: functions to call.
        limit_s: wall-clock seconds; 0: no limit; None: no limit, and SIGALRM is not used.
        pass_on: hands a signal to those whom it is meant for, and gives how many have got it. They have GRACE_S to end
            before `stops` are called; a second signal calls `stops` at once. SIGUSR1 and SIGUSR2 are passed on, too, and
            stop nothing.
    """
    received: list[int] = []
    grace = threading.Timer(GRACE_S, lambda: [callback() for callback in stops])
    grace.daemon = True

    def stop(number: int, _frame: object) -> None:
        received.append(number)
        if pass_on is not None and len(received) == 1 and number in _NUMBERS and (reached := pass_on(number)) > 0:
            _say(number, reached)
            grace.start()
            return
        for callback in stops:
            callback()

    if threading.current_thread() is not threading.main_thread():
        timer = threading.Timer(limit_s or 0.0, stop, (signal.SIGALRM, None))
        if limit_s:
            timer.start()
        try:
            yield received
        finally:
            timer.cancel()
        return
    numbers = _NUMBERS if limit_s is None else (*_NUMBERS, signal.SIGALRM)
    before = {number: signal.signal(number, stop) for number in numbers}
    if pass_on is not None:
        before |= {number: signal.signal(number, lambda came, _frame: pass_on(came)) for number in _USER}
    if limit_s is not None:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield received
    finally:
        grace.cancel()
        if limit_s is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(number: int, reached: int) -> None:
    ranks = "1 rank" if reached == 1 else f"{reached:,} ranks"
    text = f"orrery: {signal.Signals(number).name} is passed on to {ranks}, with {GRACE_S:g} s to end; once more ends all at once\n"
    with suppress(OSError):
        os.write(2, text.encode())
