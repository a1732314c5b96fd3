# SPDX-License-Identifier: BSD-3-Clause
"""mpi.h of one binary interface."""

import textwrap
from collections.abc import Iterator, Mapping

from generator.interface import BinaryInterface
from generator.interoperability import interoperability
from generator.prototype import prototype
from generator.table import RoutineTable

_WIDTH = 118


def _wrapped(text: str) -> str:
    """A C declaration, continued on indented lines where it is long."""
    return textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_long_words=False)


def _number(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def _numbers(values: Mapping[str, int]) -> Iterator[str]:
    for name, value in values.items():
        yield f"#define {name} {_number(value)}"


def _types(interface: BinaryInterface) -> Iterator[str]:
    yield "/* Integers wide enough for an address, a position in a file, a number of elements. */"
    for name, type_ in interface.integers.items():
        yield f"typedef {type_} {name};"
    yield ""
    yield "/* What became of a message. Members without MPI_ are the library's own. */"
    yield "typedef struct {"
    for member in (*interface.status_public, *filter(None, [interface.status_reserved])):
        yield f"  int {member};"
    yield "} MPI_Status;"


def _handle_type(interface: BinaryInterface, type_: str) -> str:
    """C type of a handle, with the space that a name behind it needs."""
    if type_ not in interface.handle_types:
        return f"struct {type_.replace('MPI_', 'MPI_ABI_', 1)} *"
    c = interface.handle_types[type_].c
    return c if c.endswith("*") else f"{c} "


def _handles(interface: BinaryInterface) -> Iterator[str]:
    for type_, values in interface.handles.items():
        yield ""
        yield f"typedef {_handle_type(interface, type_)}{type_};"
        for name, value in values.items():
            yield f"#define {name} (({type_}) {value:#x})"
    for type_, symbols in interface.symbols.items():
        yield ""
        yield f"typedef {_handle_type(interface, type_)}{type_};"
        for name, symbol in symbols.items():
            yield f"extern char {symbol}[{interface.handle_types[type_].bytes}];"
            yield f"#define {name} (({type_}) (void *) {symbol})"
    yield ""
    for name, other in interface.aliases.items():
        yield f"#define {name} {other}"


def _functions_of_the_program(table: RoutineTable, interface: BinaryInterface) -> Iterator[str]:
    yield "/* Functions that the program hands to the library. */"
    for kind in table.kinds.values():
        if kind.callback is None:
            continue
        for type_, count in dict.fromkeys(((kind.c, "int"), (kind.large, "MPI_Count")), None):
            if type_ == kind.c and count == "MPI_Count":
                continue
            result, _, parameters = kind.callback.format(count=count).partition("(")
            yield _wrapped(f"typedef {result} ({type_})({parameters};")
    for name, other in interface.function_aliases.items():
        yield f"typedef {other} {name};"


def _constants(interface: BinaryInterface) -> Iterator[str]:
    yield "/* Addresses with a meaning of their own. */"
    for name, constant in interface.addresses.items():
        yield f"#define {name} (({constant.type}) {constant.value})"
    for heading, values in interface.constants.items():
        yield ""
        yield f"/* {heading}. */"
        yield from _numbers(values)
    for name, constant in interface.typed_constants.items():
        yield f"#define {name} (({constant.type}) {_number(constant.value)})"


def _exported(interface: BinaryInterface) -> Iterator[str]:
    for declaration in interface.exported.values():
        yield _wrapped(f"extern {declaration};")
    for name, text in interface.macros.items():
        yield f"#define {name} {text}"


def _enumerations(interface: BinaryInterface) -> Iterator[str]:
    for type_, values in interface.enumerations.items():
        yield f"typedef enum {type_} {{"
        yield ",\n".join(f"  {name} = {value}" for name, value in values.items())
        yield f"}} {type_};"


def _routines(table: RoutineTable, interface: BinaryInterface) -> Iterator[str]:
    for prefix, heading in (("", ""), ("P", " under the names of the profiling interface")):
        for chapter, forms in interface.forms(table):
            yield ""
            yield f"/* {chapter.title}{heading} (MPI-5.0, chapter {chapter.number}). */"
            for form in forms:
                yield _wrapped(prototype(form, prefix) + ";")


def header(table: RoutineTable, interface: BinaryInterface) -> str:
    """The text of mpi.h, without its first line, which says where it comes from."""
    lines = [
        "/* SPDX-License-Identifier: BSD-3-Clause */",
        f"/* MPI, {interface.title}. */",
        f"#ifndef {interface.guard}",
        f"#define {interface.guard}",
        "",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *_numbers(interface.version),
        "",
        *_types(interface),
        *_handles(interface),
        "",
        *_enumerations(interface),
        "",
        *_functions_of_the_program(table, interface),
        "",
        *_constants(interface),
        *_exported(interface),
        *_routines(table, interface),
        *interoperability(interface),
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
