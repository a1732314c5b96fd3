# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, settings

import parts
from harness import Sandbox
from skips import Refused, Skips

HERE = Path(__file__).parent

# The same inputs in each run, so that a commit that passed does not fail elsewhere; `pytest --hypothesis-profile search`
# looks for new ones.
_LOADED_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _LOADED_MACHINE, derandomize=True)
settings.register_profile("search", _LOADED_MACHINE, derandomize=False, print_blob=True)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--approve", action="store_true", help="write what differs from approved files to them")
    parser.addoption("--part", choices=("quick", "rest"), help="the quick tests, or all others (tests/slow.txt)")
    parser.addoption(
        "--write-parts", action="store_true", help="write which tests and fixtures are slow to tests/slow.txt; run all"
    )
    parser.addoption(
        "--refuse-skips",
        choices=get_args(Refused),
        help="fail if a test is skipped that tests/needs.toml does not allow to be; light: what is heavy may be missing",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set what all that the tests start inherits.

    What a shell without job control starts in the background ignores Ctrl-C. Each rank of Open MPI waits for a second for
    interfaces of libfabric, which none of the tests needs.
    """
    os.environ.setdefault("OMPI_MCA_btl", "^ofi")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # whoever has the reports of all
        config.pluginmanager.register(Skips(config), "skips")
    if config.getoption("--write-parts"):
        config.pluginmanager.register(parts.Durations(), "durations")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not asked for."""
    parts.choose(config, items)


@pytest.fixture
def hangups_heard() -> Iterator[None]:
    """What the test starts hears SIGHUP, even where whoever started the tests ignores it, as `nohup` does."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def approved(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/python/approved/NAME; `pytest --approve` accepts what there is."""

    def compare(name: str, text: str) -> None:
        path = HERE / "approved" / name
        if request.config.getoption("--approve"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; if it should: pytest --approve"

    return compare


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys of sites a and b of a relay."""
    from orrery.relay.keys import make_keys

    folder = tmp_path_factory.mktemp("relay") / "keys"
    make_keys(folder, ["a", "b"], 1)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where programs are built, once."""
    return tmp_path_factory.mktemp("programs")


@pytest.fixture
def sandbox(tmp_path: Path, built: Path) -> Iterator[Sandbox]:
    """A place to run in, clean afterwards whatever the test did."""
    place = Sandbox(tmp_path, built)
    yield place
    assert place.orphans() == []


# 1 us from node to node, 1 GB/s, nothing else: a message of n bytes takes 1 us + n ns when it is alone.
PLAIN = """
name = "plain"
description = "round numbers"
source = "made up"
model = "fluid"
[[cluster]]
name = "plain"
nodes = 64
cores = 1
bandwidth_bytes_per_s = "1GB/s"
latency_s = "500ns"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "0s"
"""

# The same for the hybrid model, where messages cost nothing else: to be followed by more tables of it.
PLAIN_HYBRID = (
    PLAIN.replace('"fluid"', '"hybrid"')
    + """
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
"""
)

# What `orrery calibrate` says of a measurement; tables of intervals and draws may follow.
CALIBRATION = """
[calibration]
date = "2026-11-22"
host = "h"
mpi = "m"
command = "c"
mpicc = "m"
nodes = 4
ranks_per_node = 1
budget_s = 1
seed = 1
samples = 1
"""

# A job profile whose groups need nothing of the network: tables of its last group, and of the job, may follow.
COUPLED = """
name = "coupled"
[[group]]
name = "ocean"
processes = "50 %"
cores = 1
[[group.group]]
name = "east"
processes = "50 %"
[[group.group]]
name = "west"
[[group]]
name = "air"
ranks = "0,7"
[[group]]
name = "io"
processes = "rest"
"""


@pytest.fixture
def plain(tmp_path: Path) -> str:
    """File of a platform of round numbers."""
    path = tmp_path / "plain.toml"
    path.write_text(PLAIN, encoding="utf-8")
    return str(path)


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test is in a folder of its own, and what Orrery keeps goes there, too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
