# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment gives: times, each with what it is the time of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orrery.collective.sizes import byte_size
from orrery.errors import InputError

Value = str | int | float
Row = dict[str, Value]
"""`time_s`, of replicas `low_s` and `high_s`, and settings by name, such as `ranks`, `bytes`, `platform`, `model`."""

TIME = "time_s"
LOW, HIGH = "low_s", "high_s"
"""Range of replicas from the 5th to the 95th percentile; `time_s` is the median."""
TIMES = (TIME, LOW, HIGH)
ASKED, USED = "asked_bytes", "used_bytes"
"""Memory of a program that shares some: what its ranks asked for at once, and the most that they used."""
CALLS = "calls"
PERCENT = "percent"
"""How often all ranks called a routine, and its share in the time of all ranks."""
RESULTS = (*TIMES, ASKED, USED, CALLS, PERCENT)
"""What is found, and no setting."""


def settings_that_vary(rows: Sequence[Row]) -> list[str]:
    """Names of the settings that are not the same in all rows."""
    names = dict.fromkeys(name for row in rows for name in row if name not in RESULTS)
    return [name for name in names if len({row.get(name) for row in rows}) > 1]


def selected(rows: Iterable[Row], wanted: Mapping[str, Value]) -> list[Row]:
    """Rows that have these settings; sizes may be texts with units."""
    exact = {name: _bytes(value) if name == "bytes" else value for name, value in wanted.items()}
    return [row for row in rows if all(row.get(name) == value for name, value in exact.items())]


def the_one(rows: Sequence[Row], wanted: Mapping[str, Value], where: str) -> Row | None:
    """The row that has these settings; None: it was left out. Raises InputError where there are several."""
    found = selected(rows, wanted)
    if len(found) > 1:
        more = ", ".join(name for name in settings_that_vary(found))
        raise InputError(f"{where}: {_said(wanted)} are {len(found)} times: say {more}, too")
    return found[0] if found else None


def _bytes(value: Value) -> Value:
    return byte_size(value, "bytes") if isinstance(value, str) else value


def _said(wanted: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in wanted.items())
