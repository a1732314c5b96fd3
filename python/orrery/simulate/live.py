# SPDX-License-Identifier: BSD-3-Clause
"""Progress line of a simulation on standard error, updated ten times a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from orrery import _core

_PERIOD_S = 0.1
CLEAR = "\r\x1b[2K"
"""Escape sequence that erases the line of a terminal."""


class Line(Protocol):
    """Where the progress line is shown."""

    def show(self, line: str) -> None:
        """Replace the line."""

    def clear(self) -> None:
        """Erase the line."""


class ErrorLine:
    """The current line of standard error, a terminal."""

    def show(self, line: str) -> None:
        """Replace the line."""
        sys.stderr.write(CLEAR + line)
        sys.stderr.flush()

    def clear(self) -> None:
        """Erase the line."""
        sys.stderr.write(CLEAR)


@contextmanager
def live_line(
    run: _core.Run | _core.Replay, text: Callable[[_core.Progress, float], str], line: Line
) -> Iterator[None]:
    """Show the progress of `run` while the block runs, if standard error is a terminal.

    `text(progress, messages_per_s)` gives the line; the rate is that since the last update.
    """
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(run, text, line, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        line.clear()


def _follow(
    run: _core.Run | _core.Replay,
    text: Callable[[_core.Progress, float], str],
    line: Line,
    done: threading.Event,
) -> None:
    before = 0
    while not done.wait(_PERIOD_S):
        now = run.progress()
        line.show(text(now, (now.messages - before) / _PERIOD_S))
        before = now.messages
