# SPDX-License-Identifier: BSD-3-Clause
"""Where connections come in: none without a proven key, no more than the limits allow."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import cache
from typing import Any

from orrery.relay.secure import Identity
from orrery.relay.settings import End, Relay
from orrery.relay.tasks import Tasks
from orrery.relay.wire import Connection, Refused, refusing, taken, why

Said = Callable[[str], object]
"""Is called with a sentence for the log."""
_LINES_MOST = 20
_LINES_PERIOD_S = 10.0
_AGAIN_S = 0.1
_BACKLOG = 4096
"""Connections that the system keeps until they are accepted; more than a flood brings in a moment."""


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


class Waiting:
    """Connections that have proved no key yet: a limited number, of which the oldest give way to newer ones.

    Addresses of the job's own sites have places of their own, so that strangers do not make them wait.
    """

    def __init__(self, relay: Relay, log: Log) -> None:
        self._limits = relay.limits
        self._log = log
        self._hosts: dict[asyncio.Task[None], str] = {}
        self._is_own = cache(relay.is_own)

    def add(self, task: asyncio.Task[None], host: str) -> None:
        """Count one, and end the oldest where there are too many now."""
        self._hosts[task] = host
        of_host = [one for one, other in self._hosts.items() if other == host]
        like_host = [one for one, other in self._hosts.items() if self._is_own(other) == self._is_own(host)]
        if len(of_host) > self._limits.of_an_address:
            self._end(of_host[0])
        elif len(like_host) > self._limits.unproven:
            self._end(like_host[0])

    def _end(self, task: asyncio.Task[None]) -> None:
        host = self._hosts.pop(task)
        task.cancel()
        self._log.refuse(
            f"refused {host}: it has proved no key, and newer connections need its place (limits.unproven)"
        )

    def discard(self, task: asyncio.Task[None]) -> None:
        """Count it no longer."""
        self._hosts.pop(task, None)


class Gate:
    """Sockets that listen, and the tasks that serve what comes in."""

    def __init__(
        self,
        identity: Identity,
        relay: Relay,
        log: Log,
        serve: Callable[[Connection, Gate], Coroutine[Any, Any, None]],
    ) -> None:
        """`serve` handles one connection; its first request has to be `admit`ted."""
        self._identity = identity
        self._limits = relay.limits
        self._share = relay.limits.of_a_site(len(relay.sites))
        self._log = log
        self._serve = serve
        self._listening: list[socket.socket] = []
        self._tasks = Tasks()
        self._waiting = Waiting(relay, log)
        self._admitted: dict[asyncio.Task[None], Connection] = {}

    def listen(self, end: End) -> None:
        """Listen there. Raises OSError."""
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((end.host, end.port))
            sock.listen(_BACKLOG)
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

    def admit(self, connection: Connection) -> None:
        """The connection of this task has proved a key and said what it wants. Raises Refused: its site has its share."""
        task, peer = asyncio.current_task(), connection.peer
        if task is None or peer is None:
            return
        if sum(one.peer is not None and one.peer.site == peer.site for one in self._admitted.values()) >= self._share:
            raise Refused(f"site {peer.site} has {self._share} connections open here, its share of limits.connections")
        self._waiting.discard(task)
        self._admitted[task] = connection

    def close_revoked(self) -> int:
        """End connections whose keys count no longer; how many there were."""
        revoked = [task for task, one in self._admitted.items() if self._identity.has_revoked(one.serial)]
        for task in revoked:
            task.cancel()
        return len(revoked)

    async def close(self) -> None:
        """Listen no longer, and end what is served."""
        await self._tasks.close()
        await asyncio.sleep(0)  # what was aborted is closed in the next turn
        for sock in self._listening:
            sock.close()

    async def _accept(self, listening: socket.socket) -> None:
        async for sock, (host, port, *_) in arrivals(listening):
            if self.open >= self._limits.connections:
                sock.close()
                most = f"{self._limits.connections} connections are open, as many as limits.connections allows"
                self._log.refuse(f"refused {host}:{port}: {most}")
            else:
                self._waiting.add(self._tasks.start(self._welcome(sock, f"{host}:{port}")), host)

    async def _welcome(self, sock: socket.socket, address: str) -> None:
        connection = None
        try:
            connection = await taken(sock, self._identity, self._limits)
            await self._serve(connection, self)
        except (Refused, OSError) as error:
            self._log.refuse(f"refused {_who(connection, address)}: {why(error)}")
            if connection is not None:
                await _answer(connection, error)
        except BaseException:
            if connection is not None:
                connection.abort()
            raise
        finally:
            task = asyncio.current_task()
            if task is not None:
                self._waiting.discard(task)
                self._admitted.pop(task, None)
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
    with contextlib.suppress(OSError, Refused, TimeoutError):
        async with asyncio.timeout(1.0):
            await connection.say(**refusing(error))
    connection.close()
