# SPDX-License-Identifier: BSD-3-Clause
"""Description of a simulation that its trace contains."""

from __future__ import annotations

import json
import platform as machine
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import orrery
from orrery.platform.core import Plain
from orrery.platform.find import BUILTIN, find
from orrery.simulate.experiment import Experiment


@dataclass(frozen=True, slots=True)
class Platform:
    """Platform of a recording, as a trace describes it."""

    name: str
    file: str
    """Empty: it is built in."""
    digest: str
    """Of its content."""


def platform_of(name_or_file: str, values: Plain) -> Platform:
    """A platform that was named so, with these values."""
    path = find(name_or_file)
    return Platform(values["name"], "" if path.parent == BUILTIN else str(path.absolute()), digest_of(values))


def digest_of(values: Plain) -> str:
    """16 hexadecimal digits of SHA-256 over what a platform says, whatever the layout and the comments of its file."""
    text = json.dumps(_said(values), sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()[:16]


def _said(value: Any) -> Any:
    """Without what is not there: so a key that a later version adds does not change the digest of platforms without it."""
    if isinstance(value, dict):
        members = {key: _said(one) for key, one in value.items() if key not in _ABOUT}
        return {key: one for key, one in members.items() if one not in (None, {}, [])}
    return [_said(one) for one in value] if isinstance(value, list | tuple) else value


_ABOUT = ("description", "source")
"""Keys that have no effect on times."""


def _absolute(mapping: str) -> str:
    policy, _, detail = mapping.partition(":")
    return f"file:{Path(detail).absolute()}" if policy == "file" else mapping


def recorded(experiment: Experiment, command: Sequence[str], more: Mapping[str, str]) -> dict[str, Any]:
    """Where the trace goes and what it says of itself, as the core takes them; empty: there is none.

    `command`: words; `more`: what runs and replays say each in their way. A replay is as the recording was: all that its
    time depends on is here.
    """
    settings = experiment.settings
    if settings.trace is None:
        return {}
    platform = platform_of(settings.platform, experiment.platform)
    values = {
        "program": Path(command[0]).name,
        "command": shlex.join(command),
        "source": "simulated",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "mpi": f"Orrery {orrery.__version__}",
        "platform": platform.name,
        "platform_file": platform.file,
        "platform_digest": platform.digest,
        "model": experiment.model,
        "mapping": _absolute(settings.mapping),
        "seed": str(settings.seed),
        "coll": settings.coll,
        "rules": "" if settings.rules is None else str(settings.rules.absolute()),
        "host": machine.node(),
        **more,
    }
    return {"trace": str(settings.trace), "trace_properties": [(key, value) for key, value in values.items() if value]}
