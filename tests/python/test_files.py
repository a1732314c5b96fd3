# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO from outside: real files, and what they cost in simulated time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.platform.find import BUILTIN

NOTHING_ELSE = ("--compute", "none")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where programs are built, once."""
    return tmp_path_factory.mktemp("programs")


@pytest.fixture
def sandbox(tmp_path: Path, built: Path) -> Iterator[Sandbox]:
    """A place to run in, clean afterwards whatever the test did."""
    place = Sandbox(tmp_path, built)
    yield place
    assert place.left_behind() == []


def test_files_are_what_the_standard_says(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "files")
    assert ended.code == 0, ended.err
    assert ended.out == "ok\n"


def test_a_file_pointer_is_behind_all_that_was_asked_for_also_where_the_file_ends_before(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "past_end")
    assert (ended.code, ended.out) == (0, "all as they should be\n"), ended.err


def test_elements_of_a_representation_without_conversion_lie_as_far_apart_as_it_says(sandbox: Sandbox) -> None:
    ended = sandbox.run(1, "representation")
    assert (ended.code, ended.out) == (0, "all as they should be\n"), ended.err


def test_the_profile_has_a_row_for_each_routine_of_files(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "write_file", "1000", options=NOTHING_ELSE)
    rows = {row["name"]: row for row in ended.record["profile"]["summed"]}
    assert rows["MPI_File_write_at_all()"]["calls"] == 4
    assert rows["MPI_File_write_at_all()"]["exclusive_s"] > 0
    assert (sandbox.folder / "bulk").stat().st_size == 4000


@pytest.mark.parametrize(("sleeps", "order"), [((5, 3, 9, 1), "3102"), ((1, 2, 3, 4), "0123")])
def test_a_shared_pointer_goes_by_simulated_time(sandbox: Sandbox, sleeps: tuple[int, ...], order: str) -> None:
    ended = sandbox.run(4, "shared_file", *map(str, sleeps), options=NOTHING_ELSE)
    assert ended.code == 0, ended.err
    assert (sandbox.folder / "order").read_text() == order


STORAGE = """
[storage]
servers = 2
stripe_bytes = 1000
read_bandwidth_bytes_per_s = 1e6
write_bandwidth_bytes_per_s = 5e5
latency_s = 0.25
metadata_latency_s = 0.5
"""


def _platform(sandbox: Sandbox, storage: str) -> str:
    text = (BUILTIN / "default.toml").read_text(encoding="utf-8")
    path = sandbox.folder / "own.toml"
    path.write_text(text.split("[storage]")[0] + storage, encoding="utf-8")
    return str(path)


def test_an_access_takes_its_latency_and_its_share_of_the_servers(sandbox: Sandbox) -> None:
    platform = _platform(sandbox, STORAGE)
    ended = sandbox.run(4, "write_file", "10000", options=(*NOTHING_ELSE, "--platform", platform))
    # Each rank has 5 stripes on each server; 4 ranks share 5e5 B/s of each: 0.25 s + 4 x 5,000 B / (5e5 B/s) = 0.29 s.
    assert [float(line) for line in ended.out.split()] == pytest.approx([0.29] * 4, rel=1e-4)
    assert ended.record["file_accesses"] == 4
    assert ended.record["file_bytes_written"] == 40000
    assert "4 accesses: 0 B read, 39.06 KiB written" in ended.err
    # Opening and closing, 0.5 s each; the agreements of ranks in between are messages of microseconds.
    assert ended.record["simulated_s"] == pytest.approx(0.5 + 0.29 + 0.5, rel=1e-3)


def test_a_platform_without_storage_says_that_it_has_none(sandbox: Sandbox) -> None:
    platform = _platform(sandbox, "")
    ended = sandbox.run(1, "write_file", "100000000", options=(*NOTHING_ELSE, "--platform", platform))
    # 100 MB are 96 stripes of 1 MiB, 24 on each of 4 servers of 1 GB/s; the last is cut, so some are done sooner.
    assert float(ended.out) == pytest.approx(500e-6 + 24 * 2**20 / 1e9, rel=1e-3)
    assert any("[storage]" in caution for caution in ended.record["cautions"])
    (sandbox.folder / "bulk").unlink()
