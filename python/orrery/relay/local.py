# SPDX-License-Identifier: BSD-3-Clause
"""What the connect layer asks its node's helper, by a local socket: texts of 64 bytes, filled up with zeros.

    hello                      hello SIZE FIRST LAST, and SIZE bytes: networks of other sites; ports that bind() may take, 0 0: any
    connect TO FROM            socket, or piped FROM, and a descriptor with it: a connection to take | error NUMBER
    peer END                   peer END: whom a connection stands for that comes from there | none
    listen PORT INODE          ok: other sites may reach this socket of the process

An end is ADDRESS:PORT; FROM is 0.0.0.0:0 where the program's socket has no name yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.relay.settings import End

TEXT_BYTES = 64
_AGAIN_S = 0.1
SOURCE = "127.79.82.76"
"""Where connections of the helper to processes of its node come from."""
LOOPBACK = "127.0.0.1"
ANY = End("0.0.0.0", 0)  # noqa: S104  a socket without a name


def place(job: str) -> str:
    """The abstract name of the helper's socket: the same on all nodes, and each network namespace has its own."""
    return f"\0orrery-relay-{job}"


def listen(job: str) -> socket.socket:
    """Raises OSError: EADDRINUSE, when the job has a helper on this node."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(place(job))
        sock.listen(512)
    except OSError:
        sock.close()
        raise
    sock.settimeout(0)
    return sock


def is_served(job: str) -> bool:
    """Whether a helper of the same user is there."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            sock.connect(place(job))
        except OSError:
            return False
        return is_own(sock)


def is_own(sock: socket.socket) -> bool:
    """Whether a process of the same user is at the other end."""
    about = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", about)
    return bool(user == os.getuid())


def pair() -> tuple[socket.socket, socket.socket]:
    """Two sockets that are connected to each other by TCP: the helper's end, and the one that a process gets.

    A pair of local sockets would not do: they know no reset, so a process would see a clean end where data were lost.
    """
    with socket.create_server((LOOPBACK, 0), backlog=1) as listening:
        given = socket.create_connection(listening.getsockname())
        while True:
            own, caller = listening.accept()
            if caller == given.getsockname():
                own.settimeout(0)
                given.settimeout(None)
                return own, given
            own.close()  # another process of this node was quicker


@dataclass(frozen=True)
class LocalRequest:
    """One text of a process."""

    word: str
    ends: tuple[End, ...] = ()
    socket: tuple[int, int] = (0, 0)
    """Port and inode of one that listens."""


async def receive(sock: socket.socket) -> LocalRequest:
    """The text. Raises ValueError or OSError when it is none."""
    loop, text = asyncio.get_running_loop(), b""
    while len(text) < TEXT_BYTES:
        piece = await loop.sock_recv(sock, TEXT_BYTES - len(text))
        if not piece:
            raise ConnectionResetError
        text += piece
    word, *ends = text.rstrip(b"\0").decode("ascii").split(" ")
    if word == "listen":
        port, inode = map(int, ends)
        return LocalRequest(word, socket=(port, inode))
    if len(ends) != {"hello": 0, "connect": 2, "peer": 1}.get(word):
        raise ValueError(word)
    return LocalRequest(word, tuple(map(End.parse, ends)))


_LISTENS = "0A"
_TABLES = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))


def listening() -> set[tuple[int, int]]:
    """Port and inode of each TCP socket of this node that listens, as the system's tables have them."""
    found = set()
    for table in _TABLES:
        with contextlib.suppress(OSError):
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                _, own, _, state, _, _, _, _, _, inode, *_ = line.split()
                if state == _LISTENS:
                    found.add((int(own.rpartition(":")[2], 16), int(inode)))
    return found


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


class Listeners:
    """Sockets on which processes of the job listen."""

    def __init__(self) -> None:
        self._told = set[tuple[int, int]]()

    def add(self, socket: tuple[int, int]) -> None:
        """A process says that it listens there; those that are gone are forgotten."""
        self._told = {*(self._told & listening()), socket}

    def has(self, port: int) -> bool:
        """Whether what listens on a port now is the job's."""
        return any(listener[0] == port for listener in self._told & listening())


def padded(text: str) -> bytes:
    """As it is sent."""
    return text.encode("ascii").ljust(TEXT_BYTES, b"\0")
