# SPDX-License-Identifier: BSD-3-Clause
"""The selector that a trace was recorded with, for `orrery replay --selector recorded`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from orrery import _core
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.replay.settings import ReplaySettings

_LIBRARIES = (
    (re.compile(r"Open MPI v?(\d+)\.(\d+)"), "openmpi"),
    (re.compile(r"MPICH Version:\s*(\d+)\.(\d+)"), "mpich"),
)


def recorded_selector(
    settings: ReplaySettings, properties: Sequence[Mapping[str, str]]
) -> tuple[_core.Selector, list[str]]:
    """Who chooses where the traces do not say what ran, and for the parts of collectives; and what is to be said of it.

    `properties` are those of the traces. A trace of a real run does not say which algorithms its library ran: the selector
    of that library chooses.

    Raises:
        InputError: no trace says anything of its selector, or a rules file was given, which could not overrule anything.
    """
    if settings.rules is not None:
        raise InputError(
            "--selector-rules: overrules no algorithm that is recorded; name a library as --selector, or use --coll"
        )
    known = [found for own in properties if (found := _of_trace(own)) is not None]
    if not known:
        raise InputError("--selector recorded: no trace says which algorithms ran, nor on which MPI it was recorded")
    (name, coll, rules), cautions = known[0], []
    if any(other != known[0] for other in known[1:]):
        cautions.append(f"the traces were recorded with different selectors; where they do not say what ran: {name}")
    path = Path(rules) if rules else None
    if path is not None and not path.is_file():
        cautions.append(
            f"{path}: the rules file of the recording is gone; it would matter for parts of collectives only"
        )
        path = None
    return selector_named(name, settings.coll or coll, path), cautions


def _of_trace(properties: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Name of the selector, what was fixed, rules file."""
    name = properties.get("selector", "") or library_selector(properties.get("library", "")) or ""
    if not name:
        return None
    known = name if name in _core.selectors() else "default"
    return known, properties.get("coll", ""), properties.get("rules", "")


def library_selector(library: str) -> str | None:
    """The selector of what MPI_Get_library_version says, of the nearest version that there is; None: there is none."""
    for pattern, family in _LIBRARIES:
        if found := pattern.search(library):
            wanted = (int(found[1]), int(found[2]))
            versions = [_version(name) for name in _core.selectors() if name.startswith(f"{family}-")]
            nearest = max((v for v in versions if v <= wanted), default=min(versions))
            return f"{family}-{nearest[0]}.{nearest[1]}"
    return None


def _version(name: str) -> tuple[int, int]:
    major, minor = name.rsplit("-", 1)[1].split(".")
    return int(major), int(minor)
