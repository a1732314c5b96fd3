# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO from outside: real files, and what they cost in simulated time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import Sandbox

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
