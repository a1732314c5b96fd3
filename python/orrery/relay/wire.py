# SPDX-License-Identifier: BSD-3-Clause
"""Connections: requests and answers as lines of JSON, then data, which is copied with bounded buffers."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from orrery.relay.secure import Identity, Name, proved
from orrery.relay.settings import End, Relay, RelayLimits

LINE_BYTES = 4096
"""The longest request or answer."""
_REASON_LETTERS = 300
"""The longest reason of a refusal; what is longer is cut."""
SIGNS = 3
"""Signs of life within the time after which a helper or frontal counts as gone."""
HELPER_ITSELF = 0
"""In place of the port of a process: the request is about the helper of its node."""
_KEY_BYTES = 16
_AGAIN_S = 0.05
"""Pause before somebody is called again who takes no more at the moment."""


class Refusal(Exception):  # noqa: N818  an answer, not a mistake of ours
    """What the other side asks for is not given, or what we ask for is not; the text says why."""

    def __init__(self, why: str, code: int = 0) -> None:
        super().__init__(why)
        self.code = code
        """The error of the system that stands for it; 0: none in particular."""


class BadLine(Refusal):
    """A line that is no request and no answer."""


class Taker(Protocol):
    """What the data of a connection go on to."""

    full: bool
    """Whether it takes no more at the moment."""

    def write(self, data: bytes) -> None:
        """Take data."""

    def stop(self) -> None:
        """Give no more data of its own for the moment."""

    def go_on(self) -> None:
        """Give data again."""


class Connection(asyncio.Protocol):
    """One connection by TLS that is open, and who is at its other end: lines first, then data that go on to a `Taker`.

    What arrives while nobody listens is kept up to a limit; then the other end has to wait. It is a protocol of asyncio, as
    streams take twice the processor time for each piece that passes.
    """

    def __init__(self, limits: RelayLimits, address: str, peer: Name | None = None) -> None:
        self.peer = peer
        """None: not known yet."""
        self.serial = ""
        """Serial number of the certificate at the other end."""
        self.address = address
        """Address of the other end, in words."""
        self.moved = 0
        """Bytes that `pipe` has taken from it."""
        self._most = limits.buffer_bytes // 2
        self._kept = bytearray()
        self._piped: Taker | None = None
        self.full = False
        """Whether the other end does not read."""
        self._stopped = False
        self._news = asyncio.Event()
        self._lost = asyncio.Event()
        self.transport: asyncio.Transport
        """There from when it is made."""

    # ---- what asyncio calls ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Small messages leave at once; what is written is held up to the limit."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=self._most)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def data_received(self, data: bytes) -> None:
        """Pass it on, or keep it."""
        if self._piped is not None:
            self.moved += len(data)
            self._piped.write(data)
            return
        self._kept += data
        self._news.set()
        if len(self._kept) >= self._most:
            self.stop()

    def eof_received(self) -> None:
        """Close it: TLS has no half-closed connections; streams of processes have frames for that."""

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  as asyncio calls it
        """The other end has closed it, or we have."""
        self._lost.set()
        self._news.set()

    def pause_writing(self) -> None:
        """Our other end does not read: who sends to it has to wait."""
        self.full = True
        if self._piped is not None:
            self._piped.stop()

    def resume_writing(self) -> None:
        """It reads again."""
        self.full = False
        self._news.set()
        if self._piped is not None:
            self._piped.go_on()

    def stop(self) -> None:
        """Let the other end wait."""
        if not self._stopped and not self.is_closing:
            self._stopped = True
            self.transport.pause_reading()

    def go_on(self) -> None:
        """Read again."""
        if self._stopped and not self.is_closing:
            self._stopped = False
            self.transport.resume_reading()

    # ---- what we call ----

    @property
    def is_closing(self) -> bool:
        """Whether nothing can be written any more."""
        return self._lost.is_set() or self.transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send it, or keep it until the other end takes it; nothing, when that is gone."""
        if not self.is_closing:
            self.transport.write(data)

    async def say(self, /, **message: Any) -> None:
        """Send a line.

        Raises:
            ConnectionError: the other end is gone.
            Refusal: the line is longer than the other end takes.
        """
        while self.full and not self.is_closing:
            await self._wait()
        if self.is_closing:
            raise ConnectionResetError("it was closed")
        line = json.dumps(message).encode() + b"\n"
        if len(line) > LINE_BYTES:
            raise Refusal("a line would be too long")
        self.write(line)

    async def hear(self, limits: RelayLimits, patience_s: float | None = None) -> dict[str, Any]:
        """The next line.

        Raises:
            BadLine: it is no object of JSON; the next line may be.
            Refusal: it is too long, or does not come in time.
            ConnectionError: the other end is gone.
        """
        try:
            async with asyncio.timeout(patience_s or limits.patience_s):
                while (end := self._kept.find(b"\n")) < 0:
                    if len(self._kept) > LINE_BYTES:
                        raise Refusal("a line is too long")
                    if self._lost.is_set():
                        raise ConnectionResetError("it was closed")
                    await self._wait()
        except TimeoutError:
            raise Refusal("it does not say what it wants") from None
        if end >= LINE_BYTES:
            raise Refusal("a line is too long")
        line = bytes(self._kept[: end + 1])
        del self._kept[: end + 1]
        self.go_on()
        return parse_line(line)

    async def quiet(self, seconds: float) -> None:
        """Wait so long. Raises ConnectionError when it is closed meanwhile."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.ended()
                raise ConnectionResetError("it has closed the connection")

    async def _wait(self) -> None:
        """Until something has happened."""
        self._news.clear()
        await self._news.wait()

    def pass_on_to(self, other: Taker) -> None:
        """From now on data go there."""
        self._piped = other
        kept, self._kept = bytes(self._kept), bytearray()
        if kept:
            self.data_received(kept)
        if other.full:
            self.stop()
        else:
            self.go_on()

    def close(self) -> None:
        """Close it after what was written has left."""
        if not self.is_closing:
            self.transport.close()

    def abort(self) -> None:
        """Close it now."""
        self.transport.abort()

    async def ended(self) -> None:
        """Wait until it is closed, by whomever."""
        await self._lost.wait()


def parse_line(line: bytes) -> dict[str, Any]:
    """The object that a line has: words, numbers, and lists of words. Raises BadLine for anything else.

    Words are printable: they come from another site, and end up in logs and on terminals.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise BadLine("a line is no JSON") from None
    if not isinstance(message, dict) or not all(_is_plain(item) for pair in message.items() for item in pair):
        raise BadLine("a line is no request")
    return message


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(word, str) and word.isprintable() for word in value)
    return value.isprintable() if isinstance(value, str) else value is None or isinstance(value, int)


