# SPDX-License-Identifier: BSD-3-Clause
"""A working model of a cluster: runs MPI programs on it and says how long they would take there.

`import orrery as o` has the functions of `orrery.api` (docs/python-api.md): `o.run`, `o.replay`, `o.collective`, `o.Platform` and
more. They are loaded when the first of them is used.
"""

import sys

__version__ = "0.2.0"

_OF_ROOMS = ("run", "replay", "collective", "calibrate", "validate", "tune", "watch")
"""Functions that are called like the rooms that do the work."""
_OTHERS = (
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
    "compare",
    "compare_runs",
    "load",
    "place",
    "platforms",
    "prefix",
    "profile",
)


def __getattr__(name: str) -> object:
    if name in _OTHERS:
        return _of_api(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_OF_ROOMS, *_OTHERS, "__version__"])


def _of_api(name: str) -> object:
    from importlib import import_module

    return getattr(import_module("orrery.api"), name)


class _Function:
    """A function of the API. Importing the room of its name, which sets this attribute of its package, leaves it alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, _module: object, _kind: type | None = None) -> object:
        return _of_api(self._name)

    def __set__(self, _module: object, _room: object) -> None:
        pass


class _Package(type(sys)):  # the class of modules
    run = _Function("run")
    replay = _Function("replay")
    collective = _Function("collective")
    calibrate = _Function("calibrate")
    validate = _Function("validate")
    tune = _Function("tune")
    watch = _Function("watch")


sys.modules[__name__].__class__ = _Package
