# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written as a whole or not at all, and what is no file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from orrery.errors import InputError
from orrery.output import remove_unfinished, write_at_once
from orrery.trace.imports.detect import import_trace


def test_a_file_is_replaced_at_once(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "one.json"
    write_at_once(file, "old")
    write_at_once(file, "new")
    assert file.read_text() == "new"
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path: Path) -> None:
    full = tmp_path / ("n" * 255)  # the longest name there is, and longer for a while
    with pytest.raises(OSError, match="too long"):
        write_at_once(full, "text")
    (tmp_path / "bad").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_at_once(tmp_path / "bad", "\ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["bad"]
    assert (tmp_path / "bad").read_text() == "old"


def test_devices_are_written_to_and_stay(tmp_path: Path) -> None:
    null = tmp_path / "null"
    null.symlink_to("/dev/null")
    write_at_once(null, "text")
    remove_unfinished(null)
    assert stat.S_ISCHR(null.stat().st_mode)
    remove_unfinished(Path("/dev/null"))
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_what_reads_from_a_pipe_gets_the_text(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_at_once(pipe, "text")
    assert os.read(reader, 100) == b"text"
    remove_unfinished(pipe)
    assert pipe.is_fifo()
    os.close(reader)


def test_a_trace_that_cannot_be_imported_leaves_a_device_alone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.prv"
    broken.write_text("#Paraver (01/01/2020 at 10:00):1000_ns:1(1):1:1(1:1)\n2:nonsense\n")
    null = tmp_path / "null"
    null.symlink_to("/dev/null")
    with pytest.raises(InputError):
        import_trace(broken, null, lossy=True)
    assert null.is_symlink()
    out = tmp_path / "out.trace"
    with pytest.raises(InputError):
        import_trace(broken, out, lossy=True)
    assert not out.exists()
