# SPDX-License-Identifier: BSD-3-Clause
"""Reference page of the record, from the classes that it is made of."""

from __future__ import annotations

import json
import re
import typing
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any

import orrery
from orrery.docstrings import of_fields
from orrery.record.document import AlgorithmUse, Profile, Record, Row
from orrery.record.expected import Expected
from orrery.record.intervals import Interval, MedianInterval

_HEAD = """<!-- Written from python/orrery/record by `make reference`; run that instead of editing it. -->
# The record of a run, as JSON

`orrery run` and `orrery replay` write it with `-o FILE.json` and print it with `--json`; `orrery profile`, `orrery compare`
and `orrery validate program` read it. All of it is SI units: a name that ends in `_s` is in seconds, `bytes` are bytes.
Members may be added by a later version; programs should read those that they know. Members with a default may be absent
from records of earlier versions.

    orrery run -n 16 --json ./heat2d 2>report.txt | python -c 'import json, sys; print(json.load(sys.stdin)["simulated_s"])'

What other commands print with `--json` is said with each [command](commands/index.md).
"""

_PARTS: tuple[tuple[type, str], ...] = (
    (Record, "The record"),
    (Profile, "Profile"),
    (Row, "Row"),
    (AlgorithmUse, "AlgorithmUse"),
    (Interval, "Interval"),
    (MedianInterval, "MedianInterval"),
    (Expected, "Expected"),
)
_JSON = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "`true` or `false`",
    NoneType: "`null`",
    object: "any",
}


def page() -> str:
    """Markdown of the page."""
    return "\n".join([_HEAD, *(_section(part, heading) for part, heading in _PARTS)])


def _section(part: type, heading: str) -> str:
    hints, docs = typing.get_type_hints(part), of_fields(part)
    about = "" if part.__doc__ is None else " ".join(part.__doc__.split("\n\n")[0].split())
    rows = [
        f"| `{one.name}` | {_kind(hints[one.name])} | {_default(one)} | {_text(docs.get(one.name, ''))} |"
        for one in fields(part)
    ]
    return "\n".join(
        [f"## {heading}", "", about, "", "| member | value | default | meaning |", "|---|---|---|---|", *rows, ""]
    )


def _kind(hint: Any) -> str:
    """What JSON has for a type."""
    if isinstance(hint, type) and is_dataclass(hint):
        return f"object: [{hint.__name__}](#{hint.__name__.lower()})"
    if hint in _JSON:
        return _JSON[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return " or ".join(_kind(one) for one in arguments)
    if origin is list:
        return f"array of {_kind(arguments[0])}"
    if origin is dict:
        return f"object of {_kind(arguments[1])}"
    if origin is tuple:
        return f"array: {', '.join(_kind(one) for one in arguments)}"
    if origin is typing.Literal:
        return ", ".join(f'`"{one}"`' for one in arguments)
    raise TypeError(f"no JSON is known for {hint}")


def _default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return {list: "`[]`", dict: "`{}`"}[field.default_factory]  # type: ignore[index]
    if field.default is MISSING or field.default == orrery.__version__:
        return "required"
    return f"`{json.dumps(field.default)}`"


def _text(text: str) -> str:
    return re.sub(r"\bNone\b", "`null`", text).replace("|", "\\|").replace("<", "\\<")
