# SPDX-License-Identifier: BSD-3-Clause
"""Where connections come in: none without a proven key, no more than the limits allow."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from orrery.relay.secure import Identity
from orrery.relay.settings import End, Limits
from orrery.relay.tasks import Tasks
from orrery.relay.wire import Connection, Refused, taken

Said = Callable[[str], object]
"""Is called with a sentence for the log."""
_LINES_MOST = 20
_LINES_PERIOD_S = 10.0
_AGAIN_S = 0.1


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
        """Of a refusal: at most 20 in 10 seconds are written."""
        now = asyncio.get_running_loop().time()
        if now - self._begin > _LINES_PERIOD_S:
            if self._count > _LINES_MOST:
                self._said(f"refused {self._count - _LINES_MOST} more")
            self._begin, self._count = now, 0
        self._count += 1
        if self._count <= _LINES_MOST:
            self._said(text)


class Gate:
    """Sockets that listen, and the tasks that serve what comes in."""

    def __init__(
        self,
        identity: Identity,
        limits: Limits,
        log: Log,
        serve: Callable[[Connection, Gate], Coroutine[Any, Any, None]],
    ) -> None:
        """`serve` handles one connection; its first request has to be `admit`ted."""
        self._identity = identity
        self._limits = limits
        self._log = log
        self._serve = serve
        self._listening: list[socket.socket] = []
        self._tasks = Tasks()
        self._unproven: Counter[str] = Counter()
        self._waiting: dict[asyncio.Task[None], str] = {}

    def listen(self, end: End) -> None:
        """Listen there. Raises OSError."""
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((end.host, end.port))
            sock.listen(128)
            sock.settimeout(0)
        except OSError:
            sock.close()
            raise
        self._listening.append(sock)
        self._tasks.start(self._accept(sock))

    @property
    def open(self) -> int:
        """Connections that are served."""
        return len(self._tasks) - len(self._listening)

    def admit(self) -> None:
        """The connection of this task has proved a key and said what it wants."""
        task = asyncio.current_task()
        if task is not None and (host := self._waiting.pop(task, None)) is not None:
            self._unproven[host] -= 1
            if self._unproven[host] <= 0:
                del self._unproven[host]

    async def close(self) -> None:
        """Listen no longer, and end what is served."""
        await self._tasks.close()
        await asyncio.sleep(0)  # what was aborted is closed in the next turn
        for sock in self._listening:
            sock.close()

    async def _accept(self, listening: socket.socket) -> None:
        async for sock, (host, port, *_) in arrivals(listening):
            if (why := self._full(host)) is not None:
                sock.close()
                self._log.refuse(f"refused {host}:{port}: {why}")
                continue
            self._unproven[host] += 1
            self._waiting[self._tasks.start(self._welcome(sock, f"{host}:{port}"))] = host

    def _full(self, host: str) -> str | None:
        if self.open >= self._limits.connections:
            return f"{self._limits.connections} connections are open, as many as limits.connections allows"
        if len(self._waiting) >= self._limits.unproven or self._unproven[host] >= self._limits.of_an_address:
            return "too many are open that have proved no key yet (limits.unproven)"
        return None

    async def _welcome(self, sock: socket.socket, address: str) -> None:
        connection = None
        try:
            connection = await taken(sock, self._identity, self._limits)
            await self._serve(connection, self)
        except (Refused, OSError) as error:
            self._log.refuse(f"refused {_who(connection, address)}: {error}")
            if connection is not None:
                await _answer(connection, error)
        except BaseException:
            if connection is not None:
                connection.abort()
            raise
        finally:
            self.admit()
            if connection is None:
                sock.close()


async def arrivals(listening: socket.socket) -> AsyncIterator[tuple[socket.socket, Any]]:
    """What connects to a socket, and from where."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            come = await loop.sock_accept(listening)
        except OSError:  # no descriptor is left: those that close give some back
            await asyncio.sleep(_AGAIN_S)
            continue
        yield come


def _who(connection: Connection | None, address: str) -> str:
    return address if connection is None else f"{connection.peer} at {address}"


async def _answer(connection: Connection, error: Exception) -> None:
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(1.0):
            await connection.say(refused=str(error), code=getattr(error, "code", 0))
    connection.close()
