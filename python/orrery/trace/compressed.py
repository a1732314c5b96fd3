# SPDX-License-Identifier: BSD-3-Clause
"""Traces that xz or gzip compressed."""

from __future__ import annotations

import gzip
import lzma
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from orrery.errors import InputError
from orrery.temporary import temporary_folder

ENDINGS = (".gz", ".xz")
DAMAGED = (lzma.LZMAError, EOFError, gzip.BadGzipFile, zlib.error)
"""What reading a compressed file raises where it is cut off, or is something else."""


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its ending."""
    return path.suffix in ENDINGS


def opened(path: Path) -> IO[bytes]:
    """What is in a file, compressed or not. Raises OSError when it cannot be opened; reading may raise `DAMAGED`, too."""
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path))
    return lzma.open(path) if path.suffix == ".xz" else path.open("rb")


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
                shutil.copyfileobj(source, target)
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
