# SPDX-License-Identifier: BSD-3-Clause
"""What a program or library of Linux needs to be loaded: as much of the ELF format as that takes."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"\x7fELF"
_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 0, 1, 5, 15, 29
_MOST = 1 << 20  # bytes of a table: no real one is larger


@dataclass(frozen=True)
class Elf:
    """The dynamic section of a file; `rpath` and `runpath` are lists of folders, with $ORIGIN replaced."""

    path: Path
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]


def read_elf(path: Path) -> Elf | None:
    """What `path` says; None for what is no 64-bit little-endian ELF file, or is damaged."""
    try:
        with path.open("rb") as file:
            return _ElfReader(file).elf(path)
    except (OSError, struct.error, ValueError, OverflowError):
        return None


class _ElfReader:
    def __init__(self, file: BinaryIO) -> None:
        head = file.read(64)
        if head[:4] != _MAGIC or head[4:6] != b"\x02\x01":
            raise ValueError("not a 64-bit little-endian ELF file")
        self._file = file
        offset, entry_size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
        table = self._read(offset, entry_size * count)
        # Type, flags, offset in the file, address, physical address, size in the file.
        self._segments = [struct.unpack_from("<IIQQQQ", table, i * entry_size) for i in range(count)]

    def _read(self, offset: int, size: int) -> bytes:
        if size > _MOST:
            raise ValueError("a table is too large")
        self._file.seek(offset)
        return self._file.read(size)

    def _in_file(self, address: int) -> tuple[int, int]:
        """Offset of an address, and bytes from there to the end of its segment."""
        for kind, _, offset, start, _, size in self._segments:
            if kind == _PT_LOAD and start <= address < start + size:
                return offset + address - start, start + size - address
        raise ValueError("an address is in no segment")

    def elf(self, path: Path) -> Elf:
        entries: list[tuple[int, int]] = []
        for kind, _, offset, _, _, size in self._segments:
            if kind == _PT_DYNAMIC:
                entries = list(struct.iter_unpack("<QQ", self._read(offset, size - size % 16)))
        end = next((i for i, (tag, _) in enumerate(entries) if tag == _DT_NULL), len(entries))
        entries = entries[:end]
        strings = b""
        for tag, value in entries:
            if tag == _DT_STRTAB:
                offset, size = self._in_file(value)
                strings = self._read(offset, min(size, _MOST))

        def texts(wanted: int) -> list[str]:
            found = (strings[at : strings.find(b"\0", at)] for tag, at in entries if tag == wanted)
            return [text.decode(errors="surrogateescape") for text in found]

        def folders(wanted: int) -> tuple[str, ...]:
            origin = str(path.resolve().parent)
            parts = [folder for text in texts(wanted) for folder in text.split(":")]
            return tuple(part.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for part in parts if part)

        return Elf(path, tuple(texts(_DT_NEEDED)), folders(_DT_RPATH), folders(_DT_RUNPATH))
