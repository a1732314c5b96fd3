# SPDX-License-Identifier: BSD-3-Clause
"""mpif.h: constants, variables and functions, in lines that fixed and free form both accept."""

from collections.abc import Iterator

from generator.fortran.constants import (
    BOUNDS,
    KINDS,
    OLD_FUNCTIONS,
    PREDEFINED_FUNCTIONS,
    SENTINELS,
    STATUS_SENTINELS,
    Sentinel,
    handles,
    numbers,
)
from generator.interface import BinaryInterface

_INDENT = " " * 6


def _parameter(name: str, value: object, type_: str = "integer") -> Iterator[str]:
    yield f"{_INDENT}{type_} {name}"
    yield f"{_INDENT}parameter ({name}={value})"


def _variable(sentinel: Sentinel) -> Iterator[str]:
    yield f"{_INDENT}{sentinel.type.replace('character(len=1)', 'character*1')} {sentinel.name}{sentinel.dimension}"
    yield f"{_INDENT}common /{sentinel.symbol}/ {sentinel.name}"


def _functions() -> Iterator[str]:
    for prefix in ("", "P"):
        for name in ("MPI_WTIME", "MPI_WTICK"):
            yield f"{_INDENT}double precision {prefix}{name}"
            yield f"{_INDENT}external {prefix}{name}"
        for name in ("MPI_AINT_ADD", "MPI_AINT_DIFF"):
            yield f"{_INDENT}integer(kind=MPI_ADDRESS_KIND) {prefix}{name}"
            yield f"{_INDENT}external {prefix}{name}"
    for name in (*PREDEFINED_FUNCTIONS, *OLD_FUNCTIONS):
        yield f"{_INDENT}external {name}"


def mpif(interface: BinaryInterface) -> str:
    """The text of the file, without its first line."""
    lines = ["! SPDX-License-Identifier: BSD-3-Clause", f"! MPI, {interface.title}."]
    for name, value in (*KINDS.items(), *numbers(interface)):
        lines += _parameter(name, value)
    for _, name, value in handles(interface):
        lines += _parameter(name, value)
    for name, value in BOUNDS.items():
        lines += _parameter(name, value)
    for name, constant in interface.typed_constants.items():
        lines += _parameter(name, f"{constant.value}_8", "integer(kind=MPI_OFFSET_KIND)")
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        lines += _parameter(name, ".false.", "logical")
    for sentinel in (*SENTINELS, *STATUS_SENTINELS):
        lines += _variable(sentinel)
    lines += _functions()
    return "\n".join(lines) + "\n"
