# SPDX-License-Identifier: BSD-3-Clause
"""Traces that xz or gzip compressed."""

from __future__ import annotations

import gzip
import io
import lzma
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from orrery.allowance import most_unpacked, unpacks_too_much
from orrery.errors import InputError
from orrery.temporary import temporary_folder

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ENDINGS = (".gz", ".xz")
_PIECE = 1 << 16
_USED_OF_FREE = 0.9
"""Share of a file system's free space that what was compressed may take: others write there, too."""
DAMAGED = (lzma.LZMAError, EOFError, gzip.BadGzipFile, zlib.error)
"""What reading a compressed file raises where it is cut off, or is something else."""


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its ending."""
    return path.suffix in ENDINGS


class _UnpackedFile(io.RawIOBase):
    """What a compressed file holds. Reading raises InputError where that is more than it may be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._most = self._left = most_unpacked(path)
        unpack = gzip.open if path.suffix == ".gz" else lzma.open
        self._file = cast("io.BufferedIOBase", unpack(path))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._file.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise unpacks_too_much(self._path, self._most)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def opened(path: Path) -> IO[bytes]:
    """What is in a file, compressed or not. Raises OSError when it cannot be opened.

    Reading a compressed file may raise `DAMAGED`, too, and InputError where it holds more than `orrery.allowance` lets it.
    """
    return io.BufferedReader(_UnpackedFile(path), _PIECE) if is_compressed(path) else path.open("rb")


def first_bytes(path: Path, count: int) -> bytes:
    """The beginning of what is in a file, compressed or not. Raises InputError when it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(count)
    except DAMAGED as error:
        raise InputError(f"{path}: cannot decompress it: {said(error)}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}: cannot read the trace") from None


def said(error: BaseException) -> str:
    """Why a file cannot be decompressed."""
    if isinstance(error, EOFError) or "truncated" in str(error):
        return "it was cut off"
    return "it is damaged, or was not compressed by what its ending says"


def _copy(path: Path, source: IO[bytes], target: IO[bytes], room: int) -> None:
    while piece := source.read(_PIECE):
        room -= len(piece)
        if room < 0:
            raise InputError(
                f"{path}: holds more than may be written where temporary files are; TMPDIR says where there is room"
            )
        target.write(piece)


@contextmanager
def decompressed(path: Path) -> Iterator[Path]:
    """The file that `path` holds compressed, by its ending (`.xz`, `.gz`), which is gone afterwards; any other file as it is.

    Errors inside name `path`. Raises InputError for a file that cannot be read or decompressed, and where there is no
    room for what is in it.
    """
    if not is_compressed(path) or not path.is_file():
        yield path
        return
    with temporary_folder("orrery-trace-") as folder:
        plain = folder / path.stem
        try:
            with opened(path) as source, plain.open("wb") as target:
                _copy(path, source, target, int(_USED_OF_FREE * shutil.disk_usage(folder).free))
        except DAMAGED as error:
            raise InputError(f"{path}: cannot decompress it: {said(error)}") from None
        except OSError as error:
            raise InputError(
                f"{path}: {error.strerror or error}: cannot decompress it; TMPDIR says where there is room"
            ) from None
        try:
            yield plain
        except InputError as error:  # the user knows nothing of another name
            raise InputError(str(error).replace(str(plain), str(path))) from None
