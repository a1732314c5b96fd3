# SPDX-License-Identifier: BSD-3-Clause
"""What a table declares, key by key. From it come the structs of the core, the JSON schema and the reference page."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from orrery import docstrings
from orrery.platform.tables.quantities import OrOne, Quantity, Table
from orrery.platform.tables.remarks import CalibrationSource, Code, Needs

Kind = Literal["number", "whole", "text", "truth", "choice", "table", "list", "map"]
_KINDS: dict[object, Kind] = {bool: "truth", int: "whole", float: "number", str: "text"}
BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


@dataclass(frozen=True)
class Value:
    """What a key may hold, or each value of a list."""

    kind: Kind
    type: Any
    """In Python."""
    bounds: dict[str, float]
    """By their names in `BOUNDS`; of two that say the same the one that allows less."""
    quantity: Quantity | None = None
    """Its unit, of a number or whole number."""
    of: Value | None = None
    """Each value of a list, and of a map, whose keys are texts."""
    least: int = 0
    """Shortest list."""
    most: int | None = None
    """Longest list."""
    or_one: bool = False
    """A list of one value may be written without brackets."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What may be chosen from."""
        return get_args(self.type) if self.kind == "choice" else ()

    @property
    def table(self) -> type[Table] | None:
        """The class of the table, or of each table of a list."""
        if self.kind == "list" and self.of:
            return self.of.table
        return self.type if self.kind == "table" else None


@dataclass(frozen=True)
class Key:
    """A key of a table."""

    owner: type[Table]
    """The table."""
    name: str
    """In the file."""
    attribute: str
    """In the class, and in the core."""
    value: Value
    optional: bool
    """Whether there is nothing where the file does not have it."""
    required: bool
    default: Any
    """Where it is not required; None: nothing."""
    needs: tuple[Needs, ...]
    measured: str | None
    """What experiment of `orrery calibrate` gives it."""
    code: str | None
    """Where the code is that uses it."""

    @property
    def doc(self) -> str:
        """Its docstring."""
        return docstrings.of_fields(self.owner)[self.attribute]


@cache
def keys_of(table: type[Table]) -> tuple[Key, ...]:
    """All keys of a table, in the order of their declaration."""
    return tuple(_key(table, name, field) for name, field in table.model_fields.items())


def doc_of(table: type[Table]) -> str:
    """The docstring of a table, on one line."""
    return " ".join((table.__doc__ or "").split())


def _key(table: type[Table], name: str, field: Any) -> Key:
    said = [*field.metadata]
    annotation = _inner(field.annotation, said)
    flat = list(_flat(said))
    return Key(
        owner=table,
        name=field.alias or name,
        attribute=name,
        value=_value(annotation, flat),
        optional=annotation is not field.annotation and type(None) in get_args(field.annotation),
        required=field.is_required(),
        default=None if field.is_required() else field.default,
        needs=tuple(remark for remark in flat if isinstance(remark, Needs)),
        measured=next((remark.by for remark in flat if isinstance(remark, CalibrationSource)), None),
        code=next((remark.path for remark in flat if isinstance(remark, Code)), None),
    )


def _inner(annotation: Any, said: list[Any]) -> Any:
    """The type without `| None` and `Annotated`, whose remarks are added to `said`."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        said.extend(more)
        return _inner(inner, said)
    if get_origin(annotation) in (Union, types.UnionType):
        (inner,) = (kind for kind in get_args(annotation) if kind is not type(None))
        return _inner(inner, said)
    return annotation


def _value(annotation: Any, said: list[Any]) -> Value:
    bounds = _bounds(said)
    origin = get_origin(annotation)
    if origin is Literal:
        return Value("choice", annotation, bounds)
    if origin in (list, dict):
        more: list[Any] = []
        inner = _inner(get_args(annotation)[-1], more)
        return Value(
            "list" if origin is list else "map",
            annotation,
            {},
            of=_value(inner, list(_flat(more))),
            least=_said(said, "min_length") or 0,
            most=_said(said, "max_length"),
            or_one=any(isinstance(remark, OrOne) for remark in said),
        )
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return Value("table", annotation, bounds)
    quantity = next((remark for remark in said if isinstance(remark, Quantity)), None)
    return Value(_KINDS[annotation], annotation, bounds, quantity)


def _bounds(said: Iterable[Any]) -> dict[str, float]:
    found = {name: value for remark in said for name in BOUNDS if (value := getattr(remark, name, None)) is not None}
    for strict, weak, more in (("gt", "ge", 1), ("lt", "le", -1)):
        if strict in found and weak in found:
            del found[weak if more * found[weak] <= more * found[strict] else strict]
    return found


def _said(said: Iterable[Any], name: str) -> Any:
    return next((value for remark in said if (value := getattr(remark, name, None)) is not None), None)


def _flat(said: Iterable[Any]) -> Iterator[Any]:
    """Remarks, those of pydantic's `Field` one by one."""
    for remark in said:
        yield from getattr(remark, "metadata", None) or [remark]
