# SPDX-License-Identifier: BSD-3-Clause
"""The binary file of one rank of a DUMPI trace."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from orrery.errors import InputError
from orrery.trace.imports.beginnings import DUMPI
from orrery.trace.imports.dumpi_layout import CALLS, END_OF_STREAM

_CPU, _WALL, _THREAD, _COUNTERS, _STATUSES = 1 << 2, 1 << 3, 1 << 6, 1 << 7, 3
_U8, _U16, _U32, _U64, _I32, _I64 = (struct.Struct(">" + letter) for letter in "BHIQiq")
_PLAIN = {"i": _I32, "h": _U16, "b": _U8, "q": _I64}
_ARRAYS = {"I": _I32, "H": _U16, "B": _U8}
_NESTED = {"S": "s", "3": "S", "A": "I"}
_TIMES = struct.Struct(">HIHI")


class DumpiEvent(NamedTuple):
    """One call."""

    name: str
    begin_ns: int
    """By the rank's wall clock, since 1970; -1: the trace does not say."""
    end_ns: int
    cpu_begin_ns: int
    """By the rank's processor clock; -1: the trace does not say."""
    cpu_end_ns: int
    thread: int
    counters: int
    """How many values of hardware counters stand beside it."""
    arguments: dict[str, Any]


class Status(NamedTuple):
    """What a receive brought."""

    bytes: int
    source: int
    tag: int
    """-1 before version 0.6.3, which does not have it."""


class _DamagedError(Exception):
    """The bytes are not what the format says."""


