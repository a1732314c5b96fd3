# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest

from harness import Sandbox

_PING = ["0 init\n0 compute 2e9\n0 send 1 7 1000 6\n0 finalize\n", "1 init\n1 recv 0 7 1000 6\n1 finalize\n"]


def _files(folder: Path) -> Path:
    """A folder with a file for each rank, in an order of names that is not that of the ranks."""
    folder.mkdir()
    (folder / "b.txt").write_text(_PING[0])
    (folder / "a.txt").write_text(_PING[1])
    return folder


def test_one_file_a_folder_and_an_index_are_the_same_trace(sandbox: Sandbox) -> None:
    folder = _files(sandbox.folder / "files")
    index = sandbox.folder / "index.txt"
    index.write_text("files/b.txt\nfiles/a.txt\n")
    merged = sandbox.folder / "merged.txt"
    merged.write_text("".join(_PING))
    records = [sandbox.replayed(str(path)) for path in (folder, index, merged)]
    assert [record["messages"] for record in records] == [1, 1, 1]
    assert len({record["simulated_s"] for record in records}) == 1
    assert records[0]["simulated_s"] > 2


def test_flops_and_bytes_are_scaled_as_asked(sandbox: Sandbox) -> None:
    folder = _files(sandbox.folder / "files")
    slow = sandbox.replayed(str(folder), "--flops", "1e8", "--ideal")
    assert slow["simulated_s"] == 20
    assert sandbox.replayed(str(folder), "--bytes-scale", "3")["bytes"] == 3000


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0 init\n0 jump 3\n", ':2: the action "jump"'),
        ("0 recv 3 1 1\n", ":1: a receive from rank 3 of 1"),
        ("files/none.txt\n", "is no trace"),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(sandbox: Sandbox, text: str, complaint: str) -> None:
    path = sandbox.folder / "bad.txt"
    path.write_text(text)
    ended = sandbox.orrery("replay", str(path))
    assert ended.code == 2
    assert complaint in ended.err
    assert ended.err.count("\n") == 1


def test_ranks_that_wait_for_nobody_are_reported(sandbox: Sandbox) -> None:
    path = sandbox.folder / "stuck.txt"
    path.write_text("0 recv 1 1 1\n1 init\n")
    ended = sandbox.orrery("replay", str(path))
    assert ended.code == 1
    assert "no rank can go on" in ended.err
