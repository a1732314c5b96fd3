# SPDX-License-Identifier: BSD-3-Clause
"""TOML files beside platform files, checked by what they declare."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from orrery.documents import expected_value, parse_toml, read_text
from orrery.errors import InputError, unknown_key
from orrery.toml_lines import dotted, line_of

_Document = TypeVar("_Document", bound=BaseModel)


def read_document(option: str, path: Path, kind: type[_Document]) -> _Document:
    """The checked content of a file. Raises InputError naming option, file, line and key, and what would be right."""
    text = read_text(path, f"{option} {path}")
    try:
        return kind.model_validate(parse_toml(path, text))
    except ValidationError as error:
        raise InputError(_described(path, text, kind, error)) from None


def _described(path: Path, text: str, kind: type[BaseModel], error: ValidationError) -> str:
    mistakes = error.errors(include_url=False)
    first = min(mistakes, key=lambda mistake: mistake["type"] == "missing")  # a misspelt key is both
    key = tuple(first["loc"])
    line = line_of(text, key)
    where = f"{path}:{line}" if line else f"{path}"
    if first["type"] == "extra_forbidden":
        known = _keys(kind, key[:-1])
        what = unknown_key(key[-1], known)
    elif first["type"] == "list_type" and len(key) == 1:
        what = f"expected tables, each below [[{key[0]}]]"
    else:
        what = expected_value(first)
    others = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    told = f"{dotted(key)}: {what[:1].lower()}{what[1:]}" if key else what
    return f"{where}: {' '.join(told.split())}{others}"  # keys and texts of the file may have several lines


def _keys(kind: type[BaseModel], table: tuple[int | str, ...]) -> list[str]:
    """Names in a table of the document: these have one kind of table, in a list."""
    if not table:
        return [field.alias or name for name, field in kind.model_fields.items()]
    for name, field in kind.model_fields.items():
        if (field.alias or name) == table[0] and field.annotation is not None:
            (inner,) = field.annotation.__args__
            return sorted(inner.model_fields)
    return []
