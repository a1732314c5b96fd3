# SPDX-License-Identifier: BSD-3-Clause
"""What a helper carries: counts of connections and bytes, which its guard can read when the helper has been killed."""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass

_COUNTS = struct.Struct("=QQQ")


@dataclass(frozen=True)
class Load:
    """Connections of processes, and the bytes that have passed them."""

    connections: int = 0
    sent: int = 0
    """Bytes to other nodes."""
    received: int = 0
    """Bytes from other nodes."""

    def __str__(self) -> str:
        if self.connections == 0:
            return "no connection"
        plural = "s" if self.connections > 1 else ""
        return f"{self.connections} connection{plural} ({self.sent:,} bytes sent, {self.received:,} received)"

    def __add__(self, other: Load) -> Load:
        return Load(self.connections + other.connections, self.sent + other.sent, self.received + other.received)


class Tally:
    """The load of a helper, in memory that another process can be given."""

    def __init__(self) -> None:
        self.file = os.memfd_create("orrery-relay-tally")
        """Descriptor of the memory."""
        os.ftruncate(self.file, _COUNTS.size)
        self._memory = mmap.mmap(self.file, _COUNTS.size)

    def add(self, connections: int, sent: int, received: int) -> None:
        """Count what has come, or, with negative numbers, what has gone."""
        before = _COUNTS.unpack_from(self._memory)
        _COUNTS.pack_into(self._memory, 0, before[0] + connections, before[1] + sent, before[2] + received)

    def close(self) -> None:
        """Give the memory back, if that has not been done."""
        if not self._memory.closed:
            self._memory.close()
            os.close(self.file)


def read_load(file: int) -> Load:
    """What is in the memory of a `Tally`."""
    return Load(*_COUNTS.unpack(os.pread(file, _COUNTS.size, 0)))
