# SPDX-License-Identifier: BSD-3-Clause
"""Nodes with several sockets: whose memory a message crosses, and which rank is where."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import PLAIN
from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place, places_after
from orrery.platform import core
from orrery.platform.load import load

# Four cores on two sockets; 1 us and 10 GB/s in the memory of each, 2 us and 5 GB/s more from one to the other.
SOCKETS = (
    PLAIN.replace("nodes = 64", "nodes = 8")
    .replace("cores = 1", "cores = 4\nsockets = 2")
    .replace('memory_latency_s = "0s"', 'memory_latency_s = "1us"')
    + 'socket_bandwidth_bytes_per_s = "5GB/s"\nsocket_latency_s = "2us"\n'
)


@pytest.fixture
def sockets(tmp_path: Path) -> str:
    """File of a platform whose nodes have two sockets."""
    path = tmp_path / "sockets.toml"
    path.write_text(SOCKETS, encoding="utf-8")
    return str(path)


def _time(platform: str, mapping: str, ranks: int, algorithm: str) -> float:
    call = Call("bcast", 1_000_000, ranks)
    with Laboratory(platform, None, mapping).open() as laboratory:
        return laboratory.time(call, _core.named_choice(call.core(0), algorithm))


def test_a_message_between_sockets_crosses_both_memories_and_the_link(sockets: str) -> None:
    hardware = core.build(load(sockets).model_dump())
    first, second = hardware.place(3, 0), hardware.place(3, 1)
    assert first == 3
    names = [hardware.links[link].name for link in hardware.route(first, second).links]
    assert names == ["plain-4/memory1", "plain-4/sockets", "plain-4/memory2"]
    assert hardware.route(first, second).latency_s == pytest.approx(3e-6)
    assert [hardware.links[link].name for link in hardware.route(second, second).links] == ["plain-4/memory2"]
    assert hardware.route(second, hardware.place(4, 1)).latency_s == hardware.route(3, 4).latency_s


def test_two_ranks_are_on_one_socket_by_slot_and_on_two_by_socket(sockets: str) -> None:
    # 1 MB at 10 GB/s after 1 us; at 5 GB/s after 3 us.
    assert _time(sockets, "slot", 2, "linear") == pytest.approx(1e-6 + 100e-6)
    assert _time(sockets, "socket", 2, "linear") == pytest.approx(3e-6 + 200e-6)


def test_sockets_do_not_share_memory(sockets: str, tmp_path: Path) -> None:
    # 0 sends to 1 and 2 at once: to its own socket, and to the other. Their common memory of 10 GB/s carries both at 5.
    assert _time(sockets, "slot", 3, "linear") == pytest.approx(3e-6 + 200e-6)
    together = tmp_path / "together.toml"
    together.write_text(SOCKETS[: SOCKETS.index("socket_bandwidth")], encoding="utf-8")
    assert _time(str(together), "slot", 3, "linear") == pytest.approx(1e-6 + 200e-6)


def test_ranks_are_dealt_to_the_sockets_of_a_node_before_the_next_node(sockets: str) -> None:
    hardware = core.build(load(sockets).model_dump())
    hosts = Hosts.of(hardware, "socket")
    placed = place(6, hosts, "socket")
    assert placed.host_of_rank == [0, 0, 0, 0, 1, 1]
    expected = [hardware.place(host, socket) for host, socket in [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (1, 1)]]
    assert placed.where == expected
    assert places_after(4, 2, hosts, "socket").where == expected[4:]


def test_a_rank_file_that_binds_to_cores_says_the_socket(sockets: str, tmp_path: Path) -> None:
    hardware = core.build(load(sockets).model_dump())
    names = [host.name for host in hardware.hosts]
    cores = hardware.hosts[0].cores
    file = tmp_path / "ranks"
    file.write_text(
        f"rank 0={names[0]} slot=1:0\nrank 1={names[0]} slot={cores - 1}\nrank 2={names[1]}\n", encoding="utf-8"
    )
    mapping = f"file:{file}"
    placed = place(3, Hosts.of(hardware, mapping), mapping)
    assert placed.where == [hardware.place(0, 1), hardware.place(0, 1), hardware.place(1, 0)]
    file.write_text(f"rank 0={names[0]} slot=2:0\n", encoding="utf-8")
    with pytest.raises(InputError, match="slot=2:0: the host has 2 sockets of 2 cores"):
        place(1, Hosts.of(hardware, mapping), mapping)


def test_a_platform_of_single_sockets_says_so(plain: str) -> None:
    hardware = core.build(load(plain).model_dump())
    with pytest.raises(InputError, match="no node of the platform has several sockets"):
        place(2, Hosts.of(hardware, "socket"), "socket")


def test_a_link_between_sockets_needs_sockets(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(SOCKETS.replace("sockets = 2\n", ""), encoding="utf-8")
    with pytest.raises(InputError, match="acts only beside sockets above 1"):
        core.build(load(str(wrong)).model_dump())


def test_a_run_and_its_replay_know_the_sockets(sandbox: Sandbox, sockets: str) -> None:
    trace = sandbox.folder / "run.trace"
    times = []
    for mapping in ("slot", "socket"):
        options = ("-p", sockets, "--map", mapping, "--compute", "none", "-o", str(trace))
        run = sandbox.run(2, "ring", options=options)
        assert run.code == 0, run.err
        times.append(run.record["simulated_s"])
        record = sandbox.folder / "replay.json"
        replay = sandbox.finish(sandbox.start("replay", str(trace), "-p", sockets, "--map", mapping, "-o", str(record)))
        assert replay.code == 0, replay.err
        assert f'"simulated_s": {times[-1]!r}' in record.read_text()
    assert times[0] < times[1]
