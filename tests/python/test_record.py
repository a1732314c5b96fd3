# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.record import document as record
from orrery.record import last_run


def test_no_last_run_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(InputError, match="start one with `orrery run`"):
        last_run.last_run()


def test_earlier_runs_of_a_folder_are_listed_and_shown(sandbox: Sandbox) -> None:
    """Ten are kept: the last one and nine before it."""
    ring = sandbox.program("ring")
    for ranks in range(2, 13):
        assert sandbox.orrery("run", "-n", str(ranks), "--compute", "none", ring).code == 0
    lines = sandbox.orrery("profile", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == ["--back", *map(str, range(10))]
    rows = json.loads(sandbox.orrery("profile", "--list", "--json").out)
    assert [row["ranks"] for row in rows] == list(range(12, 2, -1))
    assert all(row["command"] == [ring] and row["date"] in line for row, line in zip(rows, lines[1:], strict=True))
    assert "12 ranks" in sandbox.orrery("profile").out
    assert "9 ranks" in sandbox.orrery("profile", "--back", "3").out
    (sandbox.folder / "elsewhere").mkdir()
    before, sandbox.folder = sandbox.folder, sandbox.folder / "elsewhere"
    assert "no run was started in this folder yet" in sandbox.orrery("profile", "--list").err
    assert sandbox.orrery("run", "-n", "2", ring).code == 0
    ended = sandbox.orrery("profile", "--back", "1")
    assert (ended.code, "--back 1: 1 runs of this folder are kept" in ended.err) == (2, True)
    sandbox.folder = before
    ended = sandbox.orrery("run", "-n", "2", "-o", "run.json", ring)
    ended = sandbox.orrery("profile", "run.json", "--back", "1")
    assert (ended.code, "--back: is for runs of this folder, not beside run.json" in ended.err) == (2, True)


def test_a_file_that_is_no_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"ranks": 3}', encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json: command: is missing; expected a record"):
        record.read(path)


def test_a_file_that_is_no_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("rank 0", encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json:1:1: not JSON: expecting value; expected a record"):
        record.read(path)
