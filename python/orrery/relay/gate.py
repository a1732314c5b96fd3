# SPDX-License-Identifier: BSD-3-Clause
"""Where connections come in: none without a proven key, no more than the limits allow."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Coroutine
from typing import Any

from orrery.relay.log import Log
from orrery.relay.secure import Identity
from orrery.relay.settings import End, Relay
from orrery.relay.tasks import Tasks
from orrery.relay.unproven import Caller, UnprovenCallers
from orrery.relay.wire import Connection, Refusal, refusing, taken, why

_AGAIN_S = 0.1
_BACKLOG = 4096
"""Connections that the system keeps until they are accepted; more than a flood brings in a moment."""
_BATCH = 256
"""Connections that are accepted before others have their turn."""


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
        self._unproven = UnprovenCallers(relay, log, self._begin)
        self._callers: dict[asyncio.Task[None], Caller] = {}
        """Whom each task serves."""
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
        if not self._listening:
            self._tasks.start(self._unproven.take_strangers_in_turn())
        self._listening.append(sock)
        self._accept_when_ready(sock)

    @property
    def open(self) -> int:
        """Connections that are served."""
        return len(self._unproven) + len(self._admitted)

    def admit(self, connection: Connection) -> None:
        """The connection of this task has proved a key and said what it wants. Raises Refusal: its site has its share."""
        task, peer = asyncio.current_task(), connection.peer
        if task not in self._callers or peer is None:
            return
        if (
            sum(admitted.peer is not None and admitted.peer.site == peer.site for admitted in self._admitted.values())
            >= self._share
        ):
            raise Refusal(f"site {peer.site} has {self._share} connections open here, its share of limits.connections")
        self._unproven.leave(self._callers[task])
        self._admitted[task] = connection

    def close_revoked(self) -> int:
        """End connections whose keys count no longer; how many there were."""
        revoked = [task for task, admitted in self._admitted.items() if self._identity.has_revoked(admitted.serial)]
        for task in revoked:
            task.cancel()
        return len(revoked)

    async def close(self) -> None:
        """Listen no longer, and end what is served."""
        listening, self._listening = self._listening, []
        for sock in listening:
            asyncio.get_running_loop().remove_reader(sock)
        self._unproven.close()
        await self._tasks.close()
        await asyncio.sleep(0)  # what was aborted is closed in the next turn
        for sock in listening:
            sock.close()

    def _accept_when_ready(self, listening: socket.socket) -> None:
        if listening.fileno() >= 0:
            asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    def _accept(self, listening: socket.socket) -> None:
        """Take what has come, many at a time: a turn of the loop for each would be most of what a flood costs."""
        arrived: list[tuple[socket.socket, tuple[str, int]]] = []
        try:
            for _ in range(_BATCH):
                sock, address = listening.accept()
                sock.settimeout(0)
                if self.open + len(arrived) >= self._limits.connections:
                    sock.close()
                    most = f"{self._limits.connections} connections are open, as many as limits.connections allows"
                    self._log.refuse(f"refused {address[0]}:{address[1]}: {most}")
                else:
                    arrived.append((sock, address))
        except BlockingIOError:
            pass
        except OSError:  # no descriptor is left: those that close give some back
            loop = asyncio.get_running_loop()
            loop.remove_reader(listening)
            loop.call_later(_AGAIN_S, self._accept_when_ready, listening)
        self._unproven.take(arrived)

    def _begin(self, caller: Caller) -> asyncio.Task[None]:
        task = self._tasks.start(self._welcome(caller))
        self._callers[task] = caller
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        caller = self._callers.pop(task)
        self._unproven.leave(caller)
        if not caller.is_served:
            caller.sock.close()
        self._admitted.pop(task, None)

    async def _welcome(self, caller: Caller) -> None:
        connection = None
        caller.is_served = True
        try:
            connection = await taken(caller.sock, self._identity, self._limits)
            await self._serve(connection, self)
        except (Refusal, OSError) as error:
            self._log.refuse(f"refused {_who(connection, str(caller))}: {why(error)}")
            if connection is not None:
                await _answer(connection, error)
        except BaseException:
            if connection is not None:
                connection.abort()
            raise
        finally:
            if connection is None:
                caller.sock.close()


def _who(connection: Connection | None, address: str) -> str:
    return address if connection is None else f"{connection.peer} at {address}"


async def _answer(connection: Connection, error: Exception) -> None:
    with contextlib.suppress(OSError, Refusal, TimeoutError):
        async with asyncio.timeout(1.0):
            await connection.say(**refusing(error))
    connection.close()
