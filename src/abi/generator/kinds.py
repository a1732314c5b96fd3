# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of parameters, read from kinds.toml (its head says what the keys mean)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from generator.errors import TableError


class Direction(Enum):
    """Where the value of a parameter comes from."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


@dataclass(frozen=True)
class ParameterKind:
    """One kind of parameter; `declared` and `converted` are templates by use (`in`, `out_array`, ...)."""

    name: str
    c: str
    large: str
    internal: str
    doc: str
    sized: bool
    span: bool
    callback: str | None
    declared: Mapping[str, str]
    converted: Mapping[str, str]

    def c_type(self, *, large: bool) -> str:
        """C type of one element, in the small or the large-count form."""
        return self.large if large else self.c

    def declaration(self, name: str, use: str, *, large: bool) -> str:
        """C declaration of a parameter; `use` is its direction, with `_array` behind it for an array of elements.

        Arrays are declared as pointers. Of a parameter with brackets GCC assumes that an element lies there, and warns
        of addresses that have a meaning of their own (MPI_UNWEIGHTED).
        """
        usual = {"in": "{c} {name}", "in_array": "const {c} *{name}"}
        if self.callback is not None:
            usual["in"] = "{c} *{name}"
        template = self.declared.get(use, usual.get(use, "{c} *{name}"))
        return template.format(c=self.c_type(large=large), name=name)

    def conversion(self, name: str, use: str, *, length: str, used: str) -> str:
        """C++ expression that turns the C parameter into the argument of the internal function."""
        default = "function({name})" if self.callback is not None else "{name}"
        return self.converted.get(use, default).format(name=name, length=length, used=used)


USES = tuple(direction.value + array for direction in Direction for array in ("", "_array"))
_CONVERSIONS = (*USES, "large_out")
_KEYS = {"doc", "c", "large", "internal", "sized", "span", "callback"}
_KEYS |= {*_CONVERSIONS, *(f"declare_{use}" for use in USES)}


def _kind(path: Path, name: str, entry: Mapping[str, object]) -> ParameterKind:
    if unknown := set(entry) - _KEYS:
        raise TableError(path, None, f"kind {name}: unknown keys {', '.join(sorted(unknown))}")
    if "c" not in entry:
        raise TableError(path, None, f"kind {name}: c, its C type, is missing")
    c = str(entry["c"])
    callback = entry.get("callback")
    return ParameterKind(
        name=name,
        c=c,
        large=str(entry.get("large", c)),
        internal=str(entry.get("internal", "void (*)()")),
        doc=str(entry.get("doc", "")),
        sized=bool(entry.get("sized", False)),
        span=bool(entry.get("span", False)),
        callback=str(callback) if callback is not None else None,
        declared={use: str(entry[f"declare_{use}"]) for use in USES if f"declare_{use}" in entry},
        converted={use: str(entry[use]) for use in _CONVERSIONS if use in entry},
    )


def read_kinds(path: Path) -> dict[str, ParameterKind]:
    """All kinds by name, in the order of the file.

    Raises:
        TableError: an entry has unknown keys or no C type.
    """
    with path.open("rb") as file:
        entries = tomllib.load(file)
    return {name: _kind(path, name, entry) for name, entry in entries.items()}
