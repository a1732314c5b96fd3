# SPDX-License-Identifier: BSD-3-Clause
"""The program's output goes through as it comes; the progress line keeps out of its way."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from orrery.simulate.live import CLEAR
from orrery.terminal import visible

_COLUMNS = 80


class Terminal:
    """Standard output and error of this process, with one live line at their end if error is a terminal.

    `write` is called from the core's thread, `show` from that of the progress line.
    """

    def __init__(self, *, label: bool, on_closed: Callable[[], None], aside: bool = False) -> None:
        """Prepare to write.

        Args:
            label: each line begins with its rank.
            on_closed: called once when nobody reads any more.
            aside: what ranks write to standard output goes to standard error as well.
        """
        self._aside = aside
        self._label = label
        self._on_closed = on_closed
        self._lock = threading.Lock()
        self._live = ""
        self._at_line_start = True
        self.lost: OSError | None = None
        """Why output could not be written, if so: then the run was ended."""

    def write(self, rank: int, error_stream: bool, text: bytes) -> None:  # noqa: FBT001  the core calls it by position
        """Hand on what a rank wrote, unmodified but for the label."""
        error_stream = error_stream or self._aside
        if self._label and rank >= 0:
            text = _labelled(rank, text)
        with self._lock:
            self._erase()
            if error_stream or sys.stdout.isatty():
                self._at_line_start = text.endswith(b"\n")
            self._write(2 if error_stream else 1, text)

    def _write(self, descriptor: int, text: bytes) -> None:
        # Past Python's buffers: their order between the two streams would be lost, and a closed pipe found too late.
        view = memoryview(text)
        try:
            while view and self.lost is None:
                view = view[os.write(descriptor, view) :]
        except OSError as error:
            self.lost = error
            self._on_closed()

    def show(self, line: str) -> None:
        """Replace the live line, unless the program is in the middle of one of its own."""
        width = _width()
        with self._lock:
            if self._at_line_start:
                self._live = visible(line)[: width - 1]
                self._raw(CLEAR + self._live)

    def clear(self) -> None:
        """Take the live line away."""
        with self._lock:
            self._erase()

    def _erase(self) -> None:
        if self._live:
            self._live = ""
            self._raw(CLEAR)

    def _raw(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def _labelled(rank: int, text: bytes) -> bytes:
    label = b"[%d] " % rank
    return b"".join(label + line for line in text.splitlines(keepends=True))


def _width() -> int:
    try:
        return os.get_terminal_size(2).columns or _COLUMNS  # 0: a terminal that was not told its size
    except OSError:
        return _COLUMNS
