# SPDX-License-Identifier: BSD-3-Clause
"""Description of a simulation, which is stored in the trace that it records."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import orrery
from orrery.experiment.variants import is_random
from orrery.platform.core import Plain
from orrery.platform.find import BUILTIN, find
from orrery.record.speed import speed_words
from orrery.simulate.experiment import Experiment


@dataclass(frozen=True, slots=True)
class RecordedPlatform:
    """Platform of a recording, as a trace describes it."""

    name: str
    file: str
    """Absolute path; empty: the platform is built in."""
    digest: str
    """Digest of its values, see `digest_of`."""


def platform_of(name_or_file: str, values: Plain) -> RecordedPlatform:
    """The description of a platform, from its name or file and its values."""
    path = find(name_or_file)
    return RecordedPlatform(values["name"], "" if path.parent == BUILTIN else str(path.absolute()), digest_of(values))


def digest_of(values: Plain) -> str:
    """16 hexadecimal digits of SHA-256 over the values of a platform. Layout and comments of its file have no effect."""
    text = json.dumps(_said(values), sort_keys=True, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()[:16]


def _said(value: Any) -> Any:
    """The value without keys that are unset or have no effect on times.

    So a key that a later version adds does not change the digest of platforms that do not set it.
    """
    if isinstance(value, dict):
        members = {key: _said(member) for key, member in value.items() if key not in _ABOUT}
        return {key: member for key, member in members.items() if member not in (None, {}, [])}
    return [_said(element) for element in value] if isinstance(value, list | tuple) else value


_ABOUT = ("description", "source", "measured", "unmeasured")
"""Keys that have no effect on times."""


def mapping_in(mapping: str, folder: Path) -> str:
    """The policy with its file, if it names one, as it is called from a folder."""
    policy, _, detail = mapping.partition(":")
    return f"file:{folder / detail}" if policy == "file" else mapping


def recorded(experiment: Experiment, command: Sequence[str], more: Mapping[str, str]) -> dict[str, Any]:
    """Path and properties of the trace to record, as keyword arguments of the core; empty if none is recorded.

    The properties include all settings that the simulated time depends on, so that a replay can use the same.

    Args:
        experiment: the experiment.
        command: words of the command line.
        more: further properties, which differ between runs and replays.
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
        "mapping": mapping_in(settings.mapping, Path.cwd()),
        "launcher": settings.launcher,
        "speed": speed_words(experiment.speeds),
        "seed": str(settings.seed),
        "sharing_error": repr(settings.error_of_sharing),
        "noise": "drawn" if is_random(experiment.platform, experiment.model) else "none",
        "coll": settings.coll,
        "rules": "" if settings.rules is None else str(settings.rules.absolute()),
        "host": os.uname().nodename,
        **more,
    }
    return {"trace": str(settings.trace), "trace_properties": [(key, value) for key, value in values.items() if value]}
