# SPDX-License-Identifier: BSD-3-Clause
"""Named constants and variables of MPI in Fortran, from the description of a binary interface."""

from collections.abc import Iterator
from dataclasses import dataclass

from generator.interface import BinaryInterface

# Kinds are numbers of bytes, as GNU, LLVM and Intel have them.
KINDS = {"MPI_ADDRESS_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_OFFSET_KIND": 8, "MPI_INTEGER_KIND": 4}
# A status as an array of integers: the members of C's, from 1.
STATUS = {"MPI_STATUS_SIZE": 8, "MPI_SOURCE": 1, "MPI_TAG": 2, "MPI_ERROR": 3}

# Datatypes that MPI-3 removed; src/abi/fortran/bounds.hpp.
BOUNDS = {"MPI_LB": 0x204, "MPI_UB": 0x205}
# Combiners that MPI-3 removed: programs that decode datatypes compare with them, no datatype has them.
REMOVED = {
    "MPI_COMBINER_HVECTOR_INTEGER": -105,
    "MPI_COMBINER_HINDEXED_INTEGER": -107,
    "MPI_COMBINER_STRUCT_INTEGER": -110,
}

_C_ONLY = ("MPI_T_", "MPI_F_")


@dataclass(frozen=True)
class Sentinel:
    """A variable whose address has a meaning; `symbol` is a common block of mpif.h, with an underscore its symbol."""

    name: str
    symbol: str
    type: str
    dimension: str = ""


# The same for mpif.h and both modules.
SENTINELS = (
    Sentinel("MPI_BOTTOM", "orrery_bottom", "integer"),
    Sentinel("MPI_IN_PLACE", "orrery_in_place", "integer"),
    Sentinel("MPI_BUFFER_AUTOMATIC", "orrery_buffer_automatic", "integer"),
    Sentinel("MPI_ERRCODES_IGNORE", "orrery_errcodes_ignore", "integer", "(1)"),
    Sentinel("MPI_UNWEIGHTED", "orrery_unweighted", "integer", "(1)"),
    Sentinel("MPI_WEIGHTS_EMPTY", "orrery_weights_empty", "integer", "(1)"),
    Sentinel("MPI_ARGV_NULL", "orrery_argv_null", "character(len=1)", "(1)"),
    Sentinel("MPI_ARGVS_NULL", "orrery_argvs_null", "character(len=1)", "(1,1)"),
)
# Of mpif.h and `mpi`; those of `mpi_f08` are of another type.
STATUS_SENTINELS = (
    Sentinel("MPI_STATUS_IGNORE", "orrery_status_ignore", "integer", "(MPI_STATUS_SIZE)"),
    Sentinel("MPI_STATUSES_IGNORE", "orrery_statuses_ignore", "integer", "(MPI_STATUS_SIZE,1)"),
)
F08_STATUS_SENTINELS = (
    Sentinel("MPI_STATUS_IGNORE", "orrery_f08_status_ignore", "type(MPI_Status)"),
    Sentinel("MPI_STATUSES_IGNORE", "orrery_f08_statuses_ignore", "type(MPI_Status)", "(1)"),
)

# Functions that the standard predefines, with the type of their interface in mpi_f08.
PREDEFINED_FUNCTIONS = {
    "MPI_COMM_NULL_COPY_FN": "MPI_Comm_copy_attr_function",
    "MPI_COMM_DUP_FN": "MPI_Comm_copy_attr_function",
    "MPI_COMM_NULL_DELETE_FN": "MPI_Comm_delete_attr_function",
    "MPI_TYPE_NULL_COPY_FN": "MPI_Type_copy_attr_function",
    "MPI_TYPE_DUP_FN": "MPI_Type_copy_attr_function",
    "MPI_TYPE_NULL_DELETE_FN": "MPI_Type_delete_attr_function",
    "MPI_WIN_NULL_COPY_FN": "MPI_Win_copy_attr_function",
    "MPI_WIN_DUP_FN": "MPI_Win_copy_attr_function",
    "MPI_WIN_NULL_DELETE_FN": "MPI_Win_delete_attr_function",
    "MPI_CONVERSION_FN_NULL": "MPI_Datarep_conversion_function",
    "MPI_CONVERSION_FN_NULL_C": "MPI_Datarep_conversion_function_c",
}
OLD_FUNCTIONS = ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN")


def numbers(interface: BinaryInterface) -> Iterator[tuple[str, int]]:
    """Integer constants. A length of texts is one less than C's, which counts the final zero."""
    yield from interface.version.items()
    yield from STATUS.items()
    yield from REMOVED.items()
    for values in interface.constants.values():
        for name, value in values.items():
            if not name.startswith(_C_ONLY):
                yield name, value - 1 if name.startswith("MPI_MAX_") else value


def handles(interface: BinaryInterface) -> Iterator[tuple[str, str, int]]:
    """C type, name and number of predefined handles, with second names."""
    for type_, values in interface.handles.items():
        if type_.startswith(_C_ONLY):
            continue
        for name, value in values.items():
            yield type_, name, value
            for alias, original in interface.aliases.items():
                if original == name:
                    yield type_, alias, value


def handle_types(interface: BinaryInterface) -> list[str]:
    """C types of handles that Fortran has."""
    return [type_ for type_ in interface.handles if not type_.startswith(_C_ONLY)]
