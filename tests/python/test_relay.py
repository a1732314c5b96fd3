# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay` on this machine's loopback: keys, settings, the protocol and its limits. Sites are test_relay_sites.py's."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import resource
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from harness import Sandbox, free_port
from orrery.errors import InputError, OrreryError
from orrery.relay import local
from orrery.relay.ending import JOB as JOB_VARIABLE
from orrery.relay.frontal import FrontalServer
from orrery.relay.helper import GoneError, Helper
from orrery.relay.keys import list_keys, make_keys
from orrery.relay.layer import layer
from orrery.relay.secure import Identity, Name
from orrery.relay.settings import End, RelayLimits, read_settings
from orrery.relay.wire import Connection, ExpectedConnections, Refusal, Route, dial, parse_line, refusal
from relays import JOB, A, B, Place, echo, placed, settings, turns_until

# ---- keys ----


def test_each_site_gets_two_keys_that_nobody_else_may_read(tmp_path: Path) -> None:
    written = make_keys(tmp_path / "keys", ["lyon", "turin"], 7)
    names = [str(file.relative_to(tmp_path / "keys")) for file in written]
    pairs = [f"{site}/{role}.pem" for site in ("lyon", "turin") for role in ("frontal", "helper")]
    assert names == ["authority.pem", "authority.key", *pairs]
    assert {file.stat().st_mode & 0o777 for file in written if file.name != "authority.pem"} == {0o600}


def test_a_further_site_is_signed_by_the_same_authority(tmp_path: Path) -> None:
    make_keys(tmp_path / "keys", ["lyon"], 7)
    before = (tmp_path / "keys/authority.pem").read_bytes()
    assert [file.parent.name for file in make_keys(tmp_path / "keys", ["delft"], 7)] == ["delft", "delft"]
    assert (tmp_path / "keys/authority.pem").read_bytes() == before
    with pytest.raises(InputError, match=r"--site delft: .*is there; remove it"):
        make_keys(tmp_path / "keys", ["delft"], 7)


@pytest.mark.parametrize("name", ["", "Lyon", "a.b", "-a", "a/b", "..", "x" * 32, "a\n", "a\x1b"])
def test_names_that_are_no_part_of_a_certificate_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="expected small letters"):
        make_keys(tmp_path / "keys", [name], 7)


