# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the members of JSON objects, from the classes that are written as them."""

from __future__ import annotations

import inspect
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
from orrery.published import members_of

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


class Member(typing.NamedTuple):
    """A member of an object."""

    name: str
    hint: Any
    """Type of its values."""
    default: str
    """As the page says it."""
    text: str
    """What it means."""


@dataclass(frozen=True)
class Part:
    """An object that JSON has: a dataclass or a named tuple."""

    kind: type
    heading: str
    """Heading of its section."""
    about: str = ""
    """What it is; empty: its docstring says it."""

    @property
    def anchor(self) -> str:
        """What links to its section end with."""
        return re.sub(r"[^a-z0-9_ -]", "", self.heading.lower()).replace(" ", "-")

    def members(self) -> list[Member]:
        """Return what the object has, in its order."""
        return list(_members_of(self.kind))


def _members_of(kind: type) -> Iterator[Member]:
    docs = of_fields(kind)
    hints = typing.get_type_hints(kind, include_extras=True)
    if not is_dataclass(kind):
        yield from (Member(name, hint, "required", docs.get(name, "")) for name, hint in hints.items())
        return
    declared = {field.name: field for field in fields(kind)}
    for name, spread in members_of(kind):
        if spread:
            yield from _members_of(hints[name])
        elif name in declared:
            yield Member(name, hints[name], _default(declared[name]), docs.get(name, ""))
        else:
            getter = inspect.getattr_static(kind, name).fget
            yield Member(name, typing.get_type_hints(getter)["return"], "required", _first_line(getter.__doc__))


def sections(parts: Sequence[Part], elsewhere: dict[type, str], level: str = "##") -> str:
    """Markdown of sections, which link to each other; `elsewhere`: links for objects of other pages."""
    links = elsewhere | {part.kind: f"[{part.heading}](#{part.anchor})" for part in parts}
    return "\n".join(_section(part, links, level) for part in parts)


def _section(part: Part, links: dict[type, str], level: str) -> str:
    about = part.about or ("" if part.kind.__doc__ is None else " ".join(part.kind.__doc__.split("\n\n")[0].split()))
    rows = [
        f"| `{member.name}` | {_kind(member.hint, links)} | {member.default} | {_text(member.text)} |"
        for member in part.members()
    ]
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
