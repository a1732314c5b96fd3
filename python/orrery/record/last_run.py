# SPDX-License-Identifier: BSD-3-Clause
"""The last run that was started in each folder, kept for `orrery profile`."""

from __future__ import annotations

import os
from pathlib import Path

from orrery.errors import InputError
from orrery.output import write_at_once
from orrery.record.circumstances import here
from orrery.record.document import Record, read, to_json

_MOST_REMEMBERED = 100
"""Number of folders whose last runs are kept; the oldest are deleted."""


def last_run_file(folder: Path) -> Path:
    """Path of the record of the last run of `folder`, below $XDG_STATE_HOME (by default ~/.local/state)."""
    from hashlib import sha256

    return _last_runs() / f"{sha256(str(folder).encode()).hexdigest()[:16]}.json"


def _last_runs() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "orrery" / "last-runs"


def remember(record: Record) -> None:
    """Keep `record` as the last run of its folder. Errors are ignored: a full or read-only home must not make a run fail."""
    try:
        write_at_once(last_run_file(Path(record.folder)), to_json(record))
        for forgotten in _by_date()[_MOST_REMEMBERED:]:
            forgotten.unlink(missing_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return


def _by_date() -> list[Path]:
    """Last runs of all folders, the latest first."""
    return sorted(_last_runs().glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)


def last_run() -> Record:
    """The last run that was started in this folder. Raises InputError if there is none."""
    file = last_run_file(Path(here()))
    if file.exists():
        return read(file)
    try:
        latest = read(_by_date()[0])
        elsewhere = f"; the last one elsewhere was in {latest.folder}, {latest.date}"
    except (IndexError, OSError, InputError):
        elsewhere = ""
    raise InputError(f"no run was started in this folder yet{elsewhere}: start one with `orrery run`, or name a record")
