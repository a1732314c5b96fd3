# SPDX-License-Identifier: BSD-3-Clause
"""What frontals and helpers tell the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

Said = Callable[[str], object]
"""Is called with a sentence for the log."""
_LINES_MOST = 20
_LINES_PERIOD_S = 10.0


class Log:
    """Sentences for the user; a flood of refusals is counted instead of written."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._begin = 0.0
        self._count = 0

    def say(self, text: str) -> None:
        """What is written always."""
        self._said(text)

    def refuse(self, text: str) -> None:
        """Write that somebody was refused; at most 20 such lines in 10 seconds are written."""
        now = asyncio.get_running_loop().time()
        if now - self._begin > _LINES_PERIOD_S:
            if self._count > _LINES_MOST:
                self._said(f"refused {self._count - _LINES_MOST} more")
            self._begin, self._count = now, 0
        self._count += 1
        if self._count <= _LINES_MOST:
            self._said(text)
