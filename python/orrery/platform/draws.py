# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration could have given as well: sets of values that belong together, put into the platform's place.

A platform is taken as plain values, `Platform.model_dump()`; keys are those of the file, as `dotted` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orrery.platform.core import Plain

Key = tuple[str | int, ...]
"""Names and numbers on the way to a value."""

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_FIELDS = {"cluster": "clusters", "cabinet": "cabinets"}
"""Tables whose key in the file is another one than among plain values."""


def count_of(platform: Plain) -> int:
    """How many sets there are; 0 for a platform that was not calibrated, or before sets were kept."""
    return min(map(len, _sets(platform).values()), default=0)


def drawn(platform: Plain, number: int) -> Plain:
    """The platform with the values of set `number`, from 0; sets are used again when there are no more."""
    sets, count = _sets(platform), count_of(platform)
    out = {name: value if name == "calibration" else deepcopy(value) for name, value in platform.items()}
    for key, values in sets.items():
        *tables, last = parts(key)
        place: Any = out
        for part in tables:
            place = place[part]
        before, value = place[last], values[number % count]
        place[last] = round(value) if isinstance(before, int) else value
    return out


def parts(key: str) -> list[str | int]:
    """Names and numbers on the way to a value: `cluster[0].latency_s` is `clusters`, 0, `latency_s`."""
    return [int(number) if number else _FIELDS.get(name, name) for name, number in _PART.findall(key)]


def leaves(value: Any, key: Key = ()) -> Iterator[tuple[Key, object]]:
    """Single values below a table, with their keys."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from leaves(inner, (*key, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*key, number))
    else:
        yield key, value


def mistakes(platform: Plain) -> Iterator[tuple[str, str]]:
    """Sets that cannot be put in place: the key, and what is wrong."""
    sets = _sets(platform)
    most = max(map(len, sets.values()), default=0)
    for key, values in sets.items():
        place: Any = platform
        try:
            for part in parts(key):
                place = place[part]
        except (KeyError, IndexError, TypeError):
            place = None
        if isinstance(place, bool) or not isinstance(place, int | float):
            yield key, "no number of this platform has this key; remove the line, or calibrate again"
        elif len(values) != most:
            yield key, f"expected {most} values, as others have: the n-th of all keys belong together"


def _sets(platform: Plain) -> dict[str, list[float]]:
    return dict((platform["calibration"] or {}).get("draws", {}))
