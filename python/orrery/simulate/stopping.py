# SPDX-License-Identifier: BSD-3-Clause
"""Ways for a user to stop a simulation: Ctrl-C, a signal, a time limit."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping(*stops: Callable[[], object], limit_s: float | None = None) -> Iterator[list[int]]:
    """Ctrl-C, requests to end and a time limit call `stops`, in order; what was found is kept.

    `limit_s`: seconds of this host's time, 0 for no end; None: time does not count, and SIGALRM is somebody else's.
    Gives the signals that came.
    """
    received: list[int] = []

    def stop(number: int, _frame: object) -> None:
        received.append(number)
        for one in stops:
            one()

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
