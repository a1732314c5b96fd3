# SPDX-License-Identifier: BSD-3-Clause
"""foreign_values.hpp of an interface: its types, and its numbers and handles by those of the standard interface."""

from collections.abc import Iterable, Iterator

from generator.categories import Category
from generator.interface import BinaryInterface

NO_NUMBER = -98765  # is nothing in any interface


def _switch(pairs: list[tuple[str, int, int]], default: str, *, closed: bool = False) -> Iterator[str]:
    """Statements of a function of `value`; the first of several pairs with the same value counts.

    Where not `closed`, other values stay, except that none may become a constant by chance.
    """
    seen: set[int] = set()
    yield "    switch (value) {"
    for name, given, wanted in pairs:
        if given not in seen:
            seen.add(given)
            yield f"      case {given}: return {wanted};  // {name}"
    if not closed:
        yield from (
            f"      case {value}: return {NO_NUMBER};"
            for value in dict.fromkeys(w for _, _, w in pairs)
            if value not in seen
        )
    yield f"      default: return {default};"
    yield "    }"


def _sum(pairs: Iterable[tuple[str, int, int]]) -> Iterator[str]:
    known = 0
    yield "    long sum = 0;"
    for name, given, wanted in pairs:
        known |= given
        yield f"    if ((value & {given}) != 0) sum |= {wanted};  // {name}"
    # Bits that neither interface knows must not be taken for others: they are wrong in both.
    yield f"    return (value & ~{known}L) != 0 ? sum | (1L << 30) : sum;"


_KEPT = 0x10000000  # is added to numbers that are no constants and not the program's own: there they are nothing


def _direction(category: Category, name: str, pairs: list[tuple[str, int, int]], default: str) -> Iterator[str]:
    yield f"  static constexpr long {name}(long value) {{"
    yield from _sum(pairs) if category.bits else _switch(pairs, default, closed=category.beyond is not None)
    yield "  }"


def _category(category: Category, foreign: BinaryInterface, standard: BinaryInterface) -> Iterator[str]:
    pairs = category.pairs(foreign, standard)
    back = [(name, ours, theirs) for name, theirs, ours in pairs]
    to_standard = to_foreign = "value"
    if category.beyond is not None and category.others is not None:
        theirs, ours = foreign.values()[category.beyond], standard.values()[category.beyond]
        to_standard = f"value > {theirs} ? value - {theirs} + {ours} : value + {_KEPT}"
        to_foreign = f"value > {_KEPT} ? value - {_KEPT} : value > {ours} ? value - {ours} + {theirs} : value"
        known = {name for name, *_ in pairs}
        back += [
            (name, value, foreign.values()[foreign.stand_ins.get(name, category.others)])
            for name, value, _ in category.pairs(standard, standard)
            if name not in known
        ]
    yield f"struct {category.name} {{"
    yield from _direction(category, "standard", pairs, to_standard)
    yield from _direction(category, "foreign", back, to_foreign)
    if category.beyond is not None:
        last = foreign.values()[category.beyond] if category.name in foreign.nameless else -1
        yield "  /// Whether it is one of the interface's own, without a name."
        yield "  static constexpr bool nameless(long value) {"
        yield f"    return value >= 0 && value <= {last} && standard(value) >= {_KEPT};"
        yield "  }"
    yield "};"


def _symbol_handle(type_: str, foreign: BinaryInterface, standard: BinaryInterface) -> Iterator[str]:
    """Predefined handles that are addresses: openmpi/symbols.hpp finds them."""
    null = next(name for name in foreign.symbols[type_] if name.endswith("_NULL"))
    yield "template <>"
    yield f"struct Predefined<{type_}> {{"
    yield f"  using C = {type_.removeprefix('MPI_')};"
    yield "  static constexpr bool is_pointer = true;"
    yield "  static std::uintptr_t standard(std::uint64_t value) { return standard_of_symbol(value); }"
    yield "  static std::uintptr_t foreign(std::uintptr_t value) {"
    yield "    const std::uintptr_t symbol = symbol_of_standard(value);"
    yield f"    return symbol != 0 ? symbol : symbol_of_standard({standard.handles[type_][null]});"
    yield "  }"
    yield from _fortran_numbers(type_, foreign, standard)
    yield "};"


def _fortran_numbers(type_: str, foreign: BinaryInterface, standard: BinaryInterface) -> Iterator[str]:
    """Conversions between the numbers that Fortran has for predefined handles and their standard values."""
    pairs = [(n, number, standard.handles[type_][n]) for n, number in foreign.fortran_numbers.get(type_, {}).items()]
    yield "  /// 0 for others."
    yield "  static constexpr std::uintptr_t standard_of_fortran(int value) {"
    yield from _switch(pairs, "0", closed=True)
    yield "  }"
    yield "  /// -1 for others."
    yield "  static constexpr int fortran(std::uintptr_t value) {"
    yield from _switch([(name, value, number) for name, number, value in pairs], "-1", closed=True)
    yield "  }"


