# SPDX-License-Identifier: BSD-3-Clause
"""Tasks of a frontal or helper, which end with it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """Those that are running."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._running)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin one."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def close(self) -> None:
        """Cancel all, and wait until they have ended."""
        for task in (tasks := list(self._running)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
