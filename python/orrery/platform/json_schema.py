# SPDX-License-Identifier: BSD-3-Clause
"""The JSON schema of platform files, for editors that complete and check TOML by one.

It is of draft 2020-12 and says nothing that draft 7 would not read in the same way, which is what some editors know; and
it has no references, beside which many editors ignore what is said of the single key.
"""

from __future__ import annotations

from typing import Any

from orrery.marks import mark_json
from orrery.platform.keys import KeyEntry, entries, said_default, said_values
from orrery.platform.schema import Platform
from orrery.platform.tables.declared import Value, doc_of
from orrery.platform.tables.quantities import Quantity, Table

Schema = dict[str, Any]

_TYPES = {"number": "number", "whole": "integer", "text": "string", "truth": "boolean"}
_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
_SUFFIXES = {
    "seconds": "_s",
    "seconds per byte": "_s_per_byte",
    "bytes": "_bytes",
    "bytes per second": "_bytes_per_s",
}
"""Ends of names by base unit."""


def schema() -> Schema:
    """The schema of a whole file, with the version of Orrery that wrote it. All that single keys allow is in it, nothing
    of what several keys say together.
    """
    file: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Platform file of Orrery",
        "description": doc_of(Platform),
        **_table(()),
    }
    return mark_json(file)


def _table(path: tuple[str, ...]) -> Schema:
    inside = [entry for entry in entries() if entry.tables == path]
    required = [entry.key.name for entry in inside if entry.key.required]
    return {
        "type": "object",
        "properties": {entry.key.name: _key(entry) for entry in inside},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _key(entry: KeyEntry) -> Schema:
    key = entry.key
    quantity = key.value.quantity
    said = {
        "x-unit": quantity.base if quantity else None,
        "x-needs": [needs.what for needs in key.needs] or None,
        "x-measured-by": f"orrery calibrate: {entry.measured}" if entry.measured else None,
        "x-code": entry.code,
    }
    return {
        "title": _title(entry),
        "description": _description(entry),
        **_value(key.value, entry.path),
        **_default(entry),
        **({"examples": [quantity.example]} if quantity else {}),
        **{name: value for name, value in said.items() if value is not None},
    }


def _title(entry: KeyEntry) -> str:
    """`Send overhead (seconds)`."""
    name, quantity = entry.key.name, entry.key.value.quantity
    if quantity:
        name = name.replace(_SUFFIXES[quantity.base], "", 1)
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:] + (f" ({quantity.base})" if quantity else "")


def _description(entry: KeyEntry) -> str:
    key = entry.key
    lines = [key.doc]
    if key.value.table:
        lines.append(doc_of(key.value.table))
    values = said_values(key.value)
    if key.value.quantity:
        values += f', or text such as "{key.value.quantity.example}"'
    lines += [f"Values: {values}.", f"Default: {said_default(key)}."]
    lines += [f"Needs: {needs.what}." for needs in key.needs]
    if entry.measured:
        lines.append(f"Measured by orrery calibrate: {entry.measured}.")
    return "\n\n".join(lines)


def _default(entry: KeyEntry) -> Schema:
    default = entry.key.default
    if default is None or isinstance(default, Table):
        return {}
    return {"default": default}


def _value(value: Value, path: tuple[str, ...]) -> Schema:
    if value.kind == "table":
        return _table(path)
    if value.kind == "choice":
        return {"type": "string", "enum": list(value.choices)}
    if value.kind == "map" and value.of:
        return {"type": "object", "additionalProperties": _value(value.of, path)}
    if value.kind == "list" and value.of:
        return _list(value, value.of, path)
    bounds = {_BOUNDS[name]: bound for name, bound in value.bounds.items()}
    plain: Schema = {"type": _TYPES[value.kind], **bounds}
    if value.quantity:
        plain = {"type": [plain["type"], "string"], **bounds, "pattern": _pattern(value.quantity, value.bounds)}
    return plain


def _list(value: Value, of: Value, path: tuple[str, ...]) -> Schema:
    items = _value(of, path)
    lengths = {"minItems": value.least} if value.least else {}
    if value.most is not None:
        lengths["maxItems"] = value.most
    return {"type": [items["type"], "array"] if value.or_one else "array", "items": items, **lengths}


def _pattern(quantity: Quantity, bounds: dict[str, float]) -> str:
    """Texts that the quantity reads, as far as their signs and zeros are within its bounds."""
    sign = r"\+?" if "ge" in bounds or "gt" in bounds else "[-+]?"
    some = r"(?=[\s+0_.]*[1-9])" if "gt" in bounds else ""
    digits = r"(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    return rf"^{some}\s*{sign}{digits}\s*{quantity.unit}\s*$"
