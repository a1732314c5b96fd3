# SPDX-License-Identifier: BSD-3-Clause
"""Stopping of a simulation by Ctrl-C, a signal or a time limit."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping(*stops: Callable[[], object], limit_s: float | None = None) -> Iterator[list[int]]:
    """Call `stops`, in order, when SIGINT, SIGTERM or SIGHUP arrives or the time limit is reached.

    Gives the list of the signals received. The previous handlers are restored at the end. Outside of the main thread
    Python handles no signals: there only the time limit acts.

    Args:
        stops: functions to call.
        limit_s: wall-clock seconds; 0: no limit; None: no limit, and SIGALRM is not used.
    """
    received: list[int] = []

    def stop(number: int, _frame: object) -> None:
        received.append(number)
        for one in stops:
            one()

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
    if limit_s is not None:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield received
    finally:
        if limit_s is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
