# SPDX-License-Identifier: BSD-3-Clause
"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

from orrery.errors import InputError


def write_text(file: Path, text: str) -> None:
    """Write a file as a whole. Raises InputError where it cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
