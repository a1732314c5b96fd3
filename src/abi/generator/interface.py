# SPDX-License-Identifier: BSD-3-Clause
"""A binary interface: how handles, constants and statuses look to programs. Read from files like standard.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import TableError


@dataclass(frozen=True)
class Constant:
    """A named value of a C type."""

    type: str
    value: int


@dataclass(frozen=True)
class Interface:
    """Everything that `mpi.h` says besides routines. Mappings keep the order of the file."""

    name: str
    title: str
    library: str  # its soname
    guard: str
    version: Mapping[str, int]
    integers: Mapping[str, str]  # typedef, C99 type
    status_public: tuple[str, ...]
    status_reserved: str
    handles: Mapping[str, Mapping[str, int]]  # C type: predefined handles
    aliases: Mapping[str, str]
    addresses: Mapping[str, Constant]
    constants: Mapping[str, Mapping[str, int]]  # heading: values
    typed_constants: Mapping[str, Constant]
    enumerations: Mapping[str, Mapping[str, int]]
    function_aliases: Mapping[str, str]


def read_interface(path: Path) -> Interface:
    """The interface that a file describes.

    Raises:
        TableError: a table is missing.
    """
    with path.open("rb") as file:
        entries = tomllib.load(file)

    def typed(table: Mapping[str, tuple[str, int]]) -> dict[str, Constant]:
        return {name: Constant(type_, value) for name, (type_, value) in table.items()}

    try:
        return Interface(
            name=entries["name"],
            title=entries["title"],
            library=entries["library"],
            guard=entries["guard"],
            version=entries["version"],
            integers=entries["integers"],
            status_public=tuple(entries["status"]["public"]),
            status_reserved=entries["status"]["reserved"],
            handles=entries["handles"],
            aliases=entries["aliases"],
            addresses=typed(entries["addresses"]),
            constants=entries["constants"],
            typed_constants=typed(entries["typed_constants"]),
            enumerations=entries["enumerations"],
            function_aliases=entries["function_aliases"],
        )
    except KeyError as error:
        raise TableError(path, None, f"there is no {error.args[0]}") from error
