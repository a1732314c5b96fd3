# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the members of JSON objects, from the classes that are written as them."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import orrery
from orrery.docstrings import of_fields

_JSON = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "`true` or `false`",
    NoneType: "`null`",
    object: "any",
    Any: "any",
    Path: "text",
}


@dataclass(frozen=True)
class Part:
    """An object that JSON has: a dataclass, a named tuple or a TypedDict; and what it has besides the fields."""

    kind: type
    heading: str
    """Heading of its section."""
    about: str = ""
    """What it is; empty: its docstring says it."""
    besides: tuple[str, ...] = ()
    """Properties, and methods without arguments, whose values are written, too."""

    @property
    def anchor(self) -> str:
        """What links to its section end with."""
        return re.sub(r"[^a-z0-9_ -]", "", self.heading.lower()).replace(" ", "-")

    def members(self) -> list[tuple[str, Any]]:
        """Names and types."""
        given = {name: getattr(vars(self.kind)[name], "fget", vars(self.kind)[name]) for name in self.besides}
        besides = [(name, typing.get_type_hints(get)["return"]) for name, get in given.items()]
        return [*typing.get_type_hints(self.kind).items(), *besides]


def sections(parts: Sequence[Part], elsewhere: dict[type, str], level: str = "##") -> str:
    """Markdown of sections, which link to each other; `elsewhere`: links for objects of other pages."""
    links = elsewhere | {part.kind: f"[{part.heading}](#{part.anchor})" for part in parts}
    return "\n".join(_section(part, links, level) for part in parts)


def _section(part: Part, links: dict[type, str], level: str) -> str:
    about = part.about or ("" if part.kind.__doc__ is None else " ".join(part.kind.__doc__.split("\n\n")[0].split()))
    rows = [f"| `{name}` | {kind} | {default} | {_text(text)} |" for name, kind, default, text in _rows(part, links)]
    return "\n".join(
        [
            f"{level} {part.heading}",
            "",
            about,
            "",
            "| member | value | default | meaning |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def _rows(part: Part, links: dict[type, str]) -> Iterator[tuple[str, str, str, str]]:
    docs = of_fields(part.kind)
    declared = {field.name: field for field in fields(part.kind)} if is_dataclass(part.kind) else {}
    with_marks = typing.get_type_hints(part.kind, include_extras=True)
    optional = {name for name, hint in with_marks.items() if typing.get_origin(hint) is typing.NotRequired}
    for name, hint in part.members():
        default = _default(declared[name]) if name in declared else "absent" if name in optional else "required"
        text = _first_line(vars(part.kind)[name].__doc__) if name in part.besides else docs.get(name, "")
        yield name, _kind(hint, links), default, text


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _kind(hint: Any, links: dict[type, str]) -> str:
    """What JSON has for a type."""
    if isinstance(hint, type) and hint in links:
        return f"object: {links[hint]}"
    if hint in _JSON:
        return _JSON[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return " or ".join(_kind(argument, links) for argument in arguments)
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return f"array of {_kind(arguments[0], links)}"
    if origin is dict:
        return f"object of {_kind(arguments[1], links)}"
    if origin is tuple:
        return f"array: {', '.join(_kind(argument, links) for argument in arguments)}"
    if origin is typing.Literal:
        return ", ".join(f'`"{value}"`' for value in arguments)
    raise TypeError(f"no JSON is known for {hint}")


def _default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return {list: "`[]`", dict: "`{}`"}[field.default_factory]  # type: ignore[index]
    if field.default is MISSING or field.default == orrery.__version__:
        return "required"
    return f"`{json.dumps(field.default)}`"


def _text(text: str) -> str:
    return re.sub(r"\bNone\b", "`null`", text).replace("|", "\\|").replace("<", "\\<")
