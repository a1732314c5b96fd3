# SPDX-License-Identifier: BSD-3-Clause
"""What a process sent arrives by all ways of `orrery relay`, or both ends get a reset: transfers that are drawn, on the loopback.

`ORRERY_DRAWS=200 ORRERY_SEED=3 pytest -s -k "drawn" tests/python/test_relay_draws.py` draws more and others, and says what came of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from orrery.relay.frontal import FrontalServer
from orrery.relay.helper import Helper
from orrery.relay.settings import read_settings
from orrery.relay.wire import Connection
from relays import Place, Table, loopback_sites, placed, write_relay

_OPEN = {"policy": "open", "helper_ports": "41100-41199"}
WAYS: dict[str, tuple[Table, Table]] = {
    "relay": (_OPEN, {"policy": "outbound"}),
    "reverse": (_OPEN, {"policy": "nat"}),
    "direct by a helper": ({"policy": "nat"}, _OPEN | {"helper_ports": "41200-41299"}),
    "relay by one frontal": (_OPEN, {"policy": "outbound", "frontal": "a"}),
    "relay between NATs": ({"policy": "nat"}, {"policy": "nat"}),
}
"""The sites a and b, by the one way from a to b."""
EACH_WAY = pytest.mark.parametrize("way", WAYS)
DRAWS = int(os.environ.get("ORRERY_DRAWS", "12"))
"""Transfers of each way in the tests of drawn ones."""
SEED = os.environ.get("ORRERY_SEED", "0")
"""Another one draws others."""


@contextlib.asynccontextmanager
async def placed_by(way: str, folder: Path, keys: Path) -> AsyncIterator[Place]:
    """Both sites, where processes of a reach those of b by one way."""
    limits = {"patience_s": 10, "unproven": 8, "connections": 40}
    relay = read_settings(write_relay(folder, loopback_sites(*WAYS[way]), limits=limits, keys=keys))
    async with placed(relay) as place:
        yield place


@EACH_WAY
def test_one_direction_may_be_closed_before_the_other(tmp_path: Path, keys: Path, way: str) -> None:
    """As rsync and ssh do: say all, shut down, and read the answer."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said = await reader.read()
        writer.write(said[::-1])
        writer.close()

    async def talk() -> None:
        async with placed_by(way, tmp_path, keys) as place:
            end = await place.target(answer)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            reader, writer = await asyncio.open_connection(sock=sock)
            writer.write(bytes(range(256)) * 4000)
            writer.write_eof()
            assert await reader.read() == bytes(reversed(range(256))) * 4000
            writer.close()

    asyncio.run(talk())