def end_of(message: dict[str, Any], key: str) -> End:
    """An address and port out of a request. Raises Refusal."""
    try:
        return End.parse(str(message.get(key)))
    except ValueError as error:
        raise Refusal(f"{key}: {error}") from None


def word_of(message: dict[str, Any], key: str) -> str:
    """A word of ASCII out of a request. Raises Refusal."""
    value = message.get(key)
    if not isinstance(value, str) or not 1 <= len(value) <= 128 or not (value.isascii() and value.isprintable()):
        raise Refusal(f"{key}: is missing, or no word")
    return value


@dataclass(frozen=True, kw_only=True)
class Route:
    """A request about a process of another site. What is handed on is written anew from these fields, never as it came."""

    do: str
    """`open`, `reverse`, `lookup` or `enlist`."""
    job: str
    to: End
    """The process that is called."""
    origin: End
    """Who calls."""
    contact: End | None = None
    """Where the caller's helper listens, with `reverse`."""
    key: str | None = None
    """What the connection shows that is made for this request, with `reverse`."""

    @staticmethod
    def parse(message: dict[str, Any]) -> Route:
        """Raises Refusal."""
        do = word_of(message, "do")
        more: dict[str, Any] = {}
        if do == "reverse":
            more = {"contact": end_of(message, "contact"), "key": word_of(message, "key")}
        return Route(
            do=do, job=word_of(message, "job"), to=end_of(message, "to"), origin=end_of(message, "from"), **more
        )

    def fields(self) -> dict[str, str]:
        """As they are sent."""
        fields = {"do": self.do, "job": self.job, "to": str(self.to), "from": str(self.origin)}
        if self.contact is not None:
            fields["contact"] = str(self.contact)
        if self.key is not None:
            fields["key"] = self.key
        return fields


def refusal(message: dict[str, Any]) -> Refusal:
    """The refusal that an answer is. A code counts if it is one of the system's errors."""
    code = message.get("code")
    why = str(message["refused"])[:_REASON_LETTERS]
    return Refusal(why, int(code) if isinstance(code, int) and code in errno.errorcode else 0)


def refusing(error: Exception) -> dict[str, Any]:
    """The answer that an error is."""
    return {"refused": why(error)[:_REASON_LETTERS], "code": getattr(error, "code", 0)}


def why(error: Exception) -> str:
    """An error in words, also one that brings none."""
    if str(error):
        return str(error)
    return "it has closed the connection" if isinstance(error, ConnectionError) else type(error).__name__


def new_key() -> str:
    """A word that nobody guesses."""
    return secrets.token_hex(_KEY_BYTES)


def reason(error: OSError) -> str:
    """The system's words for it."""
    return os.strerror(error.errno) if error.errno else str(error)


Come = TypeVar("Come", bound=Connection | None)


