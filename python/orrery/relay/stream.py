# SPDX-License-Identifier: BSD-3-Clause
"""The data of one connection between two processes, as two helpers exchange them: all of it arrives, or both ends get a reset.

After the last line of a request, helpers send each other frames over TLS; frontals pass them on without looking at them. A frame
is a kind of one byte, a number of eight, and data:

    DATA size          that many bytes of the process, which follow
    END total          the process sends no more; it has sent so many bytes in all
    DELIVERED total    all bytes up to END were handed to the other process's socket
    RESET 0            the connection is broken
    GONE total         the process has ended, and all that it sent was handed over; so many bytes were handed to it

A direction ends by END, and the connection when both directions have ended and both ends have been told so. GONE ends it, too: it
follows DELIVERED, when the helper of a process that has ended leaves. Then the other process has got everything; what it has sent
beyond that total is lost with the process that has ended, so it gets a reset, as TCP gives one. A connection between
helpers that closes before has lost something, however it closes: the process gets a reset, never a clean end. So a process may
close one direction and go on in the other (`shutdown(SHUT_WR)`), and compute as long as it likes before it reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import socket
import struct
from typing import cast

from orrery.relay.settings import RelayLimits
from orrery.relay.tally import Load, Tally
from orrery.relay.wire import Connection, reason

_HEAD = struct.Struct("!BQ")
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
_CLOSE_IN_ORDER = struct.pack("ii", 0, 0)
_FIN_WAIT1, _LAST_ACK, _CLOSING = 4, 9, 11
_NOT_TAKEN = {_FIN_WAIT1, _LAST_ACK, _CLOSING}
"""States of TCP (tcp(7), TCP_INFO) in which the other end has not taken everything up to the end of the connection."""
_PAUSE_S = 0.1


class Frame(enum.IntEnum):
    """Kinds of frames."""

    DATA = 0
    END = 1
    DELIVERED = 2
    RESET = 3
    GONE = 4


class CutError(Exception):
    """A connection that ended before all data had arrived; the text says why. Its processes get a reset."""

    def __init__(self, why: str, *, by_process: bool = False) -> None:
        super().__init__(why)
        self.by_process = by_process
        """Whether one of both processes has reset it, as processes may."""


_ENDS = {Frame.END, Frame.DELIVERED}


class RelayStream(asyncio.Protocol):
    """Both directions of one connection: on one side a process's TCP socket, on the other the helper of the other process."""

    def __init__(self, link: Connection, limits: RelayLimits, tally: Tally) -> None:
        self.sent = 0
        """Bytes that the process has sent."""
        self.delivered = 0
        """Bytes that were written to the process."""
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when both directions have ended; `CutError` when the connection broke."""
        self.begun = asyncio.Event()
        """Set when it has the process's socket, and can be ended."""
        self.full = False
        """Whether the process does not read: who sends to it has to wait."""
        self.lost = asyncio.Event()
        """Set when the process's socket is closed."""
        self._link = link
        self._tally = tally
        self._most = limits.buffer_bytes // 2
        self._head = b""
        self._data_left = 0
        self._told = set[Frame]()
        self._heard = set[Frame]()
        self._transport: asyncio.Transport

    @property
    def load(self) -> Load:
        """What has passed it so far."""
        return Load(1, self.sent, self.delivered)

    @property
    def handed_over(self) -> bool:
        """Whether all that the process sent has been handed to the other one, or nothing more can be."""
        return Frame.DELIVERED in self._heard or self.over.done()

    # ---- the process ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Until both directions have ended, whatever closes the socket resets the connection, a helper that is killed included."""
        self._transport = cast(asyncio.Transport, transport)
        self.begun.set()
        self._transport.set_write_buffer_limits(high=self._most)
        self._option(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._option(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)

    def data_received(self, data: bytes) -> None:
        """Send them to the other helper."""
        if self.over.done():  # the other process has ended
            self._option(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self._transport.abort()
            return
        self.sent += len(data)
        self._tally.add(0, len(data), 0)
        self._link.write(_HEAD.pack(Frame.DATA, len(data)) + data)

    def eof_received(self) -> bool:
        """Tell the other helper; the other direction stays open."""
        self._tell(Frame.END, self.sent)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """The process has reset the connection, unless this helper has closed it."""
        self.lost.set()
        why = reason(exc) if isinstance(exc, OSError) else "it has closed its socket"
        self.cut(CutError(f"the process of this node: {why}", by_process=True))

    def pause_writing(self) -> None:
        """The process does not read."""
        self.full = True
        self._link.stop()

    def resume_writing(self) -> None:
        """It reads again, or has been given everything."""
        self.full = False
        self._link.go_on()
        self._check_delivered()

    def stop(self) -> None:
        """Read no more from the process."""
        if Frame.END not in self._told:
            self._transport.pause_reading()

    def go_on(self) -> None:
        """Read from it again, unless it has ended."""
        if Frame.END not in self._told:
            self._transport.resume_reading()

    # ---- the other helper ----

    def write(self, data: bytes) -> None:
        """Take frames, in pieces of any size."""
        rest = memoryview(data)
        while rest and not self.over.done():
            rest = rest[self._take_data(rest) if self._data_left else self._take_head(rest) :]

    def _take_data(self, some: memoryview) -> int:
        """Bytes that were taken; at least one."""
        piece = bytes(some[: self._data_left])
        self._data_left -= len(piece)
        self.delivered += len(piece)
        self._tally.add(0, 0, len(piece))
        self._transport.write(piece)
        return len(piece)

    def _take_head(self, some: memoryview) -> int:
        """Bytes that were taken; at least one."""
        piece = bytes(some[: _HEAD.size - len(self._head)])
        self._head += piece
        if len(self._head) == _HEAD.size:
            kind, number = _HEAD.unpack(self._head)
            self._head = b""
            self._take_frame(kind, number)
        return len(piece)

    def _take_frame(self, kind: int, number: int) -> None:
        if kind == Frame.DATA and Frame.END not in self._heard:
            self._data_left = number
        elif kind == Frame.END and kind not in self._heard and number == self.delivered:
            self._heard.add(Frame.END)
            self._transport.set_write_buffer_limits(high=0)  # `resume_writing` is called when all is written
            self._end_writing()
        elif kind == Frame.DELIVERED and kind not in self._heard and Frame.END in self._told and number == self.sent:
            self._heard.add(Frame.DELIVERED)
            self._check_over()
        elif kind == Frame.RESET:
            self.cut(CutError("the other process has reset it", by_process=True), tell=False)
        elif kind == Frame.GONE and Frame.DELIVERED in self._told and number <= self.sent:
            self._miss_process(number)
        else:
            self.cut(CutError(f"the other helper sends what it must not: a frame {kind} of {number:,}"))

    def _miss_process(self, delivered: int) -> None:
        if delivered == self.sent or Frame.END in self._told:
            self._end_in_order()
        else:
            lost = f"the other process has ended {self.sent - delivered:,} bytes before the end"
            self.cut(CutError(lost, by_process=True), tell=False)

    def _end_writing(self) -> None:
        try:
            self._transport.write_eof()
        except OSError as error:  # it has closed its socket, and what came after that has reset it
            self.cut(CutError(f"the process of this node: {reason(error)}", by_process=True))
        else:
            self._check_delivered()

    def _check_delivered(self) -> None:
        if (
            Frame.END in self._heard
            and Frame.DELIVERED not in self._told
            and not self._transport.is_closing()  # what `connection_lost` is about to tell of
            and self._transport.get_write_buffer_size() == 0
        ):
            self._tell(Frame.DELIVERED, self.delivered)

    # ---- both ----

    def _tell(self, kind: Frame, total: int) -> None:
        self._told.add(kind)
        self._link.write(_HEAD.pack(kind, total))
        self._check_over()

    def _check_over(self) -> None:
        if self._told == self._heard == _ENDS and not self.over.done():
            self._end_in_order()

    def _end_in_order(self) -> None:
        """What the system still has for the process arrives, and then the end."""
        self.over.set_result(None)
        self._option(socket.SOL_SOCKET, socket.SO_LINGER, _CLOSE_IN_ORDER)
        self._close_when_taken()

    def _close_when_taken(self) -> None:
        """Not before: of a socket that is closed, the system throws data away that are not read for some minutes."""
        if not self._transport.is_closing() and self._state() in _NOT_TAKEN:
            asyncio.get_running_loop().call_later(_PAUSE_S, self._close_when_taken)
        else:
            self._transport.close()

    def _state(self) -> int:
        """The socket's, of TCP."""
        sock = self._transport.get_extra_info("socket")
        return int(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0])

    def close(self) -> None:
        """Close the process's socket, if that has not been done; it gets a reset unless the connection is over in order."""
        if self.begun.is_set():
            self._transport.close()

    def leave(self) -> None:
        """End it for the process, which has ended and has nothing left to hand over (`handed_over`), and tell the other helper."""
        if self.over.done():
            return
        self._link.write(_HEAD.pack(Frame.GONE, self.delivered - self._transport.get_write_buffer_size()))
        self.over.set_result(None)
        self._transport.abort()
        self._link.go_on()  # what still comes is thrown away

    def cut(self, why: CutError, *, tell: bool = True) -> None:
        """Reset the connection, unless it is over. `tell`: the other helper, too."""
        if self.over.done():
            return
        self.over.set_exception(why)
        if tell:
            self._link.write(_HEAD.pack(Frame.RESET, 0))
        self._transport.abort()
        self._link.go_on()  # what still comes is thrown away

    def _option(self, level: int, name: int, value: int | bytes) -> None:
        sock = self._transport.get_extra_info("socket")
        with contextlib.suppress(OSError):  # the process has closed it, and is told of by `connection_lost`
            sock.setsockopt(level, name, value)


async def carry(link: Connection, stream: RelayStream, sock: socket.socket, limits: RelayLimits) -> None:
    """Let data pass both ways between a helper of another site and a process of this node until both directions have ended.

    Args:
        link: the connection to the other helper; it is closed.
        stream: what joins both; it is new, and has its process's socket until `RelayStream.lost`.
        sock: the process's TCP socket, connected.
        limits: `patience_s` for closing the connection to the other helper.

    Raises:
        CutError: not all data arrived. Both processes get a reset.
    """
    await asyncio.get_running_loop().create_connection(lambda: stream, sock=sock)
    link.pass_on_to(stream)
    gone = asyncio.create_task(link.ended())
    try:
        await asyncio.wait([gone, stream.over], return_when=asyncio.FIRST_COMPLETED)
        there = f"after {stream.sent:,} bytes to the other site and {stream.delivered:,} from it"
        stream.cut(CutError(f"the way to the other site is gone, {there}"))
        stream.over.result()
    except asyncio.CancelledError:
        stream.cut(CutError("this helper ends"))
        raise
    finally:
        link.close()
        await asyncio.wait([gone], timeout=limits.patience_s)
        link.abort()
        gone.cancel()
        stream.over.exception()  # it has been seen
