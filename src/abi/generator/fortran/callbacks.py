# SPDX-License-Identifier: BSD-3-Clause
"""Abstract interfaces of mpi_f08 for functions of the program (MPI-4.1, appendix A.1.3)."""

from collections.abc import Iterator

_ADDRESS = "integer(kind=MPI_ADDRESS_KIND)"
_HANDLES = {"comm": "MPI_Comm", "type": "MPI_Datatype", "win": "MPI_Win", "file": "MPI_File", "session": "MPI_Session"}


def _interface(name: str, dummies: str, declarations: list[str]) -> Iterator[str]:
    yield f"    subroutine {name}({dummies})"
    yield "      import"
    yield from (f"      {declaration}" for declaration in declarations)
    yield "    end subroutine"


def _attributes(what: str) -> Iterator[str]:
    handle, type_ = ("datatype" if what == "type" else what), _HANDLES[what]
    yield from _interface(
        f"{type_.replace('Datatype', 'Type')}_copy_attr_function",
        f"old{what}, {what}_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
        [
            f"type({type_}) :: old{what}",
            f"integer :: {what}_keyval, ierror",
            f"{_ADDRESS} :: extra_state, attribute_val_in, attribute_val_out",
            "logical :: flag",
        ],
    )
    yield from _interface(
        f"{type_.replace('Datatype', 'Type')}_delete_attr_function",
        f"{handle}, {what}_keyval, attribute_val, extra_state, ierror",
        [
            f"type({type_}) :: {handle}",
            f"integer :: {what}_keyval, ierror",
            f"{_ADDRESS} :: attribute_val, extra_state",
        ],
    )


def _with_count(suffix: str, count: str) -> Iterator[str]:
    yield from _interface(
        f"MPI_User_function{suffix}",
        "invec, inoutvec, len, datatype",
        ["type(c_ptr), value :: invec, inoutvec", f"{count} :: len", "type(MPI_Datatype) :: datatype"],
    )
    yield from _interface(
        f"MPI_Datarep_conversion_function{suffix}",
        "userbuf, datatype, count, filebuf, position, extra_state, ierror",
        [
            "type(c_ptr), value :: userbuf, filebuf",
            "type(MPI_Datatype) :: datatype",
            f"{count} :: count",
            "integer(kind=MPI_OFFSET_KIND) :: position",
            f"{_ADDRESS} :: extra_state",
            "integer :: ierror",
        ],
    )


def callbacks() -> Iterator[str]:
    """Lines of the abstract interface block."""
    yield "  abstract interface"
    for what in ("comm", "type", "win"):
        yield from _attributes(what)
    for what in ("comm", "win", "file", "session"):
        yield from _interface(
            f"{_HANDLES[what]}_errhandler_function",
            f"{what}, error_code",
            [f"type({_HANDLES[what]}) :: {what}", "integer :: error_code"],
        )
    yield from _with_count("", "integer")
    yield from _with_count("_c", "integer(kind=MPI_COUNT_KIND)")
    yield from _interface(
        "MPI_Datarep_extent_function",
        "datatype, extent, extra_state, ierror",
        ["type(MPI_Datatype) :: datatype", f"{_ADDRESS} :: extent, extra_state", "integer :: ierror"],
    )
    extra = f"{_ADDRESS} :: extra_state"
    for name, more in (("query", ["type(MPI_Status) :: status"]), ("free", []), ("cancel", ["logical :: complete"])):
        dummies = ["extra_state", *(text.split(" :: ")[1] for text in more), "ierror"]
        yield from _interface(f"MPI_Grequest_{name}_function", ", ".join(dummies), [extra, *more, "integer :: ierror"])
    # MPI-1's, whose values are default integers.
    yield from _interface(
        "MPI_Copy_function",
        "oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror",
        [
            "type(MPI_Comm) :: oldcomm",
            "integer :: keyval, extra_state, attribute_val_in, attribute_val_out, ierror",
            "logical :: flag",
        ],
    )
    yield from _interface(
        "MPI_Delete_function",
        "comm, keyval, attribute_val, extra_state, ierror",
        ["type(MPI_Comm) :: comm", "integer :: keyval, attribute_val, extra_state, ierror"],
    )
    yield "  end interface"
