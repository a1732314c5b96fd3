# SPDX-License-Identifier: BSD-3-Clause
"""Platforms that have been checked before.

Loading the checker takes as long as simulating a small program, and a platform seldom changes between runs: what came out
of a check is kept in the user's folder for caches, with the time and size that the file had. It may be removed at any
time; where it cannot be kept, each run checks anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import orrery
from orrery.output import write_at_once
from orrery.platform.find import find


def prepare(name_or_file: str) -> dict[str, Any]:
    """A platform as plain values, with `unmeasured`, the keys that nothing says were measured.

    Raises InputError as `load` does.
    """
    path = find(name_or_file)
    stamp = _stamp(path)
    kept = _folder() / (str(path.resolve()).replace("/", "%") + ".json")
    if (values := _recall(kept, stamp)) is not None:
        return values
    from orrery.platform.load import load
    from orrery.platform.unmeasured import unmeasured_keys

    values = load(name_or_file).model_dump()
    values["unmeasured"] = unmeasured_keys(values)
    _keep(kept, stamp, values)
    return values


def _stamp(path: Path) -> list[Any]:
    """What tells whether the file or Orrery changed."""
    state = path.stat()
    here = Path(__file__).parent
    changed_ns = max(
        file.stat().st_mtime_ns
        for file in (here / "schema.py", here / "unmeasured.py", *(here / "tables").glob("*.py"))
    )
    return [orrery.__version__, changed_ns, state.st_mtime_ns, state.st_size, state.st_ino]


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base or "~/.cache").expanduser() / "orrery" / "platforms"
    except RuntimeError:  # there is no home
        return Path(os.devnull)  # below it nothing is found, and nothing kept


def _recall(kept: Path, stamp: list[Any]) -> dict[str, Any] | None:
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
        return dict(found["platform"]) if found["stamp"] == stamp else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(kept: Path, stamp: list[Any], values: dict[str, Any]) -> None:
    try:
        write_at_once(kept, json.dumps({"stamp": stamp, "platform": values}))
    except OSError:
        return
