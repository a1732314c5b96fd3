# SPDX-License-Identifier: BSD-3-Clause
"""A binary interface: how handles, constants and statuses look to programs. Read from files like standard.toml."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import TableError
from generator.table import Chapter, Form, RoutineTable


@dataclass(frozen=True)
class Constant:
    """A named value of a C type."""

    type: str
    value: int


@dataclass(frozen=True)
class HandleType:
    """How handles of one class look.

    `first`: own handles are ints, numbered from there. None: they are pointers, and predefined ones may be the addresses
    of variables of so many bytes.
    """

    c: str
    first: int | None
    bytes: int = 0


@dataclass(frozen=True)
class BinaryInterface:
    """Everything that `mpi.h` says besides routines. Mappings keep the order of the file."""

    name: str
    title: str
    library: str  # its soname
    guard: str
    version: Mapping[str, int]
    integers: Mapping[str, str]  # typedef, C99 type
    status_public: tuple[str, ...]
    status_reserved: str  # empty: all members are public
    handles: Mapping[str, Mapping[str, int]]  # C type: predefined handles
    aliases: Mapping[str, str]
    addresses: Mapping[str, Constant]
    constants: Mapping[str, Mapping[str, int]]  # heading: values
    typed_constants: Mapping[str, Constant]
    enumerations: Mapping[str, Mapping[str, int]]
    function_aliases: Mapping[str, str]
    symbols: Mapping[str, Mapping[str, str]]  # C type: predefined handles that are addresses of variables
    handle_types: Mapping[str, HandleType]  # where they are no pointers to structs of the interface's own
    exported: Mapping[str, str]  # declarations of what the library has besides routines
    macros: Mapping[str, str]
    without_chapters: frozenset[int]  # whose routines the interface does not have
    large_counts: bool  # whether it has large-count forms
    says_it_is: str  # how its library begins the answer to MPI_Get_library_version; empty: as Orrery's
    stand_ins: Mapping[str, str]  # constant that it does not have: what it says instead
    nameless: frozenset[str]  # categories whose numbers up to the last constant are known without a name
    private_handles: Mapping[str, Mapping[str, tuple[int, int]]]  # C type: value here, and the one that we know it by
    fortran_numbers: Mapping[str, Mapping[str, int]]  # C type: of predefined handles that are no numbers in C
    fortran_besides: Mapping[str, int]  # handles that only its Fortran has
    descriptors: bool  # whether mpi_f08 passes choice buffers by descriptor; else by address

    def forms(self, table: RoutineTable) -> Iterator[tuple[Chapter, list[Form]]]:
        """What programs of the interface can call, by chapter."""
        for chapter in table.chapters:
            if chapter.number not in self.without_chapters:
                its = [form for routine in chapter.routines() for form in routine.forms()]
                yield chapter, [form for form in its if self.large_counts or not form.large]

    def has_int_handles(self, type_: str) -> bool:
        """Whether handles of this C type are ints."""
        return type_ in self.handle_types and self.handle_types[type_].first is not None

    def values(self) -> dict[str, int]:
        """All named numbers, whatever they are for."""
        out = {
            name: value
            for group in (*self.constants.values(), *self.enumerations.values())
            for name, value in group.items()
        }
        return out | {name: constant.value for name, constant in self.typed_constants.items()}


def read_interface(path: Path) -> BinaryInterface:
    """The interface that a file describes.

    Raises:
        TableError: a table is missing.
    """
    with path.open("rb") as file:
        entries = tomllib.load(file)

    def typed(table: Mapping[str, tuple[str, int]]) -> dict[str, Constant]:
        return {name: Constant(type_, value) for name, (type_, value) in table.items()}

    try:
        return BinaryInterface(
            name=entries["name"],
            title=entries["title"],
            library=entries["library"],
            guard=entries["guard"],
            version=entries["version"],
            integers=entries["integers"],
            status_public=tuple(entries["status"]["public"]),
            status_reserved=entries["status"].get("reserved", ""),
            handles=entries["handles"],
            symbols=entries.get("symbols", {}),
            aliases=entries["aliases"],
            addresses=typed(entries["addresses"]),
            constants=entries["constants"],
            typed_constants=typed(entries["typed_constants"]),
            enumerations=entries["enumerations"],
            function_aliases=entries["function_aliases"],
            handle_types={
                name: HandleType(entry["c"], entry.get("first"), entry.get("bytes", 0))
                for name, entry in entries.get("handle_types", {}).items()
            },
            exported=entries.get("exported", {}),
            macros=entries.get("macros", {}),
            without_chapters=frozenset(entries.get("without_chapters", ())),
            large_counts=entries.get("large_counts", True),
            says_it_is=entries.get("says_it_is", ""),
            stand_ins=entries.get("stand_ins", {}),
            nameless=frozenset(entries.get("nameless", ())),
            private_handles=entries.get("private_handles", {}),
            fortran_numbers=entries.get("fortran", {}),
            fortran_besides=entries.get("fortran_besides", {}),
            descriptors=entries.get("descriptors", True),
        )
    except KeyError as error:
        raise TableError(path, None, f"there is no {error.args[0]}") from error
