# SPDX-License-Identifier: BSD-3-Clause
"""Traces that xz or gzip compressed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orrery.errors import InputError


@contextmanager
def decompressed(path: Path) -> Iterator[Path]:
    """The file that `path` holds compressed, by its ending (`.xz`, `.gz`), which is gone afterwards; any other file as it is.

    Raises InputError for a file that cannot be read or decompressed, and where there is no room for what is in it.
    """
    if path.suffix not in {".xz", ".gz"} or not path.is_file():
        yield path
        return
    import gzip
    import lzma
    from tempfile import TemporaryDirectory

    compressed = lzma.LZMAFile if path.suffix == ".xz" else gzip.GzipFile
    with TemporaryDirectory(prefix="orrery-trace-") as folder:
        plain = Path(folder) / path.stem
        try:
            with compressed(path) as source, plain.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (lzma.LZMAError, EOFError, gzip.BadGzipFile) as error:
            raise InputError(f"{path}: cannot decompress it: {error}") from None
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}: cannot decompress it into {folder}") from None
        yield plain