class ExpectedConnections(Generic[Come]):
    """Connections that others make when they are asked to, by the keys that they show then."""

    def __init__(self, limits: RelayLimits) -> None:
        """As many may be asked for at a time as may be without a proven key; others wait for their turn."""
        self._turn = asyncio.Semaphore(limits.unproven)
        self._patience_s = limits.patience_s
        self._futures: dict[str, asyncio.Future[Come]] = {}

    async def get(self, key: str, node: str, ask: Callable[[], Awaitable[object]]) -> Come:
        """Ask the helper of a node, and wait for it; None: the other side has made it itself.

        Raises:
            Refusal: the other side says so, it does not come in time, or the key is that of another request.
            OSError: asking fails.
        """
        try:
            async with asyncio.timeout(self._patience_s), self._turn:
                return await self._asked(key, ask)
        except TimeoutError:
            raise Refusal(f"the helper of {node} does not answer in time") from None

    async def _asked(self, key: str, ask: Callable[[], Awaitable[object]]) -> Come:
        if key in self._futures:
            raise Refusal("key: another request has it")
        future: asyncio.Future[Come] = asyncio.get_running_loop().create_future()
        self._futures[key] = future
        try:
            await ask()
            return await future
        except BaseException:
            if future.done() and not future.cancelled() and future.exception() is None:
                _close_late(future.result())
            raise
        finally:
            del self._futures[key]

    def waits_for(self, key: str) -> bool:
        """Whether one of this key is still waited for."""
        return (future := self._futures.get(key)) is not None and not future.done()

    def give(self, key: str, come: Come) -> None:
        """To who waits for it."""
        self._futures[key].set_result(come)

    def refuse(self, key: str, why: Refusal) -> None:
        """Tell who waits for it that it does not come."""
        self._futures[key].set_exception(why)

    def refuse_all(self, why: Refusal) -> None:
        """Tell all who wait that what they wait for does not come."""
        for key in filter(self.waits_for, list(self._futures)):
            self.refuse(key, why)


def _close_late(come: Connection | None) -> None:
    if come is not None:
        come.abort()


async def dial(identity: Identity, to: End, expected: Name, limits: RelayLimits) -> Connection:
    """A connection by TLS to a frontal or helper that proves to be the one that is expected.

    Few are made at a time, since who is called bears only some that have not proved a key yet; others wait for their turn.

    Raises:
        Refusal: it is not there, does not answer in time, or proves to be someone else.
    """
    try:
        async with identity.turn, asyncio.timeout(limits.patience_s):
            while True:
                connection = Connection(limits, str(to), expected)
                with contextlib.suppress(ConnectionResetError):  # closed before the handshake: it has enough just now
                    transport, _ = await asyncio.get_running_loop().create_connection(
                        lambda made=connection: made,  # type: ignore[misc]
                        to.host,
                        to.port,
                        ssl=identity.as_client,
                        server_hostname=str(expected),
                    )
                    try:
                        _recognise(connection, transport, identity)
                    except Refusal:
                        connection.abort()
                        raise
                    return connection
                await asyncio.sleep(_AGAIN_S)
    except TimeoutError:
        raise Refusal(f"{to} does not answer") from None
    except ssl.SSLCertVerificationError as error:
        raise Refusal(f"{to} does not prove to be {expected}: {error.verify_message}") from None
    except OSError as error:
        raise Refusal(f"{to}: {reason(error)}") from None


async def dial_frontal(identity: Identity, relay: Relay, site: str) -> Connection:
    """A connection by TLS to the frontal of a site (`dial`). Raises Refusal."""
    return await dial(identity, relay.dialled(site, identity.name.site), Name("frontal", site), relay.limits)


async def taken(sock: socket.socket, identity: Identity, limits: RelayLimits) -> Connection:
    """The other side of `dial`, of a socket that was accepted. Raises Refusal, with the socket closed."""
    loop = asyncio.get_running_loop()
    try:
        connection = Connection(limits, str(End(*sock.getpeername()[:2])))
        transport, _ = await loop.connect_accepted_socket(
            lambda: connection, sock, ssl=identity.as_server, ssl_handshake_timeout=limits.handshake_s
        )
    except (TimeoutError, ConnectionAbortedError):
        sock.close()
        raise Refusal(f"it has proved no key in {limits.handshake_s:g} s") from None
    except OSError as error:
        sock.close()
        raise Refusal(getattr(error, "verify_message", "") or getattr(error, "reason", "") or why(error)) from None
    try:
        _recognise(connection, transport, identity)
    except Refusal:
        connection.abort()
        raise
    return connection


def _recognise(connection: Connection, transport: asyncio.BaseTransport, identity: Identity) -> None:
    """Note who is at the other end. Raises Refusal."""
    proof = proved(transport.get_extra_info("ssl_object"))
    if proof is None:
        raise Refusal("its certificate names neither a frontal nor a helper")
    if identity.has_revoked(proof.serial):
        raise Refusal(f"the key {proof.serial} of {proof.name} is revoked")
    connection.peer, connection.serial = proof.name, proof.serial


async def pipe(first: Connection, second: Connection) -> None:
    """Let data pass both ways between two helpers until one end closes; then what it has sent goes on, and both are closed.

    What helpers tell each other decides whether a process sees an end or a reset (`stream`), so nothing is looked at here. A sender waits while the other end does not read: nothing piles up beyond the buffers of both connections.
    """
    first.pass_on_to(second)
    second.pass_on_to(first)
    ends = [asyncio.create_task(first.ended()), asyncio.create_task(second.ended())]
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in ends:
            end.cancel()
        first.close()
        second.close()


@contextlib.asynccontextmanager
async def closing(connection: Connection) -> AsyncIterator[Connection]:
    """Close it at the end, at once if that is an error."""
    try:
        yield connection
    except BaseException:
        connection.abort()
        raise
    connection.close()
