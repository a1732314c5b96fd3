# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a simulation, ten times a second: a line on standard error, or whoever listens."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from orrery.progress import Advance, listening
from orrery.terminal import visible

if TYPE_CHECKING:
    from orrery import _core

_PERIOD_S = 0.1
CLEAR = "\r\x1b[2K"
"""Escape sequence that erases the line of a terminal."""


class ProgressLine(Protocol):
    """Where the progress line is shown."""

    def show(self, line: str) -> None:
        """Replace the line."""

    def clear(self) -> None:
        """Erase the line."""


class ErrorLine:
    """The current line of standard error, a terminal."""

    def show(self, line: str) -> None:
        """Replace the line."""
        sys.stderr.write(CLEAR + visible(line))
        sys.stderr.flush()

    def clear(self) -> None:
        """Erase the line."""
        sys.stderr.write(CLEAR)


@contextmanager
def live_line(run: _core.Simulated, text: Callable[[_core.Progress, float], str], line: ProgressLine) -> Iterator[None]:
    """Show the progress of `run` while the block runs: to whoever listens, or on standard error if that is a terminal.

    `text(progress, messages_per_s)` gives the line; the rate is that since the last update. Who listens is called in
    another thread; an exception that it raises stops the run, and is raised here.
    """
    listener = listening()
    if listener is None and not sys.stderr.isatty():
        yield
        return

    def show(now: _core.Progress, said: str) -> None:
        if listener is None:
            line.show(said)
        else:
            listener(Advance(said, simulated_s=now.now_s))

    done, failed = threading.Event(), list[Exception]()
    thread = threading.Thread(target=_follow, args=(run, text, show, done, failed), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        if listener is None:
            line.clear()
    if failed:
        raise failed[0]


def _follow(
    run: _core.Simulated,
    text: Callable[[_core.Progress, float], str],
    show: Callable[[_core.Progress, str], None],
    done: threading.Event,
    failed: list[Exception],
) -> None:
    before = 0
    try:
        while not done.wait(_PERIOD_S):
            now = run.progress()
            show(now, text(now, (now.messages - before) / _PERIOD_S))
            before = now.messages
    except Exception as error:
        failed.append(error)
        run.stop()
