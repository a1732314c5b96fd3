# SPDX-License-Identifier: BSD-3-Clause
"""What programs see of the node that they are on: the simulated one (`src/mpi/replaced.toml`)."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conftest import PLAIN
from harness import HUNG_S, PROGRAMS, Ended, Sandbox
from replaced import built, shown


def of_nodes(ended: Ended) -> dict[str, dict[str, str]]:
    """What each node says, by function."""
    assert ended.code == 0, ended.err
    nodes: dict[str, dict[str, str]] = {}
    for line in ended.out.splitlines():
        node, _, rest = line.partition(" ")
        function, _, what = rest.partition(": ")
        nodes.setdefault(node, {})[function] = what
    return nodes


def platform_of(sandbox: Sandbox, cores: int) -> str:
    """Path of a platform whose nodes have so many cores."""
    path = sandbox.folder / "nodes.toml"
    path.write_text(PLAIN.replace("cores = 1", f"cores = {cores}"), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("cores", [3, 96])
def test_the_c_library_names_the_simulated_node_and_its_processors(sandbox: Sandbox, cores: int) -> None:
    program = built(sandbox, "host_of_rank.cpp")
    options = ("--platform", platform_of(sandbox, cores), "--map", "node")
    nodes = of_nodes(sandbox.orrery("run", "-n", "3", *options, program))
    assert len(nodes) == 3
    assert len({found["gethostid"] for found in nodes.values()}) == 3
    for node, found in nodes.items():
        assert found["before MPI_Init, gethostname"] == os.uname().nodename
        assert found["before MPI_Init, sysconf"] == str(os.cpu_count())
        assert {found[name] for name in ("gethostname", "__gethostname_chk", "uname")} == {node}
        assert found["gethostname into 3 bytes"] == "1"
        addresses = ("gethostbyname", "gethostbyname2", "gethostbyname_r", "gethostbyname2_r")
        assert {found[name] for name in addresses} == {"127.0.0.1"}
        assert found["getaddrinfo"] == "found"
        numbers = {"sysconf", "get_nprocs", "get_nprocs_conf", "sched_getaffinity", "pthread_getaffinity_np"}
        numbers.add("hardware_concurrency")
        assert {found[name] for name in numbers} == {str(cores)}
        assert found["sched_getcpu"] == found["getcpu"] == "0"  # the first rank of its node
        assert found["sched_setaffinity"] == found["pthread_attr_setaffinity_np"] == "0"
        assert found["bound, sched_getcpu"] == str(cores - 1)
        assert found["bound, pthread_getaffinity_np"] == "1"
        assert found["pthread_setaffinity_np"] == "1"  # a processor that the node has not
    assert set(shown("h")) <= set(next(iter(nodes.values())))


def test_python_names_the_simulated_node_and_its_processors(sandbox: Sandbox) -> None:
    pytest.importorskip("mpi4py")
    command = ("run", "-n", "2", "--platform", platform_of(sandbox, 5), "--map", "node", sys.executable)
    nodes = of_nodes(sandbox.orrery(*command, str(PROGRAMS / "host_of_rank.py")))
    assert len(nodes) == 2
    for node, found in nodes.items():
        assert {found[name] for name in ("socket.gethostname", "platform.node", "os.uname")} == {node}
        assert found["socket.gethostbyname"] == "127.0.0.1"
        assert found["os.cpu_count"] == found["os.sched_getaffinity"] == "5"
        assert sorted(found) == sorted(shown("q"))


def test_a_program_that_runs_alone_sees_the_host(sandbox: Sandbox) -> None:
    environment = sandbox.environment
    ended = subprocess.run(
        [built(sandbox, "host_of_rank.cpp")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=HUNG_S,
    )
    assert f"{os.uname().nodename} gethostname: {os.uname().nodename}\n" in ended.stdout
    assert f"{os.uname().nodename} sysconf: {os.cpu_count()}\n" in ended.stdout
