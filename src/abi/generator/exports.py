# SPDX-License-Identifier: BSD-3-Clause
"""Exports of the library that all ranks have: what is written by hand, and the functions that it replaces of the C library."""

import tomllib
from pathlib import Path

from generator.errors import TableError

_MARK = "\n@REPLACED@\n"


def rank_exports(template: Path, replaced: Path) -> str:
    """A version script of the linker.

    Args:
        template: the script, with a line @REPLACED@.
        replaced: the table of replaced functions, src/mpi/replaced.toml.
    Raises:
        TableError: the template has no such line.
    """
    text = template.read_text(encoding="utf-8")
    if text.count(_MARK) != 1:
        raise TableError(template, None, "expected a line @REPLACED@")
    tables = tomllib.loads(replaced.read_text(encoding="utf-8"))["replaced"]
    names = [name for table in tables for name in table["functions"]]
    return text.replace(_MARK, "".join(f"\n    {name};" for name in names) + "\n")
