# SPDX-License-Identifier: BSD-3-Clause
"""What Open MPI's libraries for Fortran export besides the entry points: other names for them, constants of mpi_f08."""

from collections.abc import Iterator

from generator.fortran.constants import OLD_FUNCTIONS, PREDEFINED_FUNCTIONS
from generator.fortran.entries import interface_forms, symbols
from generator.fortran.spec import FortranSpec
from generator.interface import BinaryInterface
from generator.table import RoutineTable

# Entry points of src/abi/fortran that the table does not have: that Fortran alone has, and that MPI-3.0 removed.
BESIDES = (
    "f_sync_reg",
    *("address", "errhandler_create", "errhandler_get", "errhandler_set"),
    *("type_extent", "type_hindexed", "type_hvector", "type_lb", "type_struct", "type_ub"),
)


_WITH_COLLECTIVES = (6, 8)  # chapters of MPI-5.0


def routines(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> Iterator[str]:
    """Names of entry points without prefix and underscore: send, alloc_mem_cptr."""
    for form in interface_forms(table, spec, interface):
        yield from symbols(spec, form, f08=False)
    yield from BESIDES


def fortran_names(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> str:
    """Options of the linker, a line each: pmpi_send_ is also ompi_send_f, which Open MPI's own module calls, and what
    compilers of other manners make of MPI_SEND. Functions that are predefined belong to a module in mpi_f08.
    """
    lines = []
    for name in routines(table, spec, interface):
        lines.append(f"--defsym=ompi_{name}_f=pmpi_{name}_")
        for prefix in ("mpi_", "pmpi_"):
            lines += _manners(f"{prefix}{name}", f"pmpi_{name}_")
    for function in (*PREDEFINED_FUNCTIONS, *OLD_FUNCTIONS):
        name = function.lower()
        if function.endswith("_NULL_C"):  # of large counts
            continue
        lines += _manners(name, f"{name}_")
        if function in PREDEFINED_FUNCTIONS:
            lines.append(f"--defsym=__mpi_f08_callbacks_MOD_{name}={name}_")
    lines += [f"--defsym={p}mpi_f_sync_reg_f08_=pmpi_f_sync_reg_" for p in ("", "p")]
    for name in _persistent_collectives(table):
        lines.append(f"--defsym=ompix_{name}_f=pmpi_{name}_")
        for prefix in ("mpix_", "pmpix_"):
            lines += _manners(f"{prefix}{name}", f"pmpi_{name}_")
            lines += [f"--defsym={prefix}{name}{end}=pmpi_{name}_" for end in ("_", "_f08_")]
    return "\n".join(lines) + "\n"


def _persistent_collectives(table: RoutineTable) -> list[str]:
    """Open MPI had them before the standard, as MPIX_."""
    its = [
        routine for chapter in table.chapters if chapter.number in _WITH_COLLECTIVES for routine in chapter.routines()
    ]
    return [name for routine in its if (name := routine.name.lower()).endswith("_init")]


def _manners(name: str, symbol: str) -> list[str]:
    """What compilers call a routine that gfortran calls by its name with one underscore behind."""
    return [f"--defsym={other}={symbol}" for other in (name, f"{name}__", name.upper())]


def handle_numbers(interface: BinaryInterface) -> dict[str, int]:
    """All predefined handles of mpi_f08 with their numbers."""
    numbers = {name: number for own in interface.fortran_numbers.values() for name, number in own.items()}
    numbers |= interface.fortran_besides
    return numbers | {alias: numbers[name] for alias, name in interface.aliases.items()}


def fortran_variables(interface: BinaryInterface) -> str:
    """The text of a C++ file with the constants of mpi_f08, without its first line."""
    lines = ["// SPDX-License-Identifier: BSD-3-Clause", "#pragma GCC visibility push(default)", 'extern "C" {']
    for name, number in handle_numbers(interface).items():
        variable = f"__mpi_f08_types_MOD_{name.lower()}"
        lines.append(f"extern const int {variable};\nconst int {variable} = {number};")
    lines += ["}", "#pragma GCC visibility pop"]
    return "\n".join(lines) + "\n"