class DumpiFile:
    """Opened for reading. Raises InputError when it is no such file.

    Memory: the file is mapped; nothing of it is kept.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        """Why reading ended before the end; empty: it did not."""
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}: cannot read the trace") from None
        except ValueError:  # nothing can be mapped of a file without bytes
            raise InputError(f"{path}: is empty: nothing of the trace can be read") from None
        if self._data[: len(DUMPI)] != DUMPI:
            raise InputError(f"{path}: is no file of a DUMPI trace, which begins with {DUMPI!r}")
        try:
            self._read_index()
        except _DamagedError as error:
            raise InputError(f"{path}: {error}; nothing of the trace can be read") from None

    def _read_index(self) -> None:
        """At the end: magic, then up to three newer places, then those of header, calls, footer and keys."""
        size = len(self._data)
        found = next((n for n in (8, 7, 6, 5) if self._data[max(0, size - 8 * n) : size - 8 * n + 8] == DUMPI), None)
        if found is None or size < 8 * found:
            # Behind a file that was cut off there is no index; its calls follow the magic.
            self.version, self.hostname, self.type_bytes, self._body = (0, 6, 9), "", [], len(DUMPI)
            self.damage = "has no index: it was cut off"
            return
        places = struct.unpack_from(f">{found - 1}Q", self._data, size - 8 * (found - 1))
        header, self._body = places[-4], places[-3]
        cursor = _Cursor(self._data, header, (0, 0, 0))
        self.version = (cursor.u8(), cursor.u8(), cursor.u8())
        cursor.u64()
        self.hostname = cursor.raw(cursor.u16()).decode(errors="replace")
        # The newest place comes first.
        self.type_bytes = _Cursor(self._data, places[0], self.version).array(_I32) if found == 8 and places[0] else []

    def events(self) -> Iterator[DumpiEvent]:
        """All calls in order, up to the end or to what cannot be read: see `damage`."""
        cursor = _Cursor(self._data, self._body, self.version)
        number = -1
        begin = self._body
        try:
            cpu_s, wall_s = cursor.u32(), cursor.u32()
            while True:
                begin = cursor.at
                number = cursor.u16()
                if number == END_OF_STREAM:
                    return
                yield cursor.event(number, cpu_s, wall_s)
        except _DamagedError as error:
            name = CALLS[number].name if number in CALLS else "a call"
            self.damage = f"{name} at byte {begin}: {error}"


class _Cursor:
    """A place in the file. What is not there, or cannot be, raises _DamagedError."""

    def __init__(self, data: mmap.mmap, at: int, version: tuple[int, int, int]) -> None:
        self._data = data
        self.at = at
        self._version = version
        self._statuses = False

    def event(self, number: int, cpu_s: int, wall_s: int) -> DumpiEvent:
        call = CALLS.get(number)
        if call is None:
            raise _DamagedError(f"there is no call with the number {number}")
        mask = self.u8()
        thread = self.u16() if mask & _THREAD else 0
        cpu = self._times(cpu_s) if mask & _CPU else (-1, -1)
        wall = self._times(wall_s) if mask & _WALL else (-1, -1)
        counters = self.u8() if mask & _COUNTERS else 0
        self.raw(16 * counters)
        self._statuses = bool(mask & _STATUSES)
        arguments: dict[str, Any] = {}
        for name, kind in call.fields:
            if kind[0] == "?" and arguments["commrank"] != arguments["root"]:
                continue
            arguments[name] = self._value(kind[-1])
        return DumpiEvent(call.name, *wall, *cpu, thread, counters, arguments)

    def _times(self, bias_s: int) -> tuple[int, int]:
        begin_s, begin_ns, end_s, end_ns = _TIMES.unpack(self.raw(_TIMES.size))
        return (bias_s + begin_s) * 10**9 + begin_ns, (bias_s + end_s) * 10**9 + end_ns

    def _value(self, kind: str) -> Any:
        plain = _PLAIN.get(kind)
        if plain is not None:
            return self._number(plain)
        if kind in _ARRAYS:
            return self.array(_ARRAYS[kind])
        if kind in _NESTED:
            return [self._value(_NESTED[kind]) for _ in range(self._length(4))]
        if kind == "s":
            return self.raw(self._length(1))
        if kind == "T":
            return self._status_list() if self._statuses else []
        if kind in "VW":
            return self._arguments_of_program(old=kind == "V" and self._version < (0, 6, 2))
        whole = self._version >= ((0, 6, 9) if kind == "X" else (0, 6, 8))
        return self.array(_I32) if whole else [self._number(_I32)]

    def _arguments_of_program(self, *, old: bool) -> list[bytes]:
        count = self._length(0)
        if old:
            self.u32()
        if 4 * count > len(self._data) - self.at:
            raise _DamagedError(f"{count} texts, which is more than the file has")
        return [self.raw(self._length(1)) for _ in range(count)]

    def _status_list(self) -> list[Status]:
        tagged = self._version >= (0, 6, 3)
        size = 14 if tagged else 10
        found = []
        for _ in range(self._length(size)):
            record = self.raw(size)
            tag = _I32.unpack_from(record, 10)[0] if tagged else -1
            found.append(Status(_I32.unpack_from(record, 0)[0], _I32.unpack_from(record, 4)[0], tag))
        return found

    def _length(self, each: int) -> int:
        """Read the length of a list whose elements have `each` bytes at least."""
        length = self.u32()
        if length * each > len(self._data) - self.at:
            raise _DamagedError(f"a list of {length}, which is more than the file has")
        return length

    def array(self, of: struct.Struct) -> list[int]:
        length = self._length(of.size)
        values = struct.unpack_from(f">{length}{of.format[-1]}", self._data, self.at)
        self.at += length * of.size
        return list(values)

    def raw(self, length: int) -> bytes:
        if length > len(self._data) - self.at:
            raise _DamagedError("the file ends in the middle of it")
        found = self._data[self.at : self.at + length]
        self.at += length
        return found

    def _number(self, of: struct.Struct) -> int:
        if self.at + of.size > len(self._data):
            raise _DamagedError("the file ends in the middle of it")
        value: int = of.unpack_from(self._data, self.at)[0]
        self.at += of.size
        return value

    def u8(self) -> int:
        return self._number(_U8)

    def u16(self) -> int:
        return self._number(_U16)

    def u32(self) -> int:
        return self._number(_U32)

    def u64(self) -> int:
        return self._number(_U64)
