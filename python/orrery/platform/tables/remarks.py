# SPDX-License-Identifier: BSD-3-Clause
"""What a key says about itself besides its type, bounds, default and docstring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Needs:
    """The key acts only beside something else. Without that it would be ignored, so it is a mistake there."""

    what: str
    """As a file says it, such as `rails above 1`."""
    is_there: Callable[[Any, Any], object]
    """Whether it is, in the table that has the key and in the whole platform."""


@dataclass(frozen=True)
class CalibrationSource:
    """`orrery calibrate` gives the value of the key, or those of all keys of the table."""

    by: str
    """The experiment, or what the value is computed from."""


@dataclass(frozen=True)
class Code:
    """Where the code is that uses the key, or the keys of the table."""

    path: str
    """A file or folder of the repository."""