def test_a_key_that_others_may_read_or_replace_is_refused(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    make_keys(keys, ["a"], 1)
    relay = settings(tmp_path, keys)
    for path, mode, said in (
        (keys / "a/helper.pem", 0o644, "others may read this key; chmod 600"),
        (keys / "authority.pem", 0o666, "authority.pem: others may write it; chmod go-w"),
        (keys / "a", 0o770, "a: others may write it; chmod go-w"),
        (keys, 0o777, "keys: others may write it; chmod go-w"),
    ):
        before = path.stat().st_mode
        path.chmod(mode)
        with pytest.raises(InputError, match=said):
            Identity(relay, Name("helper", "a"))
        path.chmod(before)
    Identity(relay, Name("helper", "a"))
    with pytest.raises(InputError, match=r"b/helper.pem: is not there; `orrery relay keys` makes it"):
        Identity(relay, Name("helper", "b"))


def test_a_relay_toml_that_others_may_write_is_refused(tmp_path: Path, keys: Path) -> None:
    settings(tmp_path, keys)
    (tmp_path / "relay.toml").chmod(0o666)
    with pytest.raises(InputError, match=r"relay.toml: others may write it; chmod go-w"):
        read_settings(tmp_path / "relay.toml")


def test_keys_of_two_commands_at_once_are_of_one_authority(tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool:
        sites = [f"s{number}" for number in range(8)]
        list(pool.map(lambda site: make_keys(tmp_path / "keys", [site], 1), sites))
    authority = x509.load_pem_x509_certificate((tmp_path / "keys/authority.pem").read_bytes())
    for site in sites:
        own = x509.load_pem_x509_certificate((tmp_path / "keys" / site / "helper.pem").read_bytes())
        own.verify_directly_issued_by(authority)
    assert not [file for file in (tmp_path / "keys").iterdir() if file.name.startswith(".")]


def test_what_a_killed_command_left_is_made_whole(tmp_path: Path) -> None:
    """Its certificate was not written yet: it is made of the key that is there."""
    make_keys(tmp_path, ["a"], 1)
    (tmp_path / "authority.pem").unlink()
    make_keys(tmp_path, ["b"], 1)
    authority = x509.load_pem_x509_certificate((tmp_path / "authority.pem").read_bytes())
    for site in ("a", "b"):
        own = x509.load_pem_x509_certificate((tmp_path / site / "helper.pem").read_bytes())
        own.verify_directly_issued_by(authority)


def test_nobody_else_may_write_keys_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        written = make_keys(tmp_path / "keys", ["a"], 1)
    finally:
        os.umask(before)
    assert {file.name: oct(file.stat().st_mode & 0o777) for file in [*written, tmp_path / "keys"]} == {
        "authority.pem": "0o644",
        "authority.key": "0o600",
        "frontal.pem": "0o600",
        "helper.pem": "0o600",
        "keys": "0o700",
    }


def test_a_revoked_key_gets_nothing_and_what_it_had_is_closed(tmp_path: Path, keys: Path) -> None:
    (serial,) = (key.serial for key in list_keys(keys) if key.name == "helper.a")
    (tmp_path / "revoked").write_text("# keys that were lost\n")

    async def talk() -> None:
        relay = settings(tmp_path, keys).model_copy(update={"revoked": str(tmp_path / "revoked")})
        async with placed(relay) as place:
            before = await place.knock()
            await before.say(do="register", job="other", address=A)
            assert (await before.hear(RelayLimits()))["ok"]
            (tmp_path / "revoked").write_text(f"# keys that were lost\n{serial.lower()}  # the one of a's helpers\n")
            place.frontals["a"].renew()
            await asyncio.wait_for(before.ended(), 30)
            after = await place.knock()
            with pytest.raises(OSError, match="it was closed"):
                await after.hear(RelayLimits())
            assert f"the key {serial} of helper.a is revoked" in " ".join(place.said)
            (tmp_path / "revoked").write_text("no number\n")
            place.frontals["a"].renew()
            assert place.said[-1].endswith('line 1: "no number" is no serial number of a key, such as 5F3A09')

    asyncio.run(talk())


# ---- settings ----

_GOOD = """keys = "keys"
[sites.a]
networks = ["10.1.0.0/24"]
policy = "open"
frontal = "192.0.2.1:7443"
[sites.b]
networks = ["10.2.0.0/24"]
policy = "nat"
frontal = "a"
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("10.2.0.0/24", "10.1.0.128/25", "sites: 10.1.0.0/24 of a and 10.1.0.128/25 of b overlap"),
        ("10.2.0.0/24", "fd00::/8", "sites.b.networks: .* only IPv4 is relayed"),
        ('policy = "nat"', 'policy = "closed"', "sites.b.policy"),
        ('policy = "nat"', 'policy = "ports"', 'policy = "ports" and ports = "40000-40100" go together'),
        ('policy = "nat"', 'policy = "nat"\nhelper_ports = "41000-41001"', "nothing reaches a node"),
        ('policy = "open"', 'policy = "open"\nhelper_ports = "80-90"', "no range of ports from 1024"),
        ('frontal = "a"', 'frontal = "aa"', 'sites.b.frontal: "aa" is neither .* did you mean "a"'),
        (
            'frontal = "a"',
            'frontal = "a"\ninside = "10.2.0.9:7443"',
            "sites.b.inside: acts only with a frontal of its own",
        ),
        ('frontal = "a"', 'frontal = "a"\nmethods = ["traversing TCP"]', "traversing TCP.* is not there"),
        ('frontal = "a"', 'frontal = "a"\ntraversable = true', "sites.b: traversable: traversing TCP.* is not there"),
        (
            'frontal = "a"',
            'frontal = "a"\nmethods = ["relays"]',
            'none of direct, reverse, relay, did you mean "relay"',
        ),
        ('frontal = "a"', 'frontal = "a"\nmethods = []', "names no method"),
        ("[sites.b]", "[sites.B]", 'sites: "B" is no name'),
        ('keys = "keys"', "", "keys: is missing"),
        ('frontal = "a"\n', 'frontal = "a"\n[limits]\nconnections = 0', "limits.connections"),
    ],
)
def test_mistakes_in_relay_toml_name_the_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in _GOOD
    (tmp_path / "relay.toml").write_text(_GOOD.replace(old, new))
    with pytest.raises(InputError, match=f"relay.toml: .*{said}"):
        read_settings(tmp_path / "relay.toml")


def test_too_many_networks_are_refused(tmp_path: Path) -> None:
    """256, as many as the connect layer takes (networks_most)."""
    networks = ", ".join(f'"10.2.{number}.0/24"' for number in range(256))
    (tmp_path / "relay.toml").write_text(_GOOD.replace('"10.2.0.0/24"', networks))
    with pytest.raises(InputError, match="sites: name 257 networks in all; 256 at most"):
        read_settings(tmp_path / "relay.toml")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("127.81.2.0/255.255.255.0", "127.81.2.0/24"),
        ("127.81.2.1", "127.81.2.1/32"),
        ("127.81.2.0/24", "127.81.2.0/24"),
    ],
)
def test_processes_learn_networks_in_one_form(tmp_path: Path, keys: Path, *, written: str, read: str) -> None:
    """The connect layer reads ADDRESS/BITS."""

    async def talk() -> None:
        settings(tmp_path, keys)
        text = (tmp_path / "relay.toml").read_text().replace('"127.81.2.0/24"', f'"{written}"')
        (tmp_path / "relay.toml").write_text(text)
        async with placed(read_settings(tmp_path / "relay.toml")) as place:
            answer, sock = await place.ask("a", "hello")
            assert answer == f"hello {len(read)} 0 0"
            assert await asyncio.get_running_loop().sock_recv(sock, 64) == read.encode()

    asyncio.run(talk())


_POLICIES = ("open", "ports", "nat", "outbound")


@pytest.mark.parametrize(("own", "other"), list(product(_POLICIES, _POLICIES)))
def test_each_pair_of_policies_has_its_methods(tmp_path: Path, own: str, other: str) -> None:
    """Closed form: direct reaches open and ports; reverse comes out of NAT to helpers that listen; relay always works."""
    (tmp_path / "relay.toml").write_text(_pair(own, other))
    direct = ["direct"] if other in ("open", "ports") else []
    reverse = ["reverse"] if other == "nat" and own in ("open", "ports") else []
    assert read_settings(tmp_path / "relay.toml").methods("a", "b") == [*direct, *reverse, "relay"]


def test_pairs_says_the_methods_of_each_pair(sandbox: Sandbox) -> None:
    (sandbox.folder / "relay.toml").write_text(_pair("open", "nat"))
    said = sandbox.orrery("relay", "pairs", "--config", "relay.toml").out
    assert said == "a -> b: reverse, relay\nb -> a: direct, relay\n"


def _pair(own: str, other: str) -> str:
    text = _GOOD
    for site, policy in (("a", own), ("b", other)):
        more = 'helper_ports = "41000-41009"\n' if policy in ("open", "ports") else ""
        more += 'ports = "40000-40009"\n' if policy == "ports" else ""
        before = "open" if site == "a" else "nat"
        head, tail = text.split(f"[sites.{site}]")
        text = f"{head}[sites.{site}]\n{more}" + tail.replace(f'policy = "{before}"', f'policy = "{policy}"', 1).lstrip(
            "\n"
        )
    return text


# ---- the protocol ----


@pytest.mark.parametrize(
    ("site", "used"),
    [(("outbound", None), "relayed"), (("nat", None), "reverse"), (("open", ["relay"]), "relayed")],
)
def test_bytes_come_through_unchanged(
    tmp_path: Path, keys: Path, site: tuple[str, list[str] | None], used: str
) -> None:
    data = bytes(range(256)) * 12_000  # 3 MB: more than all buffers hold

    async def talk() -> None:
        policy, methods = site
        more = {} if methods is None else {"methods": methods}
        async with placed(settings(tmp_path, keys, policy, more)) as place:
            end = await place.target(echo)
            answer, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            assert answer.startswith(f"piped {A}:")
            reader, writer = await asyncio.open_connection(sock=sock)
            writer.write(data)
            assert await asyncio.wait_for(reader.readexactly(len(data)), 20) == data
            writer.close()
            await place.helpers["b"].close()
            await asyncio.sleep(0.2)
            assert any(f"1 {used}" in line for line in place.said)

    asyncio.run(talk())


def test_a_way_that_breaks_resets_both_ends_and_says_what_had_passed(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        arrived, reset = asyncio.Event(), asyncio.Event()

        async def receive(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(100_000)
            arrived.set()
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
                return
            reset.set()

        async with placed(settings(tmp_path, keys, patience=10)) as place:
            end = await place.target(receive)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            reader, writer = await asyncio.open_connection(sock=sock)
            writer.write(bytes(100_000))
            await arrived.wait()
            await place.frontals["b"].close()
            with pytest.raises(ConnectionResetError):
                await reader.read()
            await reset.wait()
            assert any(
                "is reset: the way to the other site is gone, after 100,000 bytes to" in line for line in place.said
            )

    asyncio.run(talk())


def test_a_process_that_resets_resets_the_other(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:

            async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readexactly(1)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.close()

            end = await place.target(leave)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            reader, writer = await asyncio.open_connection(sock=sock)
            writer.write(b"x")
            with pytest.raises(ConnectionResetError):
                await reader.read()
            assert not any("is reset" in line for line in place.said)  # it is the program's own doing

    asyncio.run(talk())


def test_a_process_that_ends_before_the_last_bytes_arrive_is_no_loss_of_the_way(tmp_path: Path, keys: Path) -> None:
    """As at the end of many MPI programs: one has closed its socket, then the last message of the other comes, and its end."""

    async def leave(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            _, sock = await place.ask("a", f"connect {await place.target(leave)} 0.0.0.0:0")
            reader, writer = await asyncio.open_connection(sock=sock)
            assert await reader.read() == b""
            writer.write(b"the last message")
            writer.write_eof()
            await turns_until(lambda: not any(helper._carried for helper in place.helpers.values()))
            writer.close()
            assert [helper.cut for helper in place.helpers.values()] == [0, 0]
            assert not any("is reset" in line for line in place.said)

    asyncio.run(talk())


def test_who_waits_in_accept_learns_who_calls(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            found: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def tell(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                source = End(*writer.get_extra_info("peername"))
                assert source.host == local.SOURCE
                found.set_result((await place.ask("b", f"peer {source}"))[0])

            end = await place.target(tell)
            answer, _ = await place.ask("a", f"connect {end} 0.0.0.0:4711")
            assert answer == f"piped {A}:4711"
            assert await found == f"peer {A}:4711"
            assert (await place.ask("b", "peer 127.0.0.1:4711"))[0] == "none"

    asyncio.run(talk())


def test_a_sender_waits_for_who_does_not_read(tmp_path: Path, keys: Path) -> None:
    """Four hops with 256 KiB for each direction, and the buffers of sockets: far below 64 MiB."""

    async def sleep(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            end = await place.target(sleep)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            sent, quiet = 0, 0
            while quiet < 10:
                try:
                    sent += sock.send(bytes(65536))
                    quiet = 0
                except BlockingIOError:
                    quiet += 1
                await asyncio.sleep(0.02 if quiet else 0)
                assert sent < 64 << 20
            assert sent > 1 << 20

    asyncio.run(talk())


@pytest.mark.parametrize("port", [1, 22])
def test_low_ports_are_closed(tmp_path: Path, keys: Path, port: int) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            answer, _ = await place.ask("a", f"connect {B}:{port} 0.0.0.0:0")
            assert answer == "error 113"  # EHOSTUNREACH
            assert any("ports below 1024 are closed" in line for line in place.said)

    asyncio.run(talk())


def test_a_service_that_is_none_of_the_job_s_is_not_reached(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            end = await place.target(echo, of_the_job=False)
            assert (await place.ask("a", f"connect {end} 0.0.0.0:0"))[0] == "error 111"  # ECONNREFUSED
            await place.ask("b", f"listen {end.port} 4711")  # what listened there before was another socket
            assert (await place.ask("a", f"connect {end} 0.0.0.0:0"))[0] == "error 111"

    asyncio.run(talk())


def test_the_layer_says_where_processes_listen(tmp_path: Path, keys: Path) -> None:
    """A preloaded process of site b that listens is reached from site a."""
    program = """
import socket
with socket.create_server(("127.81.2.1", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    listening.accept()[0].sendall(b"reached")
"""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                program,
                env={**os.environ, "LD_PRELOAD": str(layer("cc", str)), JOB_VARIABLE: f"{JOB}-b"},
                stdout=asyncio.subprocess.PIPE,
            )
            assert process.stdout is not None
            port = int(await process.stdout.readline())
            answer, sock = await place.ask("a", f"connect {B}:{port} 0.0.0.0:0")
            assert answer.startswith("piped ")
            reader, writer = await asyncio.open_connection(sock=sock)
            assert await reader.read() == b"reached"
            writer.close()
            assert await process.wait() == 0

    asyncio.run(talk())


def test_a_port_where_nobody_listens_refuses_as_it_would_directly(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            answer, _ = await place.ask("a", f"connect {B}:{free_port()} 0.0.0.0:0")
            assert answer == "error 111"  # ECONNREFUSED

    asyncio.run(talk())


@pytest.mark.parametrize("policy", ["outbound", "nat"])
def test_many_connections_at_once_wait_for_their_turn(tmp_path: Path, keys: Path, policy: str) -> None:
    """More than may be without a proven key at a time: unproven = 8, two of one address. All sites share one core here."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, policy, patience=10)) as place:
            end = await place.target(echo)
            asked = await asyncio.gather(*(place.ask("a", f"connect {end} 0.0.0.0:0") for _ in range(15)))
            assert [answer.split(" ")[0] for answer, _ in asked] == ["piped"] * 15
            assert not any("limits.unproven" in line for line in place.said)

    asyncio.run(talk())


def test_a_connection_that_comes_too_late_is_closed(
    tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper that was asked connects, then its frontal's answer is lost."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, "nat")) as place:
            closed = asyncio.Event()

            async def wait(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
                with contextlib.suppress(ConnectionResetError):
                    await reader.read()
                closed.set()

            real = Helper._ask

            async def lost(helper: Helper, connection: Connection, request: Route) -> Any:
                asked = await real(helper, connection, request)
                if request.do == "reverse":
                    asked[0].abort()
                    raise Refusal("it was lost")
                return asked

            monkeypatch.setattr(Helper, "_ask", lost)
            end = await place.target(wait)
            answer, _ = await place.ask("a", f"connect {end} 0.0.0.0:0")
            assert answer.startswith("piped ")  # by the relay, which is the next way
            await asyncio.wait_for(closed.wait(), 5)

    asyncio.run(talk())


def test_a_target_is_left_when_the_caller_has_gone(tmp_path: Path, keys: Path) -> None:
    """A caller whose site has the same frontal, so that none is between, goes before it is answered."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            closed = asyncio.Event()

            async def wait(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
                with contextlib.suppress(ConnectionResetError):
                    await reader.read()
                closed.set()

            end = await place.target(wait)
            caller = await place.knock(site="b", to=Name("frontal", "b"))
            await caller.say(do="open", job=JOB, to=str(end), **{"from": f"{B}:1"})
            caller.close()
            await asyncio.wait_for(closed.wait(), 5)

    asyncio.run(talk())


def test_a_helper_without_a_free_descriptor_lets_requests_wait(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            with one_descriptor():  # which the request itself takes
                asked = asyncio.create_task(place.ask("a", "hello"))
                await asyncio.sleep(0.2)
                assert not asked.done()
            assert (await asyncio.wait_for(asked, 5))[0].startswith("hello ")

    asyncio.run(talk())


@contextlib.contextmanager
def one_descriptor() -> Iterator[None]:
    """This process may open one file or socket more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest_free = os.dup(0)
    os.close(lowest_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free + 1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_that_is_one_too_many_is_told_of_in_the_log(tmp_path: Path, keys: Path) -> None:
    """connections = 40."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            for _ in range(50):
                await place.process("a")
            await asyncio.sleep(0.1)
            assert "a process of this node gets no connection: limits.connections allows 40 at a time" in place.said

    asyncio.run(talk())


def test_a_job_whose_name_is_too_long_is_refused(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        helper = Helper(settings(tmp_path, keys), ("a", A), "j" * 200, print)
        try:
            with pytest.raises(OrreryError, match="cannot make a local socket: AF_UNIX path too long"):
                await helper.start()
        finally:
            await helper.close()

    asyncio.run(talk())


# ---- the connect layer ----

_CALLER = """
import errno, fcntl, os, socket, sys
sock = socket.socket()
sock.setblocking(len(sys.argv) < 4)
sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
code = sock.connect_ex(("127.81.2.1", int(sys.argv[1])))
assert code == int(sys.argv[2]), (code, os.strerror(code))
if code == 0:
    assert bool(fcntl.fcntl(sock, fcntl.F_GETFL) & os.O_NONBLOCK) == (len(sys.argv) >= 4)
    sock.setblocking(True)
    assert sock.getpeername() == ("127.81.2.1", int(sys.argv[1]))
    assert sock.getsockname()[0] == "127.81.1.1"
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    assert sock.connect_ex(sock.getpeername()) == errno.EISCONN
    sock.sendall(bytes(range(256)) * 4000)
    got = b""
    while len(got) < 1024000:
        got += sock.recv(65536)
    assert got == bytes(range(256)) * 4000
    print(*sock.dup().getsockname())
"""
_LISTENER = """
import socket
import sys
listening = socket.create_server(("127.81.2.1", 0))
print(listening.getsockname()[1], flush=True)
sock, address = listening.accept()
assert address == sock.getpeername()
got = b""
while len(got) < 1024000:
    got += sock.recv(65536)
sock.sendall(got)
print(*address)
"""


async def program(site: str, text: str, *words: str) -> asyncio.subprocess.Process:
    """A process of Python with the connect layer."""
    library = layer("cc", print)
    environment = {**os.environ, "LD_PRELOAD": str(library), JOB_VARIABLE: f"{JOB}-{site}"}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", text, *words, env=environment, stdout=pipe, stderr=pipe
    )


@pytest.mark.parametrize("non_blocking", [[], ["non-blocking"]])
def test_preloaded_programs_see_a_connection_as_if_it_were_direct(
    tmp_path: Path, keys: Path, non_blocking: list[str]
) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)):
            listener = await program("b", _LISTENER)
            assert listener.stdout is not None
            port = (await listener.stdout.readline()).decode().strip()
            caller = await program("a", _CALLER, port, "0", *non_blocking)
            called, said = await asyncio.wait_for(caller.communicate(), 20)
            assert (caller.returncode, said) == (0, b"")
            answered, said = await asyncio.wait_for(listener.communicate(), 20)
            assert (listener.returncode, said) == (0, b"")
            assert called == answered  # each end knows the caller by the same address and port

    asyncio.run(talk())


def test_a_preloaded_program_gets_the_error_of_the_target(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)):
            caller = await program("a", _CALLER, str(free_port()), "111")  # ECONNREFUSED
            _, said = await asyncio.wait_for(caller.communicate(), 20)
            assert (caller.returncode, said) == (0, b"")

    asyncio.run(talk())


def test_without_a_helper_the_layer_says_so_and_steps_aside() -> None:
    async def talk() -> None:
        caller = await program("nowhere", _CALLER, str(free_port()), "111")
        _, said = await asyncio.wait_for(caller.communicate(), 20)
        assert caller.returncode == 0
        assert b"this node has no helper of the job" in said

    asyncio.run(talk())


# ---- who is refused ----

Knock = Callable[[Place], Awaitable[None]]


def refused(tmp_path: Path, keys: Path, knock: Knock) -> list[str]:
    """What the frontals log of somebody who knocks."""

    async def talk() -> list[str]:
        async with placed(settings(tmp_path, keys)) as place:
            place.said.clear()
            await knock(place)
            await asyncio.sleep(0.1)
            return list(place.said)

    return asyncio.run(talk())


def test_a_key_of_another_authority_gets_nothing(tmp_path: Path, keys: Path) -> None:
    make_keys(tmp_path / "other", ["a"], 1)

    async def knock(place: Place) -> None:
        # The stranger trusts our authority, so that it is the frontal that refuses.
        (tmp_path / "other/authority.pem").write_bytes((keys / "authority.pem").read_bytes())
        with contextlib.suppress(Refusal):
            connection = await place.knock(keys=tmp_path / "other")
            with pytest.raises(OSError, match=r"."):
                await connection.hear(RelayLimits())

    said = refused(tmp_path, keys, knock)
    assert len(said) == 1
    assert "refused 127.0.0.1:" in said[0]
    assert "certificate" in said[0] or "verify" in said[0] or "unknown" in said[0].lower()


def test_a_frontal_that_proves_to_be_another_is_not_told_anything(tmp_path: Path, keys: Path) -> None:
    async def knock(place: Place) -> None:
        identity = Identity(place.relay, Name("helper", "a"))
        with pytest.raises(Refusal, match=r"does not prove to be frontal\.b"):
            await dial(identity, End.parse(place.relay.sites["a"].frontal), Name("frontal", "b"), place.relay.limits)

    refused(tmp_path, keys, knock)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"GET / HTTP/1.0\n", "a line is no JSON"),
        (b"[1, 2]\n", "a line is no request"),
        (b'{"do": {"do": 1}}\n', "a line is no request"),
        (b'{"do": "\\u001b[2Jopen"}\n', "a line is no request"),
        (b'{"do": "open", "to": "\\u009b2J:1"}\n', "a line is no request"),
        (b'{"do\\nrefused": "open"}\n', "a line is no request"),
        (b'{"do": "watch"}\n', "is no frontal"),
        (b'{"do": "register", "job": "j", "address": "127.81.1.9/../../x"}\n', "at: "),
        (
            b'{"do": "open", "to": "127.81.2.1:5000", "from": "127.81.1.1:1", "job": "j", "self": 1}\n',
            "no helper of this",
        ),
        (b"[" * 4000 + b"\n", "a line is no JSON"),
        (b'{"do": "' + b"x" * 5000 + b'"}\n', "a line is too long"),
        (b"x" * 400_000, "a line is too long"),
        (b"{}\n", "do: is missing"),
        (b'{"do": "shell"}\n', 'there is no request "shell"'),
        (b'{"do": "attach", "key": "00"}\n', "nobody waits for this connection"),
        (b'{"do": "open", "to": "10.9.9.9:99999", "from": "127.81.1.1:1", "job": "j"}\n', "to: "),
        (b'{"do": "open", "to": "10.9.9.9:5000", "from": "127.81.1.1:1", "job": "j"}\n', "is in no network of a site"),
        (b'{"do": "open", "to": "127.81.2.1:5000", "from": "127.81.2.7:1", "job": "j"}\n', "which is none of its own"),
        (b'{"do": "open", "to": "127.81.2.1:5000", "from": "127.81.1.1:1", "job": "j"}\n', "no helper of this job"),
        (b'{"do": "register", "job": "j", "address": "127.81.2.1"}\n', "is in no network of site a"),
        (b"", "it does not say what it wants"),
    ],
)
def test_what_is_no_request_is_refused_with_a_reason(tmp_path: Path, keys: Path, line: bytes, why: str) -> None:
    async def knock(place: Place) -> None:
        connection = await place.knock()
        with contextlib.suppress(OSError):
            connection.write(line)
            answer = await connection.hear(RelayLimits(), 5)
            assert why in answer.get("refused", why)
        connection.close()

    said = refused(tmp_path, keys, knock)
    assert any(why in text for text in said)
    assert all(text.isprintable() for text in said)


def test_a_helper_registers_only_with_its_own_frontal(tmp_path: Path, keys: Path) -> None:
    async def knock(place: Place) -> None:
        connection = await place.knock(site="b")
        await connection.say(do="register", job="j", address=B)
        assert "is no helper of a site that this frontal serves" in (await connection.hear(RelayLimits()))["refused"]

    assert refused(tmp_path, keys, knock)


@pytest.mark.parametrize(
    ("who", "more", "why"),
    [
        (("helper", "a"), {}, "is no helper of another site"),
        (("frontal", "b"), {}, "is no helper of another site"),
        (("helper", "b"), {"job": "j"}, "nobody waits for this connection"),
        (("helper", "b"), {"do": "attach", "key": "00"}, "nobody waits for this connection"),
        (("helper", "b"), {"do": "register"}, "nobody waits for this connection"),
        (("helper", "b"), {"from": f"{A}:1"}, f"speaks for {A}:1, which is none of its own"),
        (("helper", "b"), {"from": "10.9.9.9:1"}, "speaks for 10.9.9.9:1, which is none of its own"),
        (("helper", "b"), {"to": "127.81.1.2:5000"}, f"127.81.1.2:5000 is not of this node, {A}"),
        (("helper", "b"), {"to": "127.0.0.1:5000"}, f"127.0.0.1:5000 is not of this node, {A}"),
        (("helper", "b"), {"to": f"{A}:22"}, "ports below 1024 are closed"),
    ],
)
def test_a_helper_lets_in_no_more_than_its_job_needs(
    tmp_path: Path, keys: Path, *, who: tuple[str, str], more: dict[str, str], why: str
) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            connection = await place.knock(*who, Name("helper", "a"))
            await connection.say(**{"do": "open", "job": JOB, "to": f"{A}:5000", "from": f"{B}:1", **more})
            assert why in (await connection.hear(RelayLimits()))["refused"]
            assert any(why in text for text in place.said)

    asyncio.run(talk())


@pytest.mark.parametrize("code", [10**300, -1, 0, "111", None])
def test_an_error_that_the_system_does_not_know_counts_as_none(code: object) -> None:
    assert refusal({"refused": "why", "code": code}).code == 0


def test_what_a_frontal_says_wrongly_does_not_stop_a_helper(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            control = place.frontals["a"]._helpers[JOB, A].connection
            await control.say(gone=["b"])
            await control.say(do=["open"])
            await control.say(gone="b")
            with pytest.raises(GoneError, match="the relay of site b"):
                await asyncio.wait_for(place.helpers["a"].gone, 5)

    asyncio.run(talk())


def test_who_proves_nothing_in_time_is_closed(tmp_path: Path, keys: Path) -> None:
    async def knock(place: Place) -> None:
        ((reader, _),) = await place.strangers(1)
        begin = asyncio.get_running_loop().time()
        with contextlib.suppress(ConnectionResetError):
            assert await asyncio.wait_for(reader.read(), 10) == b""
        assert asyncio.get_running_loop().time() - begin < 5  # patience_s is 1

    assert refused(tmp_path, keys, knock)


def test_a_flood_without_keys_leaves_the_job_alone(tmp_path: Path, keys: Path) -> None:
    """unproven = 8, two of one address: the oldest give way, and only 20 lines are written of it. Own calls have other places."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            end = await place.target(echo)
            _, sock = await place.ask("a", f"connect {end} 0.0.0.0:0")
            flood = [
                stranger for number in range(50) for stranger in await place.strangers(4, f"127.90.0.{number + 1}")
            ]
            answer, _ = await place.ask("a", f"connect {end} 0.0.0.0:0")
            assert answer.startswith("piped ")
            assert sum([await _is_closed(reader) for reader, _ in flood]) >= len(flood) - 8
            assert 1 <= sum("limits.unproven" in line for line in place.said) <= 20
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(sock, b"still there")
            assert await asyncio.wait_for(loop.sock_recv(sock, 64), 60) == b"still there"

    asyncio.run(talk())


@pytest.mark.parametrize("words", [b"", b"GET / HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"])
def test_a_call_of_the_job_overtakes_a_flood(tmp_path: Path, keys: Path, words: bytes) -> None:
    """1,000 connections from 200 addresses are there before it, silent, with noise, or with the begin of a handshake.

    By counts, not by a clock: the call is served although none of them has had its time (handshake_s) yet, and while as many are
    open as there are places for.
    """

    async def talk() -> None:
        relay = settings(tmp_path, keys, patience=100)
        relay.limits.handshake_s = 100
        async with placed(relay) as place:
            end = await place.target(echo)
            to = End.parse(relay.sites["a"].frontal)
            for number in range(1000):
                sock = socket.socket()
                place._left.append(sock)
                sock.settimeout(0)
                sock.bind((f"127.90.1.{number % 200 + 1}", 0))
                await asyncio.get_running_loop().sock_connect(sock, (to.host, to.port))
                if words:
                    sock.send(words)
            answer, _ = await place.ask("a", f"connect {end} 0.0.0.0:0")
            assert answer.startswith("piped ")
            strangers = place.frontals["a"]._gate._unproven._places[False]
            assert len(strangers) == (0 if words[:1] == b"G" else 8)
            assert not any("in 100 s" in line for line in place.said)

    asyncio.run(talk())


def test_a_connection_that_speaks_outlives_those_that_are_silent(tmp_path: Path, keys: Path) -> None:
    """unproven = 8, two of one address: a stranger that has begun to speak is not the first to go, though it is the oldest."""

    async def talk() -> None:
        relay = settings(tmp_path, keys)
        relay.limits.handshake_s = 100
        async with placed(relay) as place:
            ((reader, writer),) = await place.strangers(1, "127.90.0.1")
            writer.write(b"\x16\x03\x01\x02\x00\x01")
            places = place.frontals["a"]._gate._unproven._places[False]
            await turns_until(lambda: places.speaking)
            silent = [
                stranger for number in range(20) for stranger in await place.strangers(1, f"127.90.1.{number + 1}")
            ]
            for silent_reader, _ in silent[:-7]:
                assert await _end_of(silent_reader) == b""
            assert [str(caller) for caller in places.speaking] == [f"127.90.0.1:{writer.get_extra_info('sockname')[1]}"]
            assert not reader.at_eof()

    asyncio.run(talk())


async def _end_of(reader: asyncio.StreamReader) -> bytes:
    """What comes until it is closed, in whatever way."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def _is_closed(reader: asyncio.StreamReader) -> bool:
    try:
        return await asyncio.wait_for(reader.read(), 0.02) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def test_a_line_that_would_grow_costs_its_sender_alone(tmp_path: Path, keys: Path) -> None:
    """Characters that take 6 bytes where they are handed on: what was within a line would be none for the other site."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, "nat")) as place:
            for key, contact in (("k", "\u00e9" * 600), ("\u00e9" * 100, f"{A}:4711"), ("k", f"{A}:4711 ")):
                caller = await place.knock(site="a", to=Name("frontal", "a"))
                words = {
                    "do": "reverse",
                    "job": JOB,
                    "to": f"{B}:4711",
                    "from": f"{A}:1",
                    "contact": contact,
                    "key": key,
                }
                caller.write(json.dumps(words, ensure_ascii=False).encode() + b"\n")
                assert "refused" in await caller.hear(RelayLimits())
            assert not any(helper.gone.done() for helper in place.helpers.values())
            assert (await place.ask("a", f"connect {await place.target(echo)} 0.0.0.0:0"))[0].startswith("piped ")

    asyncio.run(talk())


_FIELDS = (
    "do",
    "job",
    "to",
    "from",
    "contact",
    "key",
    "address",
    "refused",
    "code",
    "ok",
    "ping",
    "gone",
    "ended",
    "end",
    "failed",
    "cut",
    "leave",
    "pong",
)
_DOINGS = ("open", "reverse", "lookup", "register", "attach", "watch", "enlist", "shell", "")


def drawn_line(rng: random.Random) -> bytes:
    """A line that is a request with something wrong in it: a field, its type or length, an end, or the text itself."""
    ends = [f"{A}:4711", f"{B}:4711", "10.9.9.9:1", f"{B}:99999", "::1", f"{A}:\u0664", f"{A}:22"]
    words: list[Any] = [
        "",
        "x" * rng.randrange(200),
        "\u00e9" * rng.randrange(700),
        "\x1b[2J",
        "\u202e",
        "\n",
        "\0",
        "a b",
        JOB,
    ]
    odd: list[Any] = [None, True, -1, 10 ** rng.randrange(400), 1e308, [], ["x"], [["x"]], {"do": "open"}]
    message: dict[str, Any] = {
        "do": rng.choice(_DOINGS), "job": JOB, "to": rng.choice(ends), "from": rng.choice(ends),
        "contact": rng.choice(ends), "key": "00" * rng.randrange(70), "address": A,
    }  # fmt: skip
    for _ in range(rng.randrange(1, 4)):
        message[rng.choice(_FIELDS)] = rng.choice([*ends, *words, *odd])
    for name in rng.sample(sorted(message), rng.randrange(3)):
        del message[name]
    line = bytearray(json.dumps(message, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass"))
    way = rng.randrange(6)
    if way == 0:
        line[rng.randrange(len(line))] = rng.randrange(256)
    elif way == 1:
        del line[rng.randrange(len(line)) :]
    elif way == 2:
        line = bytearray(b"[" * rng.randrange(5000)) + line
    elif way == 3:
        line += b" " * rng.randrange(5000)
    return bytes(line) + b"\n"


LINES = int(os.environ.get("ORRERY_LINES", "150"))
"""Drawn lines in each of the tests below."""


@pytest.mark.parametrize("to", [Name("frontal", "a"), Name("frontal", "b"), Name("helper", "a")], ids=str)
def test_drawn_lines_cost_their_sender_alone_and_the_log_says_who_and_why(tmp_path: Path, keys: Path, to: Name) -> None:
    """By keys of site b, and at its own frontal of a: no helper ends, calls go through, and each refusal names sender and reason."""

    async def talk() -> None:
        rng = random.Random(str(to))  # noqa: S311  no key depends on it
        relay = settings(tmp_path, keys, patience=10)
        async with placed(relay) as place:
            site = "b" if to.role == "helper" else "a"
            before = len(place.said)
            for _ in range(LINES):
                place.frontals["a"]._log._begin = place.helpers["a"]._log._begin = -100.0  # so that each is written
                caller = await place.knock(
                    rng.choice(["helper", "frontal"]) if to.role == "frontal" else "helper", site, to
                )
                caller.write(drawn_line(rng))
                caller.write(drawn_line(rng))
                with contextlib.suppress(OSError, Refusal):
                    await caller.hear(RelayLimits(), 0.5)
                caller.abort()
            assert not any(helper.gone.done() for helper in place.helpers.values())
            assert (await place.ask("a", f"connect {await place.target(echo)} 0.0.0.0:0"))[0].startswith("piped ")
            refusals = [line for line in place.said[before:] if line.startswith("refused ")]
            assert len(refusals) > LINES // 10
            assert all(re.fullmatch(r"refused (\d+ more|\S+( at \S+)?: \S.*)", line) for line in refusals), refusals
            assert all(line.isprintable() for line in place.said)

    asyncio.run(talk())


def test_drawn_lines_of_a_frontal_do_not_end_its_helpers(tmp_path: Path, keys: Path) -> None:
    """A frontal may be taken over, too; one that is not gone says wrong things to its helpers, and they go on."""

    async def talk() -> None:
        rng = random.Random(7)  # noqa: S311
        async with placed(settings(tmp_path, keys, patience=10)) as place:
            control = place.frontals["b"]._helpers[JOB, B].connection
            for _ in range(LINES):
                line = drawn_line(rng)
                if len(line) < 4096 and b'"gone": "' not in line:
                    control.write(line)
            assert (await place.ask("a", f"connect {await place.target(echo)} 0.0.0.0:0"))[0].startswith("piped ")
            assert not place.helpers["b"].gone.done()

    asyncio.run(talk())


def test_who_waits_for_a_helper_that_does_not_read_waits_as_long_as_the_limit_says() -> None:
    async def talk() -> None:
        expected = ExpectedConnections[Connection](RelayLimits(patience_s=0.05, unproven=1))

        async def stuck() -> None:
            await asyncio.Event().wait()

        asked = [asyncio.create_task(expected.get(str(number), "n1", stuck)) for number in range(3)]
        for task in asked:
            with pytest.raises(Refusal, match="the helper of n1 does not answer in time"):
                await task

    asyncio.run(talk())


def test_a_helper_that_does_not_read_keeps_no_news_from_the_others(tmp_path: Path, keys: Path) -> None:
    """That a relay is gone, which ends the job. The one that does not read has registered before."""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys, patience=100)) as place:
            other = await place.knock()
            await other.say(do="register", job=JOB, address="127.81.1.9")
            assert (await other.hear(RelayLimits()))["ok"]
            frontal = place.frontals["a"]
            frontal._helpers[JOB, "127.81.1.9"].connection.full = True
            frontal._helpers[JOB, A] = frontal._helpers.pop((JOB, A))  # behind it
            frontal._jobs[JOB].through.add("b")
            telling = asyncio.create_task(frontal._tell("b"))
            with pytest.raises(GoneError, match="the relay of site b"):
                await place.helpers["a"].gone
            telling.cancel()

    asyncio.run(talk())


def test_more_connections_than_allowed_are_closed(tmp_path: Path, keys: Path) -> None:
    """connections = 40, of which a site may have half; the helper's control connection is one."""

    async def knock(place: Place) -> None:
        open_ones = []
        for number in range(60):
            connection = await place.knock()
            await connection.say(do="register", job=f"job-{number}", address=A)
            if "refused" in await connection.hear(RelayLimits()):
                break
            open_ones.append(connection)
        assert len(open_ones) == 19
        for connection in open_ones:
            connection.abort()

    said = refused(tmp_path, keys, knock)
    assert any("site a has 20 connections open here, its share of limits.connections" in text for text in said)


_NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_processes_of_other_users_get_no_help(tmp_path: Path, keys: Path) -> None:
    text = f"""
import os, socket
os.setuid({_NOBODY})
sock = socket.socket(socket.AF_UNIX)
sock.connect("\\0orrery-relay-{JOB}-a")
try:
    sock.sendall(b"hello".ljust(64, b"\\0"))
    print(len(sock.recv(64)))
except OSError:
    print(0)
"""

    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            assert (await place.ask("a", "hello"))[0].startswith("hello ")
            other = await asyncio.create_subprocess_exec(sys.executable, "-c", text, stdout=asyncio.subprocess.PIPE)
            out, _ = await asyncio.wait_for(other.communicate(), 20)
            assert out.strip() == b"0"

    asyncio.run(talk())


def test_lines_are_objects_of_plain_values() -> None:
    assert parse_line(b'{"a": 1, "b": "x", "c": null, "d": ["y"]}\n') == {"a": 1, "b": "x", "c": None, "d": ["y"]}


# ---- the end ----


def test_a_relay_that_is_killed_is_named(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        async with placed(settings(tmp_path, keys)) as place:
            await place.frontals["a"].close()
            with pytest.raises(
                GoneError,
                match=r"the relay of site a \(127.0.0.1:\d+, serves a\) is gone: .*; sites a and b do not reach",
            ):
                await asyncio.wait_for(place.helpers["a"].gone, 5)
            assert not place.helpers["b"].gone.done()

    asyncio.run(talk())


def test_a_relay_that_says_nothing_counts_as_gone(tmp_path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*_: Any) -> None:
        await asyncio.sleep(60)

    async def talk() -> None:
        monkeypatch.setattr(FrontalServer, "_listen_to", silent)
        async with placed(settings(tmp_path, keys, silence=3)) as place:
            with pytest.raises(GoneError, match="no sign for 3 s"):
                await asyncio.wait_for(place.helpers["a"].gone, 10)

    asyncio.run(talk())


def test_without_a_relay_no_job_starts(tmp_path: Path, keys: Path) -> None:
    async def talk() -> None:
        helper = Helper(settings(tmp_path, keys), ("a", A), JOB, print)
        try:
            with pytest.raises(
                OrreryError, match=r"the relay of site a .* does not take this node: .*Connection refused"
            ):
                await helper.start()
        finally:
            await helper.close()

    asyncio.run(talk())
