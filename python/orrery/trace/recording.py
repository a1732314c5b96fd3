# SPDX-License-Identifier: BSD-3-Clause
"""The trace of a replay."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.trace.settings import RECORDED, ReplaySettings
from orrery.trace.sources import Opened
from orrery.trace.ti import files_of


def recording(settings: ReplaySettings, opened: Sequence[Opened], platform: str, model: Model) -> dict[str, Any]:
    """Where the trace goes and what it says of itself, as the core takes them; empty: nowhere.

    It names the program that was recorded first, if the trace that is replayed names one, and who chose algorithms then,
    if they are recorded. Raises InputError where it would be written over what is being read.
    """
    if settings.trace is None:
        return {}
    if settings.trace.exists():
        read = [file for path in settings.traces for file in (path, *(files_of(path) or ()))]
        if any(_is_same(file, settings.trace) for file in read):
            raise InputError(f"--trace: {settings.trace}: is what is replayed; name another file")
    from orrery.run.description import description

    before = opened[0].properties if len(opened) == 1 else {}
    command = ["orrery", "replay", *map(str, settings.traces)]
    more = {
        "selector": settings.selector,
        "replayed": shlex.join(command),
        "model": "ideal" if settings.ideal else model,
    }
    more |= {key: before[key] for key in ("program", "command") if key in before}
    if settings.selector == RECORDED:
        more |= {key: before.get(key, "") for key in ("selector", "rules", "library")}
        more["coll"] = settings.coll or before.get("coll", "")
    return {
        "trace": str(settings.trace),
        "trace_properties": description(settings, command, platform, model, more),
    }


def _is_same(path: Path, other: Path) -> bool:
    """Both are there, and one file."""
    try:
        return path.samefile(other)
    except OSError:
        return False
