# SPDX-License-Identifier: BSD-3-Clause
"""Connections that have proved no key yet: few, short, and cheap, so that a flood of them does not make the job wait.

Addresses of the job's own sites have places of their own, and so many again are for all others. Where more come, the oldest that
say nothing are closed, then the oldest that do. Who says nothing costs a descriptor. Of others than the job's own, one at a time
is taken to its handshake, which costs the most.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from orrery.relay.log import Log
from orrery.relay.settings import Relay

_PACE_S = 0.002
"""Pause after each handshake of another than the job's own that is begun."""
_REMEMBERED = 4096
"""Addresses of which it is known whether they are the job's own."""
_HANDSHAKE = b"\x16\x03"
"""What TLS begins with."""


@dataclass(eq=False)
class Caller:
    """Who has connected."""

    sock: socket.socket
    host: str
    port: int
    is_own: bool
    """Whether its address is one of the job's sites."""
    since_s: float
    """When it came, by the clock of the loop."""
    task: asyncio.Task[None] | None = None
    """What serves it, from when its handshake begins."""
    is_served: bool = False
    """Whether that has begun to run, and closes the socket."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass
class _CallerPlaces:
    """Places for one kind of callers, in the order in which they came."""

    most: int
    of_an_address: int
    silent: dict[Caller, None] = field(default_factory=dict)
    speaking: dict[Caller, None] = field(default_factory=dict)
    by_host: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.silent) + len(self.speaking)

    def take(self, caller: Caller) -> Caller | None:
        """Give it a place; who has to leave for it."""
        self.by_host[caller.host] += 1
        leaves = None
        if self.by_host[caller.host] > self.of_an_address:
            leaves = next(other for other in [*self.silent, *self.speaking] if other.host == caller.host)
        elif len(self) >= self.most:
            leaves = next(iter(self.silent or self.speaking))
        self.silent[caller] = None
        return leaves

    def leave(self, caller: Caller) -> None:
        """Give its place back."""
        if caller in self:
            self.silent.pop(caller, None)
            self.speaking.pop(caller, None)
            self.by_host[caller.host] -= 1
            if self.by_host[caller.host] == 0:
                del self.by_host[caller.host]

    def __contains__(self, caller: Caller) -> bool:
        return caller in self.silent or caller in self.speaking


class UnprovenCallers:
    """Those of one frontal or helper."""

    def __init__(self, relay: Relay, log: Log, begin: Callable[[Caller], asyncio.Task[None]]) -> None:
        """`begin` starts the handshake of one that has begun to speak."""
        limits = relay.limits
        self._limits = limits
        self._log = log
        self._begin = begin
        self._places = {own: _CallerPlaces(limits.unproven, limits.of_an_address) for own in (True, False)}
        self._is_own = lru_cache(_REMEMBERED)(relay.is_own)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._strangers: asyncio.Queue[Caller] = asyncio.Queue()

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    def take(self, arrived: list[tuple[socket.socket, tuple[str, int]]]) -> None:
        """Give places to connections that have come."""
        came = [self._take(sock, *address) for sock, address in arrived]
        for caller in came:
            if caller in self._of(caller).silent:
                self._loop.add_reader(caller.sock, self._speaks, caller)
        if self._timer is None:
            self._timer = self._loop.call_later(self._limits.handshake_s, self._close_silent)

    def _take(self, sock: socket.socket, host: str, port: int) -> Caller:
        caller = Caller(sock, host, port, self._is_own(host), self._loop.time())
        leaves = self._of(caller).take(caller)
        if leaves is not None:
            self._refuse(leaves, "it has proved no key, and newer connections need its place (limits.unproven)")
        if _first_bytes(sock) is not None:
            self._speaks(caller)
        return caller

    def leave(self, caller: Caller) -> None:
        """It has proved its key, or is gone."""
        self._of(caller).leave(caller)

    async def take_strangers_in_turn(self) -> None:
        """Begin handshakes of others than the job's own, one after the other."""
        while True:
            caller = await self._strangers.get()
            if caller in self._of(caller):
                caller.task = self._begin(caller)
                await asyncio.sleep(_PACE_S)

    def close(self) -> None:
        """Close those whose handshake has not begun."""
        if self._timer is not None:
            self._timer.cancel()
        for places in self._places.values():
            for caller in [*places.silent, *places.speaking]:
                if caller.task is None:
                    self._close(caller)

    def _of(self, caller: Caller) -> _CallerPlaces:
        return self._places[caller.is_own]

    def _speaks(self, caller: Caller) -> None:
        """Something has come from it, or its end."""
        self._loop.remove_reader(caller.sock)
        places = self._of(caller)
        begin = _first_bytes(caller.sock)
        if not begin:
            self._refuse(caller, "it has closed the connection")
        elif begin != _HANDSHAKE[: len(begin)]:
            self._refuse(caller, "what it says is no TLS")
        else:
            del places.silent[caller]
            places.speaking[caller] = None
            if caller.is_own:
                caller.task = self._begin(caller)
            else:
                self._strangers.put_nowait(caller)

    def _close_silent(self) -> None:
        """Close those whose time is over."""
        self._timer = None
        limit_s = self._limits.handshake_s
        now_s = self._loop.time()
        silent = [caller for places in self._places.values() for caller in places.silent]
        for caller in silent:
            if caller.since_s + limit_s <= now_s:
                self._refuse(caller, f"it says nothing in {limit_s:g} s")
        left_s = [caller.since_s + limit_s - now_s for caller in silent if caller.since_s + limit_s > now_s]
        if left_s:
            self._timer = self._loop.call_later(min(left_s), self._close_silent)

    def _refuse(self, caller: Caller, why: str) -> None:
        self._log.refuse(f"refused {caller}: {why}")
        self._close(caller)

    def _close(self, caller: Caller) -> None:
        self.leave(caller)
        if caller.task is not None:
            caller.task.cancel()
        else:
            self._loop.remove_reader(caller.sock)
            caller.sock.close()


def _first_bytes(sock: socket.socket) -> bytes | None:
    """The first bytes that it has said, which stay there; none at its end; None: it has said nothing yet."""
    try:
        return sock.recv(len(_HANDSHAKE), socket.MSG_PEEK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
