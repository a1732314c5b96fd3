# SPDX-License-Identifier: BSD-3-Clause
"""How much memory a file may ask for, by its size: a few bytes must not take all that a machine has.

Most readers need none of this, as what they make of a byte is bounded. It is for those whose format repeats what stands in
a file once: groups made of groups, ranges, compressed data.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from orrery.errors import InputError
from orrery.units import whole_number

FIXED_BYTES = 64 << 20
BYTES_PER_BYTE = 50
UNPACK_VARIABLE = "ORRERY_UNPACK_FACTOR"
"""Environment variable: how many times its own size a compressed file may hold."""
_UNPACK_FACTOR = 200
_BYTES_OF_RANK = 1500
"""What a rank takes while it is simulated, at least."""
_MEMORY = Path("/proc/meminfo")


class Allowance:
    """Memory that the reader of a file may take: 64 MiB, and 50 bytes for each byte of the file."""

    def __init__(self, where: object, file_bytes: int) -> None:
        """`where` is what the refusal begins with, such as the file."""
        self._where = where
        self._file_bytes = file_bytes
        self._left = FIXED_BYTES + BYTES_PER_BYTE * file_bytes

    def take(self, count: int, what: str) -> None:
        """Ask for `count` bytes before they are taken. Raises InputError naming `what` asks for more than is left."""
        self._left -= count
        if self._left < 0:
            raise InputError(
                f"{self._where}: {what} would take more memory than a file of {self._file_bytes:,} bytes may ask for "
                f"({FIXED_BYTES >> 20} MiB and {BYTES_PER_BYTE} bytes for each of its own)"
            )


def most_unpacked(path: Path) -> int:
    """How many bytes a compressed file may hold. Raises InputError for a factor that is no number above 0."""
    said = os.environ.get(UNPACK_VARIABLE, "")
    factor = whole_number(said) if said else _UNPACK_FACTOR
    if not factor:
        raise InputError(f'{UNPACK_VARIABLE}="{said}": expected a whole number above 0')
    return FIXED_BYTES + factor * path.stat().st_size


def unpacks_too_much(path: Path, most: int) -> InputError:
    """The refusal of a compressed file that holds more than `most` bytes."""
    return InputError(
        f"{path}: holds more than {most:,} bytes, which is much for a compressed file of {path.stat().st_size:,}: "
        f"if it is no mistake, set {UNPACK_VARIABLE}=1000 or more (now {os.environ.get(UNPACK_VARIABLE) or _UNPACK_FACTOR})"
    )


def require_ranks(ranks: int) -> None:
    """Refuse more ranks than the memory that is free holds while they are simulated. Raises InputError."""
    require_memory(_BYTES_OF_RANK * ranks, f"{ranks:,} ranks", "simulate fewer")


def require_memory(count: int, what: str, cure: str) -> None:
    """Refuse what would take `count` bytes on a machine, or under a limit, that has not so many.

    Raises InputError: `what` would take so much; `cure` says what helps.
    """
    available = available_bytes()
    if count > available:
        raise InputError(
            f"{what}: would take {count / 2**30:,.1f} GiB of memory, and {available / 2**30:,.1f} GiB are free; {cure}"
        )


def available_bytes() -> int:
    """Memory that this process may still take: what the machine has left, or a limit (ulimit -v) leaves."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    free = _free_on_machine()
    return free if limit == resource.RLIM_INFINITY else min(free, limit)


def _free_on_machine() -> int:
    """Memory and swap that nobody uses; no end where the system does not say."""
    try:
        lines = (line.partition(":") for line in _MEMORY.read_text(encoding="ascii").splitlines())
        return sum(int(value.split()[0]) << 10 for name, _, value in lines if name in ("MemAvailable", "SwapFree"))
    except (OSError, ValueError, IndexError):
        return sys.maxsize
