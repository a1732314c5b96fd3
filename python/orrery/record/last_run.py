# SPDX-License-Identifier: BSD-3-Clause
"""The last runs that were started in each folder, kept for `orrery profile`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.output import write_at_once
from orrery.record.circumstances import here
from orrery.record.document import Record, read, to_json
from orrery.temporary import state_folder

_NOWHERE = (
    ", where nothing can be kept: set XDG_STATE_HOME to a folder that can be written, or write records, -o FILE.json"
)
_MOST_REMEMBERED = 100
"""Number of folders whose last runs are kept; the oldest are deleted."""
MOST_BACK = 9
"""Number of runs of a folder that are kept before its last one."""
_START_BYTES = 1 << 16
"""Bytes of a record that hold what is before its profile, unless a command is very long."""


def last_run_file(folder: Path, back: int = 0) -> Path:
    """Path of the record of the last run of `folder`, below $XDG_STATE_HOME (by default ~/.local/state).

    `back`: of the run so many before that one.
    """
    from hashlib import sha256

    return _earlier(_last_runs() / f"{sha256(str(folder).encode()).hexdigest()[:16]}.json", back)


def _earlier(last: Path, back: int) -> Path:
    return last.with_suffix(f".{back}.earlier") if back else last


def _last_runs() -> Path:
    return state_folder() / "last-runs"


def remember(record: Record) -> None:
    """Keep `record` as the last run of its folder. Errors are ignored: a full or read-only home must not make a run fail."""
    try:
        last = last_run_file(Path(record.folder))
        _move_back(last)
        write_at_once(last, to_json(record))
        for forgotten in _by_date()[_MOST_REMEMBERED:]:
            for back in range(MOST_BACK + 1):
                _earlier(forgotten, back).unlink(missing_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return


def _move_back(last: Path) -> None:
    """Make place for a last run: each one is now one further back. Runs of one folder may do so at the same time."""
    for back in reversed(range(MOST_BACK)):
        with suppress(FileNotFoundError):
            _earlier(last, back).replace(_earlier(last, back + 1))


def _by_date() -> list[Path]:
    """Last runs of all folders, the latest first."""
    return sorted(_last_runs().glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)


def last_run(back: int = 0) -> Record:
    """The last run that was started in this folder, or the one `back` runs before it. Raises InputError if there is none."""
    try:
        file = last_run_file(Path(here()), back)
        if file.exists():
            return read(file)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        raise InputError(f"last runs are kept below HOME or XDG_STATE_HOME{_NOWHERE}") from None
    if back and (count := len(last_runs())):
        raise InputError(f"--back {back}: {count} runs of this folder are kept; `orrery profile --list` shows them")
    try:
        latest = read(_by_date()[0])
        elsewhere = f"; the last one elsewhere was in {latest.folder}, {latest.date}"
    except (IndexError, OSError, InputError):
        elsewhere = ""
    if not _can_be_kept(file.parent):
        raise InputError(f"last runs are kept in {file.parent}{_NOWHERE}")
    raise InputError(f"no run was started in this folder yet{elsewhere}: start one with `orrery run`, or name a record")


def earlier_times(same: Mapping[str, object]) -> list[float]:
    """Simulated seconds of those kept runs of this folder that came to their ends and whose records have these members.

    `same`: members before `Record.profile`; the rest of a record, which may be long, is not read.
    """
    times_s = []
    for back in range(MOST_BACK + 1):
        with suppress(OSError, ValueError, KeyError, RuntimeError):
            found = _before_profile(last_run_file(Path(here()), back))
            if found["end"] == "completed" and all(found[name] == value for name, value in same.items()):
                times_s.append(float(found["simulated_s"]))
    return times_s


def _before_profile(file: Path) -> dict[str, Any]:
    """Members of a kept record. Raises OSError; ValueError when there is no profile near the start."""
    with file.open("rb") as record:
        start, found, _ = record.read(_START_BYTES).partition(b', "profile": {')
    if not found:
        raise ValueError(file)
    members: dict[str, Any] = json.loads(start + b"}")
    return members


def _can_be_kept(folder: Path) -> bool:
    """Whether it can be written, or made."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def last_runs() -> list[Record]:
    """The last runs that were started in this folder, the last one first, at most `MOST_BACK` + 1."""
    found = []
    for back in range(MOST_BACK + 1):
        with suppress(InputError, OSError, RuntimeError):  # none, or of another version of Orrery
            found.append(read(last_run_file(Path(here()), back)))
    return found
