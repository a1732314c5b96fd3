# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/clocks-and-waits.md, from src/mpi/replaced.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from handbook import REFERENCE

PAGE = REFERENCE.parent / "clocks-and-waits.md"
_TABLE = REFERENCE.parents[1] / "src" / "mpi" / "replaced.toml"
_BEGIN, _END = "<!-- replaced: written from src/mpi/replaced.toml by make reference -->\n", "<!-- end -->\n"
_HEAD = ("what", "functions", "what leads there, besides", "clock", "served")


def page() -> str:
    """The page with its table as src/mpi/replaced.toml has it; what is around the table is written by hand."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return "".join((before, begin, *_lines(), end, after))


def _lines() -> Iterator[str]:
    yield _line(_HEAD)
    yield f"{'|---' * len(_HEAD)}|\n"
    for row in tomllib.loads(_TABLE.read_text(encoding="utf-8"))["replaced"]:
        yield _line((row["what"], _functions(row), row["from"], row["clock"], row["served"]))


def _functions(row: dict[str, Any]) -> str:
    """Those that programs name: not what compilers call instead."""
    return ", ".join(f"`{name}`" for name in row["functions"] if not name.startswith("__"))


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |\n"
