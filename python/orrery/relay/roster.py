# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of a job: each one's helper enlists with the helper where the job was started, and reports how it ended.

The two helpers stay connected through the frontals from the begin of the node's command to its end, and exchange lines:

    to the first helper      ping | ended, failed, cut: the command has ended, whether by a failure, and how many connections were cut
    from the first helper    pong | end, failed: the job is over, or has failed; the node's command is to end, too

A node starts nothing before its first ping was answered, so that the first helper knows of all that have started something. A
connection that ends without the last words says that a helper, or a frontal between, is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from orrery.relay.settings import RelayLimits
from orrery.relay.wire import SIGNS, Connection, Refusal, why


@dataclass(frozen=True)
class Account:
    """How a job ended on one node."""

    failed: bool
    """A relay or helper was gone before the end."""
    cut: int
    """Connections of processes that were reset before all their data had arrived."""

    @property
    def is_clean(self) -> bool:
        """Whether it is certain that nothing was lost there."""
        return not self.failed and self.cut == 0

    @staticmethod
    def parse(message: dict[str, Any]) -> Account:
        """Raises Refusal."""
        failed, cut = message.get("failed"), message.get("cut")
        if not isinstance(failed, bool) or isinstance(cut, bool) or not isinstance(cut, int) or cut < 0:
            raise Refusal("it does not say how it ended")
        return Account(failed, cut)


@dataclass
class _RosterNode:
    connection: Connection
    host: str
    account: Account | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Roster:
    """The nodes that have enlisted with this helper, where the job was started."""

    def __init__(self, limits: RelayLimits, lost: Callable[[str, str], Awaitable[None]]) -> None:
        """`lost` is called with the address of a node whose helper is gone, and with what was seen of it."""
        self._limits = limits
        self._lost = lost
        self._nodes: list[_RosterNode] = []
        self._end: dict[str, bool] | None = None

    async def follow(self, connection: Connection, host: str) -> None:
        """Hear what the helper of a node has to say until the job ends there. Raises Refusal, OSError: it has not said anything."""
        await connection.hear(self._limits)
        node = _RosterNode(connection, host)
        self._nodes.append(node)
        try:
            await connection.say(pong=True)
            if self._end is not None:
                await connection.say(**self._end)
            while "ended" not in (message := await connection.hear(self._limits, self._limits.silence_s)):
                await connection.say(pong=True)
            node.account = Account.parse(message)
        except (Refusal, OSError) as error:
            await self._lost(host, why(error))
        finally:
            node.ended.set()

    async def conclude(self, *, failed: bool) -> list[tuple[str, Account | None]]:
        """Let the job end on all nodes, and say how it ended on each; None: its helper was gone, and nobody knows.

        Takes no longer than the steps by which processes are ended, and the limit `silence_s` after that.
        """
        self._end = {"end": True, "failed": failed}
        await asyncio.gather(*(self._tell(node, self._end) for node in self._nodes))
        await asyncio.gather(*(node.ended.wait() for node in self._nodes))
        return [(node.host, node.account) for node in self._nodes]

    async def _tell(self, node: _RosterNode, message: dict[str, bool]) -> None:
        with contextlib.suppress(OSError, TimeoutError):  # `follow` sees it, too
            async with asyncio.timeout(self._limits.patience_s):
                await node.connection.say(**message)


class Membership:
    """The connection of a node's helper to the one where the job was started."""

    def __init__(self, connection: Connection, host: str, limits: RelayLimits) -> None:
        self.host = host
        """Where the job was started."""
        self._connection = connection
        self._limits = limits

    async def begin(self) -> None:
        """Wait until the other helper knows this node. Raises Refusal, OSError."""
        await self._connection.say(ping=True)
        await self._connection.hear(self._limits)

    async def wait(self) -> bool:
        """Wait until the job has ended; whether by a failure. Raises Refusal, OSError: the other helper is gone."""
        while "end" not in (message := await self._connection.hear(self._limits, self._limits.silence_s)):
            pass
        return message.get("failed") is True

    async def give_signs(self) -> None:
        """Say that this helper is there, until the connection is closed."""
        with contextlib.suppress(OSError):
            while True:
                await asyncio.sleep(self._limits.silence_s / SIGNS)
                await self._connection.say(ping=True)

    async def report(self, account: Account) -> None:
        """Say how the job ended here, and leave."""
        with contextlib.suppress(OSError, TimeoutError):
            await self._connection.say(ended=True, failed=account.failed, cut=account.cut)
            self._connection.close()
            async with asyncio.timeout(self._limits.patience_s):
                await self._connection.ended()
        self._connection.abort()
