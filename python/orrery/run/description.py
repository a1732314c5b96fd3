# SPDX-License-Identifier: BSD-3-Clause
"""What the trace of a simulation says of itself."""

from __future__ import annotations

import platform as machine
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import orrery
from orrery.platform.model import Model
from orrery.run.settings import SimulationSettings


def description(
    settings: SimulationSettings,
    command: Sequence[str],
    platform: str,
    model: Model | str,
    more: Mapping[str, str],
) -> list[tuple[str, str]]:
    """Pairs of key and value. `command`: words; `more`: what runs and replays say each in their way."""
    values = {
        "program": Path(command[0]).name,
        "command": shlex.join(command),
        "source": "simulated",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "mpi": f"Orrery {orrery.__version__}",
        "platform": platform,
        "model": model,
        "coll": settings.coll,
        "rules": "" if settings.rules is None else str(settings.rules.absolute()),
        "host": machine.node(),
        **more,
    }
    return [(key, value) for key, value in values.items() if value]
