# SPDX-License-Identifier: BSD-3-Clause
"""Which numbers differ between binary interfaces: read from foreign/categories.toml, whose head says what is in it."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from generator.errors import TableError
from generator.interface import BinaryInterface
from generator.table import Form, Parameter


@dataclass(frozen=True)
class Category:
    """Constants that stand for the same kind of thing."""

    name: str
    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    bits: bool = False
    beyond: str | None = None
    others: str | None = None

    def has(self, form: Form, parameter: Parameter) -> bool:
        """Whether a parameter is a number of this category."""
        full = f"{form.routine.name}.{parameter.name}"
        if full in self.excepted:
            return False
        named = parameter.name in self.parameters and parameter.kind.name == "int"
        return named or full in self.parameters or parameter.kind.name in self.kinds

    def pairs(self, foreign: BinaryInterface, standard: BinaryInterface) -> list[tuple[str, int, int]]:
        """Name, value in the one and in the other interface, of the constants that both have."""
        ours, theirs = standard.values(), foreign.values()
        return [
            (name, theirs[name], value)
            for name, value in ours.items()
            if name in theirs and any(fnmatchcase(name, pattern) for pattern in self.names)
        ]


_KEYS = {"names", "kinds", "parameters", "except", "bits", "beyond", "others"}


def read_categories(path: Path) -> list[Category]:
    """All categories, in the order of the file.

    Raises:
        TableError: an entry has unknown keys.
    """
    with path.open("rb") as file:
        entries: Mapping[str, Mapping[str, object]] = tomllib.load(file)

    def words(entry: Mapping[str, object], key: str) -> tuple[str, ...]:
        value = entry.get(key, ())
        assert isinstance(value, Iterable)
        return tuple(str(word) for word in value)

    out = []
    for name, entry in entries.items():
        if unknown := set(entry) - _KEYS:
            raise TableError(path, None, f"category {name}: unknown keys {', '.join(sorted(unknown))}")
        out.append(
            Category(
                name=name,
                names=words(entry, "names"),
                kinds=words(entry, "kinds"),
                parameters=words(entry, "parameters"),
                excepted=words(entry, "except"),
                bits=bool(entry.get("bits", False)),
                beyond=str(entry["beyond"]) if "beyond" in entry else None,
                others=str(entry["others"]) if "others" in entry else None,
            )
        )
    return out
