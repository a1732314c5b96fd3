# SPDX-License-Identifier: BSD-3-Clause
"""Files that are written as a whole or not at all. Devices and pipes, such as /dev/null, are never replaced or removed."""

from __future__ import annotations

import os
from pathlib import Path


def write_at_once(file: Path, text: str) -> None:
    """Replace a file, so that an interruption leaves the old one. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and not file.is_file():
        file.write_text(text, encoding="utf-8")
        return
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def remove_unfinished(file: Path) -> None:
    """Remove what was written until it failed. A link stays: somebody else made it."""
    if file.is_file() and not file.is_symlink():
        file.unlink()