@EACH_WAY
def test_who_reads_late_gets_everything(tmp_path: Path, keys: Path, way: str) -> None:
    """The sender has written what buffers do not hold, and the receiver begins when nothing moves any more."""
    data = os.urandom(12 << 20)

    async def talk() -> None:
        begin = asyncio.Event()
        got: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def receive(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await begin.wait()
            got.set_result(await reader.read())

        async with placed_by(way, tmp_path, keys) as place:
            end = await place.target(receive)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            _, writer = await asyncio.open_connection(sock=sock)
            writer.write(data)
            writer.close()
            await asyncio.sleep(1)  # nothing moves any more, on most machines; it is right in any case
            begin.set()
            assert await got == data

    asyncio.run(talk())


class Transfer:
    """A drawn transfer both ways between a process of site a and one of site b."""

    def __init__(self, rng: random.Random) -> None:
        self.there = rng.randbytes(rng.choice([0, 1, 9, 4096, rng.randrange(3_000_000)]))
        self.back = rng.randbytes(rng.choice([0, 1, rng.randrange(500_000)]))
        self._piece = rng.choice([10_000, 65536, 1 << 20])
        self._buffer = rng.choice([65536, 1 << 20])
        self._pause_s = rng.choice([0, 0.1])
        self.moment = rng.randrange(2 * len(self.there) + 1)
        """When it breaks: after so many bytes were sent or delivered, each counted for itself."""
        self.heard: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        """What arrived at site b; None: a reset."""

    async def receive(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The process of site b."""
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._buffer)
        try:
            writer.write(self.back)
            writer.write_eof()
            await asyncio.sleep(self._pause_s)
            got = bytearray()
            while piece := await reader.read(self._piece):
                got += piece
        except OSError:
            self.heard.set_result(None)
        else:
            self.heard.set_result(bytes(got))
        finally:
            writer.close()

    async def send(self, sock: socket.socket) -> bytes | None:
        """The process of site a: what came back; None: a reset."""
        reader, writer = await asyncio.open_connection(sock=sock)
        try:
            writer.write(self.there)
            writer.write_eof()
            return await reader.read()
        except OSError:
            return None
        finally:
            writer.close()


async def draw(way: str, place: Place, *, broken: bool) -> Counter[str]:
    """Make `DRAWS` transfers; how many passed, and of how many an end has seen a reset. Any other end fails."""
    rng = random.Random(f"{way} {SEED}")  # noqa: S311  no key depends on it
    counts = Counter[str]()
    for _ in range(DRAWS):
        transfer = Transfer(rng)
        _, sock = await place.ask("a", f"connect {await place.target(transfer.receive)} 0.0.0.0:0")
        breaking = asyncio.create_task(break_at(transfer.moment, rng, place)) if broken else None
        back, there = await transfer.send(sock), await transfer.heard
        if breaking is not None:
            breaking.cancel()
        assert back in (transfer.back, None)
        assert there in (transfer.there, None)
        counts["passed" if None not in (back, there) else "reset"] += 1
    print(f"{way}, {'broken at a drawn byte' if broken else 'left alone'}: {dict(counts)}")  # noqa: T201  of a soak
    return counts


@EACH_WAY
def test_what_was_drawn_and_sent_arrives(tmp_path: Path, keys: Path, way: str) -> None:
    async def talk() -> None:
        async with placed_by(way, tmp_path, keys) as place:
            assert await draw(way, place, broken=False) == {"passed": DRAWS}
            assert not any("is reset" in line for line in place.said)

    asyncio.run(talk())


@EACH_WAY
def test_what_a_way_loses_that_breaks_at_a_drawn_byte_is_no_clean_end(tmp_path: Path, keys: Path, way: str) -> None:
    """A part of the way ends in order, or a connection between two parts is reset, while both processes go on."""

    async def talk() -> None:
        async with placed_by(way, tmp_path, keys) as place:
            counts = await draw(way, place, broken=True)
            assert counts["reset"] > DRAWS // 10

    asyncio.run(talk())


async def break_at(moment: int, rng: random.Random, place: Place) -> None:
    """Wait until a transfer has come so far, and break its way."""
    while True:
        streams = [carried.stream for helper in place.helpers.values() for carried in helper._carried]
        if streams and sum(max(stream.sent, stream.delivered) for stream in streams) >= moment:
            break_one(rng, place)
            return
        await asyncio.sleep(0)


def break_one(rng: random.Random, place: Place) -> None:
    """End one of the tasks that pass data on just now, or one of their connections."""
    parts: list[FrontalServer | Helper] = [*place.frontals.values(), *place.helpers.values()]
    tasks = [task for part in parts for task in part._gate._tasks._running if {"pipe", "carry"} & _stack(task)]
    links: list[Connection] = [carried.stream._link for helper in place.helpers.values() for carried in helper._carried]
    for part in parts:
        if isinstance(part, FrontalServer):
            links += [link for task, link in part._gate._admitted.items() if task in tasks]
    breaks: list[Callable[[], object]] = [*(task.cancel for task in tasks), *(link.abort for link in links)]
    if breaks:
        rng.choice(breaks)()


def _stack(task: asyncio.Task[None]) -> set[str]:
    """Names of the functions that a task is in."""
    names = set[str]()
    awaited: Awaitable[object] | None = task.get_coro()  # type: ignore[assignment]
    while awaited is not None and hasattr(awaited, "cr_code"):
        names.add(awaited.cr_code.co_name)
        awaited = awaited.cr_await  # type: ignore[attr-defined]
    return names
