# SPDX-License-Identifier: BSD-3-Clause
"""Orrery from Python: what the command line does, as functions whose results are values, frames and small pages.

    import orrery as o
    now = o.run(["./heat2d", "1024", "100"], ranks=64, platform="graphene", trace="heat.trace")
    ring = o.replay("heat.trace", coll="allreduce=ring")
    print(o.compare(o.replay("heat.trace"), ring))

Mistakes are `orrery.errors.InputError`, with the texts of the command line, where options stand for the parameters of the
same names. Times are seconds, sizes bytes.
"""

from orrery.api.calibrating import Calibration, calibrate
from orrery.api.collectives import Collectives, collective
from orrery.api.comparing import Comparison, compare
from orrery.api.comparing_runs import RunsComparison, compare_runs
from orrery.api.ending import InterruptedCall
from orrery.api.frames import Table
from orrery.api.placing import Placement, place
from orrery.api.platforms import Platform, platforms
from orrery.api.result import Result, load
from orrery.api.simulating import replay, run
from orrery.api.tuning import Tuning, tune
from orrery.api.usage import Usage, profile
from orrery.api.validating import Validation, validate
from orrery.api.watched_runs import WatchedRun, watch
from orrery.progress import Advance
from orrery.run.prefix import prefix

__all__ = [
    "Advance",
    "Calibration",
    "Collectives",
    "Comparison",
    "InterruptedCall",
    "Placement",
    "Platform",
    "Result",
    "RunsComparison",
    "Table",
    "Tuning",
    "Usage",
    "Validation",
    "WatchedRun",
    "calibrate",
    "collective",
    "compare",
    "compare_runs",
    "load",
    "place",
    "platforms",
    "prefix",
    "profile",
    "replay",
    "run",
    "tune",
    "validate",
    "watch",
]
