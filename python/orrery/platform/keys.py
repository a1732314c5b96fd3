# SPDX-License-Identifier: BSD-3-Clause
"""All keys of a platform file with their places in it, in the order in which the tables declare them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from orrery.errors import InputError, did_you_mean
from orrery.platform.schema import Platform
from orrery.platform.tables.declared import BOUNDS, Key, Value, keys_of
from orrery.platform.tables.quantities import Table
from orrery.units import show_bytes, show_time

_NUMBER = re.compile(r"\[\d+\]")
_WORDS = {"number": "a number", "whole": "a whole number", "text": "text", "truth": "true or false", "table": "a table"}
_PLURALS = {"number": "numbers", "whole": "whole numbers", "text": "texts"}


@dataclass(frozen=True)
class KeyEntry:
    """A key at its place. Of the remarks that it does not have those of its table hold."""

    tables: tuple[str, ...]
    """On the way to it."""
    key: Key
    measured: str | None
    code: str | None

    @property
    def path(self) -> tuple[str, ...]:
        """All names on the way."""
        return (*self.tables, self.key.name)

    @property
    def dotted(self) -> str:
        """`transport.connections.queue`."""
        return ".".join(self.path)

    @property
    def header(self) -> str:
        """Header of a table, as a file begins it: `[transport]`, `[[cluster]]`."""
        return f"[[{self.dotted}]]" if self.key.value.of else f"[{self.dotted}]"


@dataclass(frozen=True)
class KeySection:
    """A table of one declaration, at all of its places."""

    table: type[Table]
    places: tuple[KeyEntry, ...]
    """None for the file itself."""
    entries: tuple[KeyEntry, ...]
    """Its keys, as at its first place."""


@cache
def entries() -> tuple[KeyEntry, ...]:
    """Every key, each table before what is in it."""
    return tuple(_below(Platform, ()))


def _below(table: type[Table], tables: tuple[str, ...], above: KeyEntry | None = None) -> Iterator[KeyEntry]:
    for key in keys_of(table):
        measured = key.measured or (above.measured if above else None)
        entry = KeyEntry(tables, key, measured, key.code or (above.code if above else None))
        yield entry
        if key.value.table:
            yield from _below(key.value.table, entry.path, entry)


@cache
def sections() -> tuple[KeySection, ...]:
    """The file itself, then each table, once for all of its places."""
    found = [KeySection(Platform, (), tuple(entry for entry in entries() if not entry.tables))]
    for table in dict.fromkeys(entry.key.value.table for entry in entries()):
        if table is not None:
            places = tuple(entry for entry in entries() if entry.key.value.table is table)
            found.append(
                KeySection(table, places, tuple(entry for entry in entries() if entry.tables == places[0].path))
            )
    return tuple(found)


def named(name: str) -> list[KeyEntry]:
    """The keys that a name stands for: that key, or all whose names on the way contain those of `name` in order and end
    with the last one, so `latency_s` are all of this name. Tables may be written as in a file or in messages:
    `[[cluster]]`, `cluster[0].cabinet`. Raises InputError if there is none.
    """
    asked = _NUMBER.sub("", name).strip("[] ")
    if exact := [entry for entry in entries() if entry.dotted == asked]:
        return exact
    parts = asked.split(".")
    if found := [entry for entry in entries() if entry.key.name == parts[-1] and _contains(entry.path, parts)]:
        return found
    known = [*(entry.dotted for entry in entries()), *(entry.key.name for entry in entries())]
    raise InputError(
        f"{name}: no table or key of platform files has this name{did_you_mean(asked, known)}; "
        "`orrery platform keys` prints all"
    )


def _contains(path: tuple[str, ...], parts: list[str]) -> bool:
    """Whether the parts come in the path in this order."""
    rest = iter(path)
    return all(part in rest for part in parts)


def said_values(value: Value) -> str:
    """What a key may hold, in words: `seconds, at least 0`."""
    if value.kind == "choice":
        return " or ".join(", ".join(f'"{choice}"' for choice in value.choices).rsplit(", ", 1))
    if value.kind == "map":
        return f"a table with any keys, each {said_values(_of(value))}"
    if value.kind == "list":
        return _said_list(value, _of(value))
    what = value.quantity.base if value.quantity else _WORDS[value.kind]
    return f"{what}{_bounds(value.bounds)}"


def _said_list(value: Value, of: Value) -> str:
    if value.table:
        return f"tables, at least {value.least}" if value.least else "tables"
    if value.or_one:
        return f"{said_values(of)}, or a list of these"
    least = f"at least {value.least} " if value.least else ""
    number = f"{value.least} to {value.most} " if value.most is not None else least
    each = _bounds(of.bounds).replace(",", ", each", 1)
    if of.kind == "list":
        return f"a list, each {said_values(of)}"
    return f"a list of {number}{_PLURALS.get(of.kind) or said_values(of)}{each}"


def _of(value: Value) -> Value:
    assert value.of is not None  # noqa: S101  lists and maps have it
    return value.of


def _bounds(bounds: dict[str, float]) -> str:
    if bounds.keys() == {"ge", "le"}:
        return f" from {bounds['ge']:g} to {bounds['le']:g}"
    words = " and ".join(f"{BOUNDS[name]} {bound:g}" for name, bound in bounds.items())
    return f", {words}" if words else ""


def said_default(key: Key) -> str:
    """What holds where a file does not have the key, as a file would say it; `required`, or `none`."""
    if key.required:
        return "required"
    value: Any = key.default
    if value is None or value in ([], {}) or isinstance(value, Table):
        return "none"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    text = _literal(value)
    base = key.value.quantity.base if key.value.quantity else ""
    if value and base in ("seconds", "bytes"):
        shown = show_time(value) if base == "seconds" else show_bytes(value)
        return f"{text} ({shown})"
    return text


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)
