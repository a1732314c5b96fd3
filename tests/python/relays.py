# SPDX-License-Identifier: BSD-3-Clause
"""Relays on this machine's loopback: relay.toml with keys, frontals, helpers, and what the connect layer asks those.

All sites are in one network namespace here, where a job has one helper; so each site's helper gets a name of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path

from harness import free_port, until
from orrery.relay import local
from orrery.relay.frontal import FrontalServer
from orrery.relay.helper import Helper
from orrery.relay.keys import make_keys
from orrery.relay.secure import Identity, Name
from orrery.relay.settings import End, Relay, read_settings
from orrery.relay.wire import Connection, dial

A, B = "127.81.1.1", "127.81.2.1"
"""The nodes of sites a and b."""
JOB = f"test-{os.getpid()}"
ORRERY = str(Path(sys.executable).with_name("orrery"))
Table = Mapping[str, object]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def write_relay(
    folder: Path, sites: Mapping[str, Table], *, limits: Table | None = None, keys: Path | None = None
) -> Path:
    """Write relay.toml into a folder.

    Args:
        folder: is there.
        sites: their tables.
        limits: the table of this name.
        keys: a folder of keys that is there; None: it is made beside the file.
    """
    if keys is None:
        make_keys(folder / "keys", list(sites), 1)
    lines = [f"keys = {json.dumps(str(keys or 'keys'))}"]
    for name, table in [*((f"sites.{site}", table) for site, table in sites.items()), ("limits", limits or {})]:
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    file = folder / "relay.toml"
    file.write_text("\n".join([*lines, ""]))
    return file


def loopback_sites(a: Table, b: Table) -> dict[str, Table]:
    """The tables of two sites with a node and a frontal each. `a`, `b`: their policies, and what else they have."""
    return {
        site: {"networks": [f"127.81.{number}.0/24"], "frontal": f"127.0.0.1:{free_port()}", **table}
        for number, (site, table) in enumerate({"a": a, "b": b}.items(), 1)
    }


def serve(config: Path, site: str, log: Path, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start the frontal of a site, and wait until it listens. `before`: words in front of its command; `log`: what it says."""
    line = [*before, ORRERY, "relay", "serve", "--config", str(config), "--site", site]
    with log.open("w") as said:
        process = subprocess.Popen(line, stdout=said, stderr=said, text=True, start_new_session=True)
    until(lambda: "listens on" in log.read_text() or process.poll() is not None)
    assert "listens on" in log.read_text(), log.read_text()
    return process


@contextlib.contextmanager
def _named(site: str) -> Iterator[None]:
    """A helper that starts now is that of a site."""
    own = local.place
    local.place = lambda job: _name(job, site)
    try:
        yield
    finally:
        local.place = own


def _name(job: str, site: str) -> str:
    return f"\0orrery-relay-{job}-{site}"


async def start_helper(relay: Relay, site: str, said: Callable[[str], object], started_on: str | None = None) -> Helper:
    """Start the helper of a site's node. `said` gets what it says, `started_on` is that of `Helper.start`."""
    helper = Helper(relay, (site, {"a": A, "b": B}[site]), JOB, said)
    with _named(site):
        assert await helper.start(started_on)
    return helper


async def process(site: str) -> socket.socket:
    """A connection to the helper of a site, as processes of its node have."""
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(0)
    await asyncio.get_running_loop().sock_connect(sock, _name(JOB, site))
    return sock


async def ask(site: str, text: str) -> tuple[str, socket.socket]:
    """Ask the helper of a site as the connect layer does: the answer, and the socket that came with it, or on which was asked."""
    loop, sock = asyncio.get_running_loop(), await process(site)
    await loop.sock_sendall(sock, local.padded(text))
    readable = asyncio.Event()
    loop.add_reader(sock, readable.set)
    await readable.wait()
    loop.remove_reader(sock)
    answer, passed, _, _ = socket.recv_fds(sock, local.TEXT_BYTES, 1)
    if passed:
        sock.close()
        sock = socket.socket(fileno=passed[0])
        sock.settimeout(0)
    return answer.rstrip(b"\0").decode(), sock


async def tell_of(listening: socket.socket, site: str) -> None:
    """Say to the helper of a site that a process of the job listens there."""
    answer, sock = await ask(site, f"listen {listening.getsockname()[1]} {os.fstat(listening.fileno()).st_ino}")
    sock.close()
    assert answer == "ok"


