# SPDX-License-Identifier: BSD-3-Clause
"""Circumstances of a simulation: time, folder, and digest of the measured computation that it uses."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

_PIECE = 1 << 16
"""Bytes that are read at each of three places of a file."""


def now() -> str:
    """The present time, in the form of records."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def here() -> str:
    """The present folder; empty if it has been removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def digest_of_files(files: Sequence[Path]) -> str:
    """16 hexadecimal digits of SHA-256 over samples of the files; empty if one is a folder or cannot be read.

    Of each file, its size and its first, middle and last 64 KiB are read, so that large traces need not be read whole.
    That tells traces apart: a trace begins with its date, and its measured times differ.
    """
    from hashlib import sha256

    found = sha256()
    try:
        for file in files:
            with file.open("rb") as opened:
                size = opened.seek(0, os.SEEK_END)
                found.update(str(size).encode())
                for place in (0, max(0, size // 2 - _PIECE // 2), max(0, size - _PIECE)):
                    opened.seek(place)
                    found.update(opened.read(_PIECE))
    except OSError:
        return ""
    return found.hexdigest()[:16]
