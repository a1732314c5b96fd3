# SPDX-License-Identifier: BSD-3-Clause
"""Writes one generated file: `python -m generator PRODUCT FILE [--interface NAME]`, run in src/abi."""

import argparse
import sys
from pathlib import Path

from generator.bindings import bindings, entries, entry_declarations
from generator.capture import capture_calls, capture_header, read_capture
from generator.categories import read_categories
from generator.coverage import coverage
from generator.errors import TableError
from generator.exports import rank_exports
from generator.foreign import foreign_bindings
from generator.fortran.entries import fortran_entries
from generator.fortran.modules import modules
from generator.fortran.mpif import mpif
from generator.fortran.openmpi import fortran_names, fortran_variables
from generator.fortran.spec import read_spec
from generator.header import header
from generator.interface import read_interface
from generator.kinds import read_kinds
from generator.names import names
from generator.table import read_table
from generator.values import symbols, values

HERE = Path(__file__).resolve().parent.parent
PRODUCTS = (
    *("header", "bindings", "entries", "entry-declarations", "foreign", "values", "symbols", "names", "coverage"),
    *("fortran-entries", "fortran-names", "fortran-variables", "mpif", "fortran-modules"),
    *("capture-calls", "capture-header", "rank-exports"),
)
_COMMENT = {
    "header": ("/* ", " */"),
    "coverage": ("<!-- ", " -->"),
    "mpif": ("! ", ""),
    "fortran-modules": ("! ", ""),
    "capture-calls": ("/* ", " */"),
    "capture-header": ("/* ", " */"),
    "rank-exports": ("/* ", " */"),
}
_SOURCES = {"rank-exports": "src/abi/exports.map.in and src/mpi/replaced.toml"}
"""What products are made of that are not made of the table of the MPI API."""


def generate(product: str, interface_name: str = "standard") -> str:
    """The text of a product, with a first line that names table and command.

    Raises:
        TableError: see `table`, `kinds` and `interface`.
    """
    table = read_table(HERE, read_kinds(HERE / "kinds.toml"))
    interface = read_interface(HERE / interface_name / f"{interface_name}.toml")
    standard = read_interface(HERE / "standard" / "standard.toml")
    categories = read_categories(HERE / "foreign" / "categories.toml")
    fortran = read_spec(HERE / "fortran.toml", table)
    texts = {
        "header": lambda: header(table, interface),
        "bindings": lambda: bindings(table),
        "entries": lambda: entries(table),
        "entry-declarations": lambda: entry_declarations(table),
        "foreign": lambda: foreign_bindings(table, interface, standard, categories),
        "symbols": lambda: symbols(interface, standard),
        "values": lambda: values(interface, standard, categories),
        "names": lambda: names(table),
        "coverage": lambda: coverage(table),
        "fortran-entries": lambda: fortran_entries(table, fortran, interface),
        "fortran-names": lambda: fortran_names(table, fortran, interface),
        "fortran-variables": lambda: fortran_variables(interface),
        "mpif": lambda: mpif(interface),
        "capture-calls": lambda: capture_calls(
            table, read_capture(HERE.parent / "measure" / "capture" / "calls.toml", table)
        ),
        "capture-header": lambda: capture_header(table),
        "rank-exports": lambda: rank_exports(HERE / "exports.map.in", HERE.parent / "mpi" / "replaced.toml"),
        "fortran-modules": lambda: modules(table, fortran, interface),
    }
    if product == "fortran-names":  # options of the linker, which has no comments there
        return texts[product]()
    opening, closing = _COMMENT.get(product, ("// ", ""))
    sources = _SOURCES.get(product, f"src/abi/api and src/abi/{interface_name}")
    origin = f"Generated from {sources}; in src/abi: python -m generator {product} FILE"
    if interface_name != "standard":
        origin += f" --interface {interface_name}"
    return f"{opening}{origin}{closing}\n{texts[product]()}"


def main() -> int:
    """Exit status: 0, or 1 with the mistake in the tables on standard error."""
    parser = argparse.ArgumentParser(prog="generator", description=__doc__)
    parser.add_argument("product", choices=PRODUCTS)
    parser.add_argument("file", type=Path)
    parser.add_argument("--interface", default="standard", help="binary interface, a folder of src/abi")
    arguments = parser.parse_args()
    try:
        text = generate(arguments.product, arguments.interface)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    arguments.file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
