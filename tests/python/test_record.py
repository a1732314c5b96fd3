# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest

from orrery.errors import InputError
from orrery.record import document as record
from orrery.record import last_run


def test_no_last_run_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(InputError, match="start one with `orrery run`"):
        last_run.last_run()


def test_a_file_that_is_no_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"ranks": 3}', encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json: command: Field required; expected a record"):
        record.read(path)


def test_a_file_that_is_no_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("rank 0", encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json: Invalid JSON"):
        record.read(path)
