# SPDX-License-Identifier: BSD-3-Clause
"""Platform files as text: tables by their headers, what is long and flat on one line each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from orrery.words import toml

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_INLINE = ("node", "link", "edge", "route", "within_chassis", "between_chassis", "between_groups")


def write(values: Mapping[str, Any]) -> str:
    """TOML of plain values: texts, numbers, truths, lists, tables, lists of tables."""
    return "\n".join(_table(values, ())) + "\n"


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    later: list[tuple[str, Any]] = []
    for key, value in values.items():
        tables = isinstance(value, Mapping) or (isinstance(value, list) and value and isinstance(value[0], Mapping))
        if not tables or key in _INLINE:
            yield from _line(key, value)
        else:
            later.append((key, value))
    for key, value in later:
        name = ".".join(map(_key, (*path, key)))
        for table in value if isinstance(value, list) else [value]:
            yield ""
            yield f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
            yield from _table(table, (*path, key))


def _line(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        yield f"{_key(key)} = ["
        yield from (f"    {_value(item)}," for item in value)
        yield "]"
    else:
        yield f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    """Bare where TOML allows that, else in quotes."""
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return toml(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(value)