def symbols(foreign: BinaryInterface, standard: BinaryInterface) -> str:
    """The text of a C++ file that defines the variables which are predefined handles, and lists them."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        '#include "symbols.hpp"',
        "",
        "#pragma GCC visibility push(default)",
        'extern "C" {',
    ]
    for type_, names in foreign.symbols.items():
        size = foreign.handle_types[type_].bytes
        lines += [
            f"extern char {symbol}[{size}];\nalignas(64) char {symbol}[{size}] = {{}};" for symbol in names.values()
        ]
    lines += ["}", "#pragma GCC visibility pop", "", "namespace orrery::abi::foreign {", ""]
    lines += ["std::span<const Symbol> all_symbols() {", "  static const Symbol all[] = {"]
    for type_, names in foreign.symbols.items():
        lines += [f"      {{{symbol}, {standard.handles[type_][name]:#x}}}," for name, symbol in names.items()]
    lines += ["  };", "  return all;", "}", "", "}  // namespace orrery::abi::foreign"]
    return "\n".join(lines) + "\n"


def _handle(type_: str, foreign: BinaryInterface, standard: BinaryInterface) -> Iterator[str]:
    if type_ in foreign.symbols:
        yield from _symbol_handle(type_, foreign, standard)
        return
    declared = foreign.handle_types[type_]
    ours, theirs = standard.handles[type_], foreign.handles[type_]
    null = next(name for name in theirs if name.endswith("_NULL"))
    pairs = [(name, theirs[name], value) for name, value in ours.items() if name in theirs]
    private = foreign.private_handles.get(type_, {})
    pairs += [(name, here, known) for name, (here, known) in private.items()]
    # Null first: it is also the value of types that the interface does not have.
    pairs.sort(key=lambda pair: pair[0] != null)
    yield "template <>"
    yield f"struct Predefined<{type_}> {{"
    yield f"  using C = {type_.removeprefix('MPI_')};"
    yield f"  static constexpr bool is_pointer = {'true' if declared.first is None else 'false'};"
    yield f"  static constexpr std::uint32_t first = {declared.first or 0:#x};"
    yield "  static constexpr std::uintptr_t standard(std::uint64_t value) {"
    yield from _switch([(n, t & (2**64 - 1), s) for n, t, s in pairs], "0", closed=True)
    yield "  }"
    yield "  static constexpr std::uint32_t foreign(std::uintptr_t value) {"
    yield from _switch([(n, s, t) for n, t, s in pairs], str(theirs[null]), closed=True)
    yield "  }"
    yield "};"


def _types(foreign: BinaryInterface) -> Iterator[str]:
    for type_, declared in foreign.handle_types.items():
        c = "void *" if declared.first is None else "int "
        yield f"using {type_.removeprefix('MPI_')} = {c.strip()};"
    yield ""
    yield "struct Status {"
    for member in (*foreign.status_public, *filter(None, [foreign.status_reserved])):
        yield f"  int {member};"
    yield "};"


def _addresses(foreign: BinaryInterface) -> Iterator[str]:
    for name in ("MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_BUFFER_AUTOMATIC", "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"):
        if name not in foreign.addresses:
            continue
        yield f"inline constexpr std::intptr_t {name.removeprefix('MPI_').lower()} = {foreign.addresses[name].value};"
    for name, group in foreign.constants.items():
        if name.startswith("Lengths"):
            yield from (
                f"inline constexpr int {n.removeprefix('MPI_').lower()} = {value};" for n, value in group.items()
            )
    for name in ("MPI_VERSION", "MPI_SUBVERSION"):
        yield f"inline constexpr int {name.removeprefix('MPI_').lower()} = {foreign.version[name]};"
    yield f'inline constexpr const char* says_it_is = "{foreign.says_it_is}";'


def values(foreign: BinaryInterface, standard: BinaryInterface, categories: list[Category]) -> str:
    """The text of the header, without its first line."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        '#include "mpi.h"',
        "",
        f"/// The {foreign.title}, by the standard one.",
        "namespace orrery::abi::foreign {",
        "",
        *_types(foreign),
        "",
        *_addresses(foreign),
        "",
        "namespace category {",
    ]
    for category in categories:
        lines += ["", *_category(category, foreign, standard)]
    lines += [
        "",
        "}  // namespace category",
        "",
        "/// Handles of one class, by the type that the standard interface gives them.",
    ]
    if foreign.symbols:
        lines += ["[[nodiscard]] std::uintptr_t standard_of_symbol(std::uint64_t address);"]
        lines += ["[[nodiscard]] std::uintptr_t symbol_of_standard(std::uintptr_t value);", ""]
    lines += ["template <class Standard>", "struct Predefined;"]
    for type_ in foreign.handle_types:
        lines += ["", *_handle(type_, foreign, standard)]
    lines += ["", "}  // namespace orrery::abi::foreign"]
    return "\n".join(lines) + "\n"