class Place:
    """Frontals and helpers of both sites, in this process."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        self.said: list[str] = []
        self.frontals = {
            site: FrontalServer(relay, site, self.said.append) for site in "ab" if relay.frontal_of(site) == site
        }
        self.helpers: dict[str, Helper] = {}
        self._left: list[socket.socket | asyncio.StreamWriter | asyncio.Server | Connection] = []

    async def start(self, *, enlisted: bool) -> None:
        """`enlisted`: the job was started on the node of a, and the helper of b enlists there."""
        for frontal in self.frontals.values():
            await frontal.start()
        for site, started_on in (("a", None), ("b", A if enlisted else None)):
            self.helpers[site] = await start_helper(self.relay, site, self.said.append, started_on)

    async def close(self) -> None:
        """End all, those first that others would miss last."""
        for left in self._left:
            left.close()
        parts: list[Helper | FrontalServer] = [*reversed(self.helpers.values()), *self.frontals.values()]
        for part in parts:
            await part.close()
        await asyncio.sleep(0.05)  # what was closed is closed in the next turns

    async def knock(
        self,
        role: str = "helper",
        site: str = "a",
        to: Name = Name("frontal", "a"),  # noqa: B008  a value
        keys: Path | None = None,
    ) -> Connection:
        """A connection to a frontal or helper by TLS, with one of the keys."""
        relay = self.relay if keys is None else self.relay.model_copy(update={"keys": str(keys)})
        identity = Identity(relay, Name(role, site))  # type: ignore[arg-type]
        end = End.parse(self.relay.sites[to.site].frontal) if to.role == "frontal" else self.helpers[to.site]._contact
        assert end is not None
        connection = await dial(identity, end, to, self.relay.limits)
        self._left.append(connection)
        return connection

    async def process(self, site: str) -> socket.socket:
        """A connection to the helper of a site, as processes of its node have."""
        sock = await process(site)
        self._left.append(sock)
        return sock

    async def ask(self, site: str, text: str) -> tuple[str, socket.socket]:
        """What `ask` gives; the socket is closed at the end."""
        answer, sock = await ask(site, text)
        self._left.append(sock)
        return answer, sock

    async def target(self, serve: Serve, host: str = B, *, of_the_job: bool = True) -> End:
        """A process of site b that listens, and says so to its helper, as those of the job do."""

        async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._left.append(writer)
            await serve(reader, writer)

        server = await asyncio.start_server(served, host, 0)
        self._left.append(server)
        if of_the_job:
            await tell_of(server.sockets[0], "b")
        return End(*server.sockets[0].getsockname()[:2])

    async def strangers(
        self, number: int, host: str = "127.0.0.1"
    ) -> list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Connections to the frontal of a that prove nothing."""
        to = End.parse(self.relay.sites["a"].frontal)
        found = [await asyncio.open_connection(to.host, to.port, local_addr=(host, 0)) for _ in range(number)]
        self._left += [writer for _, writer in found]
        return found


@contextlib.asynccontextmanager
async def placed(relay: Relay, *, enlisted: bool = False) -> AsyncIterator[Place]:
    """A place, started (`Place.start`) and ended."""
    place = Place(relay)
    try:
        await place.start(enlisted=enlisted)
        yield place
    finally:
        await place.close()


def settings(
    folder: Path,
    keys: Path,
    policy: str = "outbound",
    more: Table | None = None,
    *,
    patience: int = 1,
    silence: int = 30,
) -> Relay:
    """Two sites on loopback. Nothing is between them, so that each method could work, and the one that is named is used.

    Args:
        folder: where relay.toml is written.
        keys: of sites a and b.
        policy: of site b; site a is open.
        more: further keys of site b.
        patience: limits.patience_s.
        silence: limits.silence_s.
    """
    sites = loopback_sites({"policy": "open", "helper_ports": "41100-41199"}, {"policy": policy, **(more or {})})
    limits = {"patience_s": patience, "silence_s": silence, "unproven": 8, "connections": 40}
    return read_settings(write_relay(folder, sites, limits=limits, keys=keys))


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A process that sends back what it gets."""
    while piece := await reader.read(65536):
        writer.write(piece)
        await writer.drain()
    writer.close()


async def turns_until(found: Callable[[], object]) -> None:
    """Let the loop go on until it is so."""
    for _ in range(1_000_000):
        if found():
            return
        await asyncio.sleep(0)
    raise AssertionError
