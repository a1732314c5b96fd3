# SPDX-License-Identifier: BSD-3-Clause
"""What C programs need to meet Fortran (MPI-4.1, section 19.3): MPI_Fint, conversions of handles and statuses.

The standard binary interface does not number these among its routines: MPI_Comm_toint and its like do the same without
MPI_Fint. They are functions of the library all the same, as programs and configure scripts expect.
"""

from collections.abc import Iterator

from generator.interface import BinaryInterface

# Name in the routine, C type.
HANDLES = {
    "Comm": "MPI_Comm",
    "Group": "MPI_Group",
    "Type": "MPI_Datatype",
    "Op": "MPI_Op",
    "Errhandler": "MPI_Errhandler",
    "Info": "MPI_Info",
    "Request": "MPI_Request",
    "Message": "MPI_Message",
    "Win": "MPI_Win",
    "File": "MPI_File",
    "Session": "MPI_Session",
}
STATUSES = {"c": "MPI_Status", "f": "MPI_Fint", "f08": "MPI_F08_status"}
VARIABLES = {
    "MPI_F_STATUS_IGNORE": "MPI_Fint",
    "MPI_F_STATUSES_IGNORE": "MPI_Fint",
    "MPI_F08_STATUS_IGNORE": "MPI_F08_status",
    "MPI_F08_STATUSES_IGNORE": "MPI_F08_status",
}


def prototypes(prefix: str = "") -> Iterator[str]:
    """Declarations of the conversions, without semicolon."""
    for name, type_ in HANDLES.items():
        yield f"MPI_Fint {prefix}MPI_{name}_c2f({type_} handle)"
        yield f"{type_} {prefix}MPI_{name}_f2c(MPI_Fint number)"
    for first, from_ in STATUSES.items():
        for second, to in STATUSES.items():
            if first != second:
                parameters = f"const {from_} *{first}_status, {to} *{second}_status"
                yield f"int {prefix}MPI_Status_{first}2{second}({parameters})"


def interoperability(interface: BinaryInterface) -> Iterator[str]:
    """The section of mpi.h; none for interfaces that have their own."""
    if interface.name != "standard":
        return
    yield ""
    yield "/* Fortran. Statuses of its array form and of its type have the members of C's. */"
    yield "typedef int MPI_Fint;"
    yield "typedef MPI_Status MPI_F08_status;"
    for prefix in ("", "P"):
        yield from (f"{text};" for text in prototypes(prefix))
    for name, type_ in VARIABLES.items():
        yield f"extern {type_} *{name};"
