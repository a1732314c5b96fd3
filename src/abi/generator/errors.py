# SPDX-License-Identifier: BSD-3-Clause
"""The one error of the generator: a table that says something that it must not."""

from pathlib import Path


class TableError(Exception):
    """Names file and, where there is one, line."""

    def __init__(self, path: Path, line: int | None, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
