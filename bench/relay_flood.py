#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a flood of strangers costs a job's own calls over a relay, on this machine's loopback.

Two sites with a frontal each (`orrery relay serve`) and a helper each. A process of site a connects to one of site b through both
frontals, gets a byte back, and closes; again and again, without a flood and during one. A flood is kept up by a process of its
own: so many connections from so many addresses to each frontal, and those that the frontal closes are made again. They say nothing
(`silent`), bytes that are no TLS (`noise`), or the begin of a handshake (`hello`).

    bench/relay_flood.py                                        # 5,000 connections from 200 addresses, all kinds
    bench/relay_flood.py --kind silent --calls 200 --once       # connections that are closed are not made again
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import ssl
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from orrery.relay.settings import Relay, read_settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "python"))
from relays import B, ask, loopback_sites, serve, start_helper, tell_of, write_relay

KINDS = ("silent", "noise", "hello")
BAR_S = 1.0
"""What the longest own call may take."""


# ---- the flood, in a process of its own ----


def first_words(kind: str) -> bytes:
    """What a stranger says as soon as it is connected."""
    if kind == "hello":
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        hello = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(incoming, outgoing, server_hostname="frontal.a")
        with contextlib.suppress(ssl.SSLWantReadError):
            hello.do_handshake()
        return outgoing.read()
    return b"GET / HTTP/1.0\r\n\r\n" if kind == "noise" else b""


class Stranger(asyncio.Protocol):
    """One connection of the flood."""

    def __init__(self, words: bytes) -> None:
        self.closed = asyncio.get_running_loop().create_future()
        self._words = words

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say what it says."""
        cast(asyncio.Transport, transport).write(self._words)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  as asyncio calls it
        """The frontal has closed it."""
        if not self.closed.done():
            self.closed.set_result(None)


async def flood(ports: list[int], kind: str, connections: int, addresses: int, *, once: bool) -> None:
    """Connections to all ports, until this process is ended. Prints a line when all were made once."""
    words = first_words(kind)
    made = 0

    async def keep(number: int) -> None:
        nonlocal made
        host = f"127.90.{number % addresses // 250}.{number % addresses % 250 + 1}"
        while True:
            with contextlib.suppress(OSError):
                _, stranger = await asyncio.get_running_loop().create_connection(
                    lambda: Stranger(words), "127.0.0.1", ports[number % len(ports)], local_addr=(host, 0)
                )
                made += 1
                if made == connections * len(ports):
                    print("made", flush=True)
                if once:
                    return
                await stranger.closed
            await asyncio.sleep(0.01)

    await asyncio.gather(*(keep(number) for number in range(connections * len(ports))))
    await asyncio.Event().wait()


# ---- the job ----


@contextlib.contextmanager
def frontals(folder: Path) -> Iterator[Relay]:
    """Both, each a process of its own."""
    closed = {"policy": "outbound"}
    file = write_relay(folder, loopback_sites(closed, closed))
    with contextlib.ExitStack() as stack:
        for site in "ab":
            process = stack.enter_context(serve(file, site, folder / f"{site}.log"))
            stack.callback(process.terminate)
        yield read_settings(file)


@contextlib.asynccontextmanager
async def helpers(relay: Relay) -> AsyncIterator[None]:
    """Start the helpers of both sites here."""
    async with contextlib.AsyncExitStack() as stack:
        for site in "ab":
            helper = await start_helper(relay, site, lambda text: print(text, file=sys.stderr))
            stack.push_async_callback(helper.close)
        yield


async def call_s(port: int) -> float:
    """Seconds of one call from site a to site b."""
    loop = asyncio.get_running_loop()
    begin = time.monotonic()
    answer, sock = await ask("a", f"connect {B}:{port} 0.0.0.0:0")
    with sock:
        if not answer.startswith("piped "):
            raise SystemExit(f"a call was refused: {answer}")
        await loop.sock_sendall(sock, b"x")
        if await loop.sock_recv(sock, 1) != b"x":
            raise SystemExit("a call was cut off")
    return time.monotonic() - begin


async def measure(relay: Relay, options: argparse.Namespace) -> dict[str, list[float]]:
    """Seconds of each call, by what goes on meanwhile."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(64):
                writer.write(piece)
        writer.close()

    async with helpers(relay), await asyncio.start_server(echo, B, 0) as server:
        sock = server.sockets[0]
        port = sock.getsockname()[1]
        await tell_of(sock, "b")
        ports = [site.frontal.rpartition(":")[2] for site in relay.sites.values()]
        found = {"no flood": [await call_s(port) for _ in range(options.calls)]}
        for kind in options.kind:
            words = [kind, str(options.connections), str(options.addresses), str(int(options.once)), *ports]
            process = await asyncio.create_subprocess_exec(
                sys.executable, __file__, "--flood", *words, stdout=asyncio.subprocess.PIPE
            )
            found[kind] = [await call_s(port) for _ in range(options.calls)]  # while the flood begins
            await cast(asyncio.StreamReader, process.stdout).readline()
            found[f"{kind}, later"] = [await call_s(port) for _ in range(options.calls)]
            process.terminate()
            await process.wait()
        return found


def main() -> int:
    """Measure, and give 1 where a call took longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=5000, help="of the flood, to each frontal (5000)")
    parser.add_argument("--addresses", type=int, default=200, help="that they come from (200)")
    parser.add_argument("--calls", type=int, default=50, help="of the job, in each state (50)")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS), help="of floods (all)")
    parser.add_argument("--once", action="store_true", help="connections that are closed are not made again")
    parser.add_argument("--json", action="store_true", help="seconds of each call, as JSON")
    parser.add_argument("--flood", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if options.flood:
        kind, connections, addresses, once, *ports = options.flood
        asyncio.run(flood(list(map(int, ports)), kind, int(connections), int(addresses), once=once == "1"))
        return 0
    with TemporaryDirectory() as folder, frontals(Path(folder)) as relay:
        found = asyncio.run(measure(relay, options))
    if options.json:
        print(json.dumps(found))
        return 0
    print(f"{'flood':16}{'median':>10}{'longest':>10}   of {options.calls} calls, ms")
    for name, times in found.items():
        print(f"{name:16}{statistics.median(times) * 1e3:10.1f}{max(times) * 1e3:10.1f}")
    return int(max(map(max, found.values())) > BAR_S)


if __name__ == "__main__":
    sys.exit(main())
