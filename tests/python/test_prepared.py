# SPDX-License-Identifier: BSD-3-Clause
"""Platforms that were checked before."""

from __future__ import annotations

from pathlib import Path

import pytest

from orrery.errors import InputError
from orrery.platform.find import BUILTIN, builtin_names
from orrery.platform.load import load
from orrery.platform.prepared import prepare
from orrery.platform.unmeasured import unmeasured_keys


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.mark.parametrize("name", builtin_names())
def test_what_is_kept_is_what_was_checked_to_the_last_bit(name: str) -> None:
    checked = load(name).model_dump()
    checked["unmeasured"] = unmeasured_keys(checked)
    assert prepare(name) == checked
    assert prepare(name) == checked


def test_a_changed_file_is_checked_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = (BUILTIN / "default.toml").read_text()
    file.write_text(text)
    prepare(str(file))
    file.write_text(text.replace("nodes = 64", "nodes = 65"))
    assert prepare(str(file))["clusters"][0]["nodes"] == 65
    file.write_text("nonsense")
    with pytest.raises(InputError):
        prepare(str(file))


def test_a_damaged_or_unwritable_cache_does_no_harm(cache: Path) -> None:
    values = prepare("default")
    [kept] = (cache / "orrery" / "platforms").iterdir()
    kept.write_text('{"stamp": 1')
    assert prepare("default") == values
    kept.unlink()
    (cache / "orrery" / "platforms").rmdir()
    (cache / "orrery" / "platforms").write_text("in the way")
    assert prepare("default") == values
