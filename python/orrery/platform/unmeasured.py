# SPDX-License-Identifier: BSD-3-Clause
"""Values of a platform that nothing says were measured, and how far each may be from what the file says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from orrery.errors import InputError
from orrery.platform import keys
from orrery.platform.core import Plain
from orrery.platform.draws import Key
from orrery.platform.schema import Platform
from orrery.platform.tables.declared import keys_of
from orrery.platform.tables.quantities import Table
from orrery.platform.templates import TEMPLATES
from orrery.platform.typical import UNUSED

_BASES = ("seconds", "seconds per byte", "bytes per second")
"""Units of what is measured; sizes and counts are chosen, by libraries and by who builds clusters."""
_MEMORY = (
    "network.inside_node",
    "loggps.inside_node",
    "cluster.memory_bandwidth_bytes_per_s",
    "cluster.memory_latency_s",
)
"""What a calibration measures only where it had several ranks on a node."""
_GB = 1e9
_KNOWN = {
    "cluster.memory_bandwidth_bytes_per_s": (
        min(kind.memory for kind in TEMPLATES.values()) * _GB, max(kind.memory for kind in TEMPLATES.values()) * _GB,
    ),
}  # fmt: skip
"""Values that clusters of today have, whatever joins their nodes: as the templates do."""


_WHOLE = {"bandwidth_factor": 1.0}
"""Largest values that keys have unless a file says more: a message gets no more than all of its route."""


@dataclass(frozen=True, kw_only=True)
class UnmeasuredKey:
    """A key, with its values in all tables that have it: they vary together, by one factor."""

    key: str
    """As `orrery platform keys` takes it: as short as tells it from the others."""
    places: tuple[Key, ...]
    """Where the values are in the plain platform."""
    value: float | None
    """What the file says; None: several tables say different things."""
    low: float
    """Smallest factor on the values that is plausible, at most 1."""
    high: float
    """Largest, at least 1."""
    base: str
    """Unit of the values; empty: they are factors."""

    def on(self, platform: Plain, factor: float) -> Plain:
        """The platform with `factor` times the values."""
        out = {name: value if name == "calibration" else deepcopy(value) for name, value in platform.items()}
        for *tables, last in self.places:
            place: Any = out
            for part in tables:
                place = place[part]
            place[last] *= factor
        return out


@dataclass(frozen=True)
class _KeyValue:
    entry: keys.KeyEntry
    place: Key
    value: float


def unmeasured(platform: Plain, model: str, reach: float, *, files: bool = True) -> list[UnmeasuredKey]:
    """Keys whose values may as well be others, in the order of the file.

    Args:
        platform: its values.
        model: `hybrid`, `loggps`, `fluid` or `ideal`; what it does not read is left out.
        reach: factor, above 1, by which a value that nobody measured may be off either way.
        files: whether accesses to files are simulated.
    """
    unused = (*UNUSED[model], *(() if files else ("storage",)))
    found = {dotted: values for dotted, values in _unmeasured(platform).items() if dotted.split(".")[0] not in unused}
    names = _short(list(found))
    ranged = (_ranged(names[dotted], values, reach) for dotted, values in found.items())
    return [key for key in ranged if key.low < key.high]


def unmeasured_keys(platform: Plain) -> list[str]:
    """Full names of all keys with values that nothing says were measured, in the order of the file."""
    return list(_unmeasured(platform))


def _unmeasured(platform: Plain) -> dict[str, list[_KeyValue]]:
    """These values, by the full names of their keys."""
    found: dict[str, list[_KeyValue]] = defaultdict(list)
    known = _measured(platform)
    for held in _values(Platform, platform, (), ()):
        if held.entry.path[0] != "calibration" and held.value > 0 and not known(held):
            found[held.entry.dotted].append(held)
    return found


def unknown_keys(measured: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Names in `measured` that no key has: their positions, and what is wrong."""
    for number, name in enumerate(measured):
        try:
            keys.named(name)
        except InputError as error:
            yield number, str(error).removeprefix(f"{name}: ")


def _measured(platform: Plain) -> Any:
    """Whether a value was measured, by what the platform says of itself."""
    said = [entry.path for name in platform["measured"] for entry in keys.named(name)]
    calibration = platform["calibration"]
    memory = calibration is not None and any(_in_memory(key.replace("[0]", "")) for key in calibration["draws"])

    def known(held: _KeyValue) -> bool:
        path = held.entry.path
        if any(path[: len(above)] == above for above in said):
            return True
        if calibration is None or held.entry.measured is None:
            return False
        if path == ("cluster", "speed"):
            return held.value != 1.0  # what is written where it was not measured
        return memory or not _in_memory(held.entry.dotted)

    return known


def _in_memory(dotted: str) -> bool:
    return dotted.startswith(_MEMORY)


def _values(table: type[Table], plain: Plain, tables: tuple[str, ...], place: Key) -> Iterator[_KeyValue]:
    """All numbers of a table and of those in it that are measured quantities, or factors of such."""
    for key in keys_of(table):
        held, here = plain[key.attribute], (*place, key.attribute)
        inner = key.value.table
        if inner is not None and isinstance(held, list):
            for number, row in enumerate(held):
                yield from _values(inner, row, (*tables, key.name), (*here, number))
        elif inner is not None and held is not None:
            yield from _values(inner, held, (*tables, key.name), here)
        elif isinstance(held, float) and (_is_measurable(key.name, key.value.quantity)):
            yield _KeyValue(_entry((*tables, key.name)), here, held)


def _is_measurable(name: str, quantity: Any) -> bool:
    return quantity.base in _BASES if quantity else name == "speed" or name.endswith("_factor")


def _entry(path: tuple[str, ...]) -> keys.KeyEntry:
    return next(entry for entry in keys.entries() if entry.path == path)


def _short(dotted: Sequence[str]) -> dict[str, str]:
    """For each key the shortest end of its name that no other one has."""
    ends: dict[str, int] = defaultdict(int)
    for name in dotted:
        for end in _ends(name):
            ends[end] += 1
    return {name: next(end for end in _ends(name) if ends[end] == 1 or end == name) for name in dotted}


def _ends(name: str) -> list[str]:
    """`c`, `b.c`, `a.b.c`."""
    parts = name.split(".")
    return [".".join(parts[first:]) for first in reversed(range(len(parts)))]


def _ranged(name: str, found: Sequence[_KeyValue], reach: float) -> UnmeasuredKey:
    """With the range that is plausible, within what the key may hold."""
    values = {held.value for held in found}
    value = values.pop() if len(values) == 1 else None
    key = found[0].entry.key
    low, high = 1 / reach, reach
    if value is not None and (known := _KNOWN.get(found[0].entry.dotted)):
        low, high = min(low, known[0] / value), max(high, known[1] / value)
    bounds = key.value.bounds
    if "ge" in bounds:
        low = max([low, *(bounds["ge"] / held.value for held in found)])
    most = bounds.get("le", _WHOLE.get(key.name, 0.0))
    high = min([high, *(most / held.value for held in found if held.value <= most)])
    return UnmeasuredKey(
        key=name,
        places=tuple(held.place for held in found),
        value=value,
        low=min(1.0, low),
        high=max(1.0, high),
        base=key.value.quantity.base if key.value.quantity else "",
    )
