# SPDX-License-Identifier: BSD-3-Clause
"""Temporary files and folders of commands go with them, however they end."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import orrery
from harness import Sandbox, until
from orrery.temporary import remove_abandoned, removed_at_end, temporary_folder, written_beside


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where notes of this test are."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "orrery" / "temporary"


def test_a_temporary_folder_is_closed_to_others_and_goes_at_the_end(tmp_path: Path, notes: Path) -> None:
    with temporary_folder("it-", tmp_path) as folder:
        (folder / "deep").mkdir()
        (folder / "deep" / "file").touch()
        assert folder.parent == tmp_path
        assert folder.name.startswith("it-")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert len(list(notes.iterdir())) == 1
    assert not folder.exists()
    assert list(notes.iterdir()) == []


def test_what_is_written_beside_its_place_takes_it_or_goes(tmp_path: Path, notes: Path) -> None:
    place = tmp_path / "it"
    with written_beside(place) as fresh:
        fresh.write_text("whole")
        fresh.replace(place)
    assert place.read_text() == "whole"
    with written_beside(place) as fresh:
        fresh.write_text("half")
    assert place.read_text() == "whole"
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []
    assert list(notes.iterdir()) == []


_HOLDER = """
import sys
from pathlib import Path
from orrery.temporary import temporary_folder, written_beside
with temporary_folder("held-", Path(sys.argv[1])) as folder, written_beside(Path(sys.argv[1]) / "it") as fresh:
    fresh.touch()
    print(folder.name, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_goes_as_soon_as_it_is_gone_and_not_before(tmp_path: Path, notes: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _HOLDER, place], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        folder = place / process.stdout.readline().strip()
        remove_abandoned()
        assert len(list(place.iterdir())) == 2
        assert folder.is_dir()
        process.kill()
        process.wait()
    assert len(list(place.iterdir())) == 2
    remove_abandoned()
    assert list(place.iterdir()) == []
    assert list(notes.iterdir()) == []


def test_notes_of_other_hosts_and_what_another_user_owns_are_left_alone(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.mkdir(parents=True)
    (tmp_path / "theirs").touch()
    (notes / "0123.elsewhere").write_text(str(tmp_path / "theirs"))
    remove_abandoned()
    assert (tmp_path / "theirs").exists()
    own = notes / f"0123.{os.uname().nodename}"
    own.write_text(str(tmp_path / "theirs"))
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    remove_abandoned()
    assert (tmp_path / "theirs").exists()
    assert not own.exists()


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "work").touch()
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with removed_at_end(tmp_path / "link"):
        pass
    assert (tmp_path / "mine" / "work").exists()
    assert not (tmp_path / "link").is_symlink()
    assert list(notes.iterdir()) == []


def test_where_no_note_can_be_kept_temporary_folders_go_at_the_end_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "state").touch()  # no folder
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with temporary_folder(where=tmp_path) as folder:
        assert folder.is_dir()
    assert not folder.exists()
    remove_abandoned()


_COMPILER = """#!/bin/sh
# Compiles until it is let go.
touch mark
until [ -e go ]; do sleep 0.1; done
"""


def _compiling(sandbox: Sandbox) -> subprocess.Popen[str]:
    """A command that has temporary folders here and in TMPDIR, and waits for a compiler."""
    (sandbox.folder / "cc").write_text(_COMPILER)
    (sandbox.folder / "cc").chmod(0o700)
    process = sandbox.start("benchmark", "latency", "-n", "2", "--mpicc", "./cc", "--mpirun", "mpirun -n {n}")
    until((sandbox.folder / "mark").exists)
    assert len(_left(sandbox)) == 2
    return process


def _left(sandbox: Sandbox) -> list[Path]:
    return [*sandbox.folder.glob(".orrery-*"), *(sandbox.folder / "tmp").iterdir()]


@pytest.mark.usefixtures("hangups_heard")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_temporary_folders_go_when_a_signal_ends_a_command(sandbox: Sandbox, number: signal.Signals) -> None:
    process = _compiling(sandbox)
    process.send_signal(number)
    ended = sandbox.finish(process)
    assert ended.code == 128 + number
    assert ended.err.splitlines()[-1] == (
        f"orrery: interrupted by {number.name}: nothing is there yet; the same command begins anew"
    )
    assert _left(sandbox) == []
    (sandbox.folder / "go").touch()


def test_temporary_folders_of_a_killed_command_go_at_the_next_one(sandbox: Sandbox) -> None:
    process = _compiling(sandbox)
    process.kill()
    sandbox.finish(process)
    assert len(_left(sandbox)) == 2
    (sandbox.folder / "go").touch()
    assert sandbox.orrery("platform", "list").code == 0
    assert _left(sandbox) == []


def test_an_unfinished_trace_of_a_killed_run_goes_at_the_next_command(sandbox: Sandbox) -> None:
    process = sandbox.start("run", "-n", "2", "-o", "it.trace", sandbox.program("endless"), "mark")
    until((sandbox.folder / "mark").exists)
    assert len(list(sandbox.folder.glob(".it.trace.*"))) == 1
    process.kill()
    sandbox.finish(process)
    assert len(list(sandbox.folder.glob(".it.trace.*"))) == 1
    assert sandbox.orrery("platform", "list").code == 0
    assert list(sandbox.folder.glob(".it.trace.*")) == []


def test_a_signal_that_is_ignored_stays_ignored(sandbox: Sandbox) -> None:
    """As `nohup` does."""
    (sandbox.folder / "cc").write_text(_COMPILER)
    (sandbox.folder / "cc").chmod(0o700)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = sandbox.start("benchmark", "latency", "-n", "2", "--mpicc", "./cc", "--mpirun", "mpirun -n {n}")
    finally:
        signal.signal(signal.SIGHUP, before)
    until((sandbox.folder / "mark").exists)
    process.send_signal(signal.SIGHUP)
    (sandbox.folder / "go").touch()
    ended = sandbox.finish(process)
    assert ended.code != 128 + signal.SIGHUP
    assert "interrupted" not in ended.err


_KEPT = {"capture/session.py"}
"""Modules whose folders stay when a command is killed: what ranks wrote is put together by `orrery capture --parts`."""


def test_no_module_has_temporary_folders_of_its_own() -> None:
    root = Path(orrery.__file__).parent
    found = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and any(alias.name == "tempfile" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "tempfile")
    }
    assert found == _KEPT | {"temporary.py"}
