# SPDX-License-Identifier: BSD-3-Clause
"""How helpers of `orrery relay` part when the processes of one have ended, and those of the other have not read everything yet."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from orrery.relay import helper as helper_module
from orrery.relay import local
from orrery.relay.roster import Account
from orrery.relay.stream import CutError, Frame, RelayStream
from orrery.relay.tally import Tally
from orrery.relay.wire import Connection
from relays import B, Place, placed, settings, turns_until

# ---- frames ----


class Heard:
    """In place of a connection to another helper: keeps what it is told."""

    def __init__(self) -> None:
        self.frames = bytearray()

    def write(self, data: bytes) -> None:
        self.frames += data

    def stop(self) -> None:
        """It takes everything."""

    def go_on(self) -> None:
        """It takes everything, too."""


def frame(kind: Frame, number: int, data: bytes = b"") -> bytes:
    return struct.pack("!BQ", kind, number) + data


@contextlib.asynccontextmanager
async def streaming(folder: Path, keys: Path) -> AsyncIterator[tuple[RelayStream, Heard, socket.socket]]:
    """A stream, what it tells the other helper, and the socket of its process."""
    link = Heard()
    stream = RelayStream(cast(Connection, link), settings(folder, keys).limits, Tally())
    own, given = local.pair()
    given.settimeout(0)
    await asyncio.get_running_loop().create_connection(lambda: stream, sock=own)
    with given:
        yield stream, link, given
        stream.cut(CutError("the test ends"))
        with contextlib.suppress(CutError):
            await stream.over
        await stream.lost.wait()


async def everything(sock: socket.socket) -> bytes:
    """What a process reads to the end. Raises ConnectionResetError."""
    got = bytearray()
    while piece := await asyncio.get_running_loop().sock_recv(sock, 65536):
        got += piece
    return bytes(got)


async def expect_reset(stream: RelayStream, sock: socket.socket) -> None:
    """A process that has read the end of the other direction learns of a reset when it writes."""
    await stream.lost.wait()
    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        sock.send(b"x")


def test_who_reads_after_the_sender_has_ended_gets_everything_and_an_end(tmp_path: Path, keys: Path) -> None:
    """The process need not have ended its own direction, if it has sent nothing more."""
    data = os.urandom(300_000)

    async def talk() -> None:
        async with streaming(tmp_path, keys) as (stream, link, sock):
            await asyncio.get_running_loop().sock_sendall(sock, b"please")
            await turns_until(lambda: stream.sent == len(b"please"))
            stream.write(frame(Frame.DATA, len(data), data) + frame(Frame.END, len(data)))
            await turns_until(lambda: link.frames.endswith(frame(Frame.DELIVERED, len(data))))
            stream.write(frame(Frame.GONE, len(b"please")))
            await stream.over
            await asyncio.sleep(
                0.3
            )  # the helper does not close it: the system keeps nothing for long that nobody holds
            assert not stream.lost.is_set()
            assert await everything(sock) == data
            await stream.lost.wait()

    asyncio.run(talk())


@pytest.mark.parametrize("ends", [False, True])
def test_what_was_sent_to_a_process_that_has_ended_is_told_of_by_a_reset(
    tmp_path: Path, keys: Path, *, ends: bool
) -> None:
    """Unless the sender has said that it sends no more: then it is not told by TCP either."""

    async def talk() -> None:
        async with streaming(tmp_path, keys) as (stream, link, sock):
            await asyncio.get_running_loop().sock_sendall(sock, b"last words")
            await turns_until(lambda: stream.sent == len(b"last words"))
            if ends:
                sock.shutdown(socket.SHUT_WR)
                await turns_until(lambda: link.frames.endswith(frame(Frame.END, len(b"last words"))))
            stream.write(frame(Frame.END, 0) + frame(Frame.GONE, len(b"last")))
            if ends:
                await stream.over
                await stream.lost.wait()
                assert await everything(sock) == b""
                return
            with pytest.raises(CutError, match="the other process has ended 6 bytes before the end") as cut:
                await stream.over
            assert cut.value.by_process
            await expect_reset(stream, sock)

    asyncio.run(talk())


def test_who_writes_to_a_process_that_has_ended_before_it_reads_gets_a_reset(tmp_path: Path, keys: Path) -> None:
    """As TCP has it."""
    data = os.urandom(300_000)

    async def talk() -> None:
        async with streaming(tmp_path, keys) as (stream, link, sock):
            stream.write(frame(Frame.DATA, len(data), data) + frame(Frame.END, len(data)))
            await turns_until(lambda: link.frames.endswith(frame(Frame.DELIVERED, len(data))))
            stream.write(frame(Frame.GONE, 0))
            await stream.over
            await asyncio.get_running_loop().sock_sendall(sock, b"too late")
            await stream.lost.wait()
            assert stream.sent == 0
            with pytest.raises(ConnectionResetError):
                await everything(sock)

    asyncio.run(talk())


@pytest.mark.parametrize(
    "frames",
    [
        frame(Frame.GONE, 0),
        frame(Frame.DATA, 1, b"x") + frame(Frame.GONE, 0),
        frame(Frame.END, 0) + frame(Frame.GONE, 1),
    ],
    ids=["at once", "before the end", "with bytes that nobody sent"],
)
def test_a_helper_that_leaves_before_all_was_handed_over_is_believed_nothing(
    tmp_path: Path, keys: Path, frames: bytes
) -> None:
    async def talk() -> None:
        async with streaming(tmp_path, keys) as (stream, link, sock):
            stream.write(frames)
            with pytest.raises(CutError, match=r"the other helper sends what it must not: a frame 4 of [01]") as cut:
                await stream.over
            assert not cut.value.by_process
            assert link.frames.endswith(frame(Frame.RESET, 0))
            await expect_reset(stream, sock)

    asyncio.run(talk())


# ---- helpers ----


class Late:
    """A process of site b that reads, with a small buffer, when it is let."""

    def __init__(self) -> None:
        self.begin = asyncio.Event()
        self.got: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        """None: a reset."""

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        await self.begin.wait()
        try:
            self.got.set_result(await reader.read())
        except ConnectionResetError:
            self.got.set_result(None)


async def send_and_end(place: Place, late: Late, data: bytes) -> None:
    """A process of site a sends, and ends before anything is read."""
    _, sock = await place.ask("a", f"connect {await place.target(late.receive)} 0.0.0.0:0")
    _, writer = await asyncio.open_connection(sock=sock)
    writer.write(data)
    writer.close()


def never() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("size", [0, 300_000, 12 << 20], ids=["nothing", "what buffers hold", "more"])
def test_a_helper_whose_processes_have_ended_leaves_when_all_was_handed_over(
    tmp_path: Path, keys: Path, size: int
) -> None:
    """The receiver keeps its own direction open: that is not waited for."""
    data = os.urandom(size)

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            late = Late()
            await send_and_end(place, late, data)
            handing_over = asyncio.create_task(place.helpers["a"].hand_over(never()))
            await asyncio.sleep(0.5)  # nothing moves any more, on most machines; it is right in any case
            late.begin.set()
            await handing_over
            await place.helpers["a"].close()
            assert await late.got == data
            await turns_until(lambda: not place.helpers["b"]._carried)
            assert [helper.cut for helper in place.helpers.values()] == [0, 0]
            assert not any("is reset" in line for line in place.said)

    asyncio.run(talk())


@pytest.mark.parametrize("reason", ["told to end", "time", "relay gone", "job over"])
def test_what_is_not_read_in_the_end_is_counted_as_lost_and_reset(
    tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr(helper_module, "GRACE_S", 0.0)
    if reason == "time":
        monkeypatch.setattr(helper_module, "_HANDING_OVER_S", 0.2)

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            late, stopped, helper = Late(), never(), place.helpers["a"]
            await send_and_end(place, late, bytes(12 << 20))
            handing_over = asyncio.create_task(helper.hand_over(stopped))
            said = "the command has ended on 127.81.1.1, but processes of other nodes have not read all that it sent: 1 conn"
            await turns_until(lambda: reason in ("time", "job over") or any(said in line for line in place.said))
            if reason == "told to end":
                stopped.set_result(None)
            elif reason == "relay gone":
                helper._give_up("the relay is gone")
            elif reason == "job over":
                helper.over.set_result(False)
            await handing_over
            assert helper.cut == 1
            told = [line for line in place.said if "is reset: " in line]
            assert len(told) == 1, place.said
            assert " bytes to the other site" in told[0]
            late.begin.set()
            assert await late.got is None

    asyncio.run(talk())


def test_what_a_node_could_not_hand_over_is_known_where_the_job_was_started(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10), enlisted=True) as place:
            late, stopped = Late(), never()
            await send_and_end(place, late, bytes(12 << 20))
            stopped.set_result(None)
            for site in "ba":  # what a sent is b's process's, which has not ended
                await place.helpers[site].hand_over(stopped)
            concluding = asyncio.create_task(place.helpers["a"].conclude(failed=False))
            await place.helpers["b"].close()
            assert await concluding == [(B, Account(failed=False, cut=1))]

    asyncio.run(talk())
