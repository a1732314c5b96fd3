# SPDX-License-Identifier: BSD-3-Clause
"""Results as JSON: the class of a result says what its JSON holds, once.

The members of the object are the fields of the dataclass, and behind them its properties that are `published`. A field whose
metadata are `UNWRITTEN` is left out; in the place of one with `SPREAD`, whose value is a result, too, stand the members of that value.
A named tuple is an object, too, of its fields.
What is not a number, or is infinite, is null, as JSON has neither. The reference (docs/reference/json.md) is written from the same
classes, by `members_of`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from orrery.marks import mark_json
from orrery.words import json_text

UNWRITTEN: Mapping[str, Any] = MappingProxyType({"published": "unwritten"})
"""Metadata of a field that JSON does not hold: `times: list[float] = field(metadata=UNWRITTEN)`."""
SPREAD: Mapping[str, Any] = MappingProxyType({"published": "spread"})
"""Metadata of a field in whose place JSON has the members of its value."""

_Getter = TypeVar("_Getter", bound=Callable[..., Any])


def published(getter: _Getter) -> _Getter:
    """Mark the function of a property as a member of JSON; stands below `@property`."""
    getter.__published__ = True  # type: ignore[attr-defined]
    return getter


@cache
def members_of(kind: type) -> tuple[tuple[str, bool], ...]:
    """Names of the members that the class itself declares, in their order, and whether each is a field to `SPREAD`."""
    if not is_dataclass(kind):  # a named tuple
        return tuple((name, False) for name in kind._fields)  # type: ignore[attr-defined]
    marks = [(field.name, field.metadata.get("published")) for field in fields(kind)]
    declared = [(name, mark == "spread") for name, mark in marks if mark != "unwritten"]
    return (*declared, *((name, False) for name in _properties(kind)))


def _properties(kind: type) -> Iterator[str]:
    """Names of properties that are published; those of base classes first."""
    names = {name: None for base in reversed(kind.__mro__) for name in vars(base)}
    for name in names:
        found = inspect.getattr_static(kind, name)
        if isinstance(found, property) and hasattr(found.fget, "__published__"):
            yield name


def members(result: Any) -> dict[str, Any]:
    """The members of the object for a result, whose values may be results, too."""
    found: dict[str, Any] = {}
    for name, spread in members_of(result.__class__):
        if spread:
            found |= members(getattr(result, name))
        else:
            found[name] = getattr(result, name)
    return found


def as_json(result: Any) -> Any:
    """The values of a result as JSON has them: objects, arrays, texts, numbers, true, false and null."""
    if isinstance(result, str | int | None):
        return result
    if isinstance(result, float):
        return result if isfinite(result) else None
    if is_dataclass(result) or hasattr(result, "_fields"):
        return {name: as_json(value) for name, value in members(result).items()}
    if isinstance(result, list | tuple):
        return [as_json(value) for value in result]
    if isinstance(result, Mapping):
        return {key: as_json(value) for key, value in result.items()}
    return str(result) if isinstance(result, Path) else result


def json_of(result: Any) -> str:
    """The JSON of a result, without an end of line; an object is marked as one of Orrery's."""
    values = as_json(result)
    marked = mark_json(values) if isinstance(values, dict) else values
    return json_text(json.dumps(marked, indent=1, ensure_ascii=False))
