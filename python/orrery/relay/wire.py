# SPDX-License-Identifier: BSD-3-Clause
"""Connections: requests and answers as lines of JSON, then data, which is copied with bounded buffers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import ssl
from collections.abc import AsyncIterator
from typing import Any

from orrery.relay.secure import Identity, Name, proved
from orrery.relay.settings import End, Limits

LINE_BYTES = 4096
"""The longest request or answer."""
_PIECE_BYTES = 64 * 1024
SIGNS = 3
"""Signs of life within the time after which a helper or frontal counts as gone."""


class Refused(Exception):  # noqa: N818  an answer, not a mistake of ours
    """What the other side asks for is not given, or what we ask for is not; the text says why."""

    def __init__(self, why: str, code: int = 0) -> None:
        super().__init__(why)
        self.code = code
        """The error of the system that stands for it; 0: none in particular."""


class Connection:
    """One connection that is open, and who is at its other end."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Name | None, address: str
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.peer = peer
        """None: a process of this node."""
        self.address = address
        """Of the other end, in words."""
        self.moved = 0
        """Bytes that `pipe` has taken from it."""

    async def say(self, **message: Any) -> None:
        """Send a line. Raises ConnectionError when the other end is gone."""
        if self.writer.is_closing():
            raise ConnectionResetError("it was closed")
        self.writer.write(json.dumps(message).encode() + b"\n")
        await self.writer.drain()

    async def hear(self, limits: Limits, patience_s: float | None = None) -> dict[str, Any]:
        """The next line.

        Raises:
            Refused: it is no object of JSON, too long, or does not come in time.
            ConnectionError: the other end is gone.
        """
        try:
            async with asyncio.timeout(patience_s or limits.patience_s):
                line = await self.reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            raise ConnectionResetError("it was closed") from error
        except asyncio.LimitOverrunError:
            raise Refused("a line is too long") from None
        except TimeoutError:
            raise Refused("it does not say what it wants") from None
        return parse_line(line)

    def close(self) -> None:
        """Close it after what was written has left."""
        if not self.writer.is_closing():
            self.writer.close()

    async def ended(self) -> None:
        """Wait until it is closed, by whomever."""
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()

    def abort(self) -> None:
        """Close it now."""
        self.writer.transport.abort()


def parse_line(line: bytes) -> dict[str, Any]:
    """The object that a line has: words, numbers, and lists of them. Raises Refused for anything else."""
    if len(line) > LINE_BYTES:
        raise Refused("a line is too long")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise Refused("a line is no JSON") from None
    if not isinstance(message, dict) or not all(_is_plain(value) for value in message.values()):
        raise Refused("a line is no request")
    return message


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return value is None or isinstance(value, str | int)


def end_of(message: dict[str, Any], key: str) -> End:
    """An address and port out of a request. Raises Refused."""
    try:
        return End.parse(str(message.get(key)))
    except ValueError as error:
        raise Refused(f"{key}: {error}") from None


def word_of(message: dict[str, Any], key: str) -> str:
    """A word out of a request. Raises Refused."""
    value = message.get(key)
    if not isinstance(value, str) or not 1 <= len(value) <= 128 or not value.isprintable():
        raise Refused(f"{key}: is missing")
    return value


def reason(error: OSError) -> str:
    """The system's words for it."""
    return os.strerror(error.errno) if error.errno else str(error)


async def dial(identity: Identity, to: End, expected: Name, limits: Limits) -> Connection:
    """A connection by TLS to a frontal or helper that proves to be the one that is expected.

    Raises:
        Refused: it is not there, does not answer in time, or proves to be someone else.
    """
    try:
        async with asyncio.timeout(limits.patience_s):
            reader, writer = await asyncio.open_connection(
                to.host, to.port, limit=limits.buffer_bytes // 2, ssl=identity.as_client, server_hostname=str(expected)
            )
    except TimeoutError:
        raise Refused(f"{to} does not answer") from None
    except ssl.SSLCertVerificationError as error:
        raise Refused(f"{to} does not prove to be {expected}: {error.verify_message}") from None
    except OSError as error:
        raise Refused(f"{to}: {reason(error)}") from None
    return prepared(Connection(reader, writer, expected, str(to)), limits)


async def taken(sock: socket.socket, identity: Identity, limits: Limits) -> Connection:
    """The other side of `dial`, of a socket that was accepted. Raises Refused, with the socket closed."""
    address = End(*sock.getpeername()[:2])
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=limits.buffer_bytes // 2, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    try:
        transport, _ = await loop.connect_accepted_socket(
            lambda: protocol, sock, ssl=identity.as_server, ssl_handshake_timeout=limits.patience_s
        )
    except OSError as error:
        sock.close()
        raise Refused(getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)) from None
    writer = asyncio.StreamWriter(transport, protocol, reader, loop)
    connection = Connection(reader, writer, proved(transport.get_extra_info("ssl_object")), str(address))
    if connection.peer is None:
        connection.abort()
        raise Refused("its certificate names neither a frontal nor a helper")
    return prepared(connection, limits)


async def local(sock: socket.socket, limits: Limits, address: str) -> Connection:
    """A connection of this node without TLS, of a socket that is connected."""
    reader, writer = await asyncio.open_connection(sock=sock, limit=limits.buffer_bytes // 2)
    return prepared(Connection(reader, writer, None, address), limits)


def prepared(connection: Connection, limits: Limits) -> Connection:
    """The same: what is written is held up to the limit; small messages leave at once."""
    connection.writer.transport.set_write_buffer_limits(high=limits.buffer_bytes // 2)
    sock = connection.writer.get_extra_info("socket")
    if sock.family == socket.AF_INET:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return connection


async def pipe(one: Connection, other: Connection) -> None:
    """Copy both ways until one end closes; then what it has sent is delivered, and both are closed.

    A sender waits while the other end does not read: nothing piles up beyond the buffers of both connections.
    """
    copies = [asyncio.create_task(_copy(one, other)), asyncio.create_task(_copy(other, one))]
    try:
        await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for copy in copies:
            copy.cancel()
        await asyncio.gather(*copies, return_exceptions=True)
        one.close()
        other.close()


async def _copy(source: Connection, target: Connection) -> None:
    with contextlib.suppress(OSError):
        while piece := await source.reader.read(_PIECE_BYTES):
            if target.writer.is_closing():
                return
            source.moved += len(piece)
            target.writer.write(piece)
            await target.writer.drain()


@contextlib.asynccontextmanager
async def closing(connection: Connection) -> AsyncIterator[Connection]:
    """Close it at the end, at once if that is an error."""
    try:
        yield connection
    except BaseException:
        connection.abort()
        raise
    connection.close()
