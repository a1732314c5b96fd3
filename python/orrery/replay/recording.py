# SPDX-License-Identifier: BSD-3-Clause
"""The trace of a replay."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from orrery.record.circumstances import digest_of_files
from orrery.replay.settings import RECORDED, ReplaySettings
from orrery.simulate.description import recorded
from orrery.simulate.experiment import Experiment
from orrery.trace.sources import OpenTrace


def computation_of(settings: ReplaySettings) -> str:
    """Identifies the computation of a replay, as its record has it."""
    return "none" if settings.compute_scale == 0 else digest_of_files(settings.traces)


def recording(settings: ReplaySettings, opened: Sequence[OpenTrace], experiment: Experiment) -> dict[str, Any]:
    """Where the trace goes and what it says of itself, as the core takes them; empty: nowhere.

    It names the program that was recorded first, if the trace that is replayed names one, and who chose algorithms then,
    if they are recorded.
    """
    before = opened[0].properties if len(opened) == 1 else {}
    command = ["orrery", "replay", *map(str, settings.traces)]
    more = {
        "selector": settings.selector,
        "replayed": shlex.join(command),
        "model": "ideal" if settings.ideal else experiment.model,
        "compute": f"{settings.compute_scale:g}",
        "charged": settings.compute,
        "computation": computation_of(settings),
    }
    more |= {"noise": "none"} if settings.ideal else {}
    more |= {key: before[key] for key in ("program", "command") if key in before}
    if settings.selector == RECORDED:
        more |= {key: before.get(key, "") for key in ("selector", "rules", "library")}
        more["coll"] = settings.coll or before.get("coll", "")
    return recorded(experiment, command, more)
