# SPDX-License-Identifier: BSD-3-Clause
"""docs/security.md says nothing without a test that proves it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import orrery

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "security.md"
_NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


@cache
def _tests(file: str) -> set[str]:
    tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def _items() -> list[str]:
    """Points of its lists, each in one line."""
    text = PAGE.read_text(encoding="utf-8")
    return [" ".join(item.split()) for item in re.findall(r"^- (.*?)(?=^- |^#|^$|\Z)", text, re.MULTILINE | re.DOTALL)]


def test_every_test_that_the_page_names_is_there() -> None:
    named = _NAMED.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 40
    assert [(file, test) for file, test in named if test not in _tests(file)] == []


def test_every_point_of_the_page_ends_with_its_tests() -> None:
    items = _items()
    assert len(items) > 25
    assert [item for item in items if not re.search(r"::test_\w+`\)\.$", item)] == []


_LISTENS = {"listen", "create_server", "start_server", "start_unix_server", "create_unix_server"}


def test_nothing_but_the_relay_listens() -> None:
    """In Python the relay alone; no C or C++ calls listen(2), but what stands before the program's own in relays and ranks."""
    root = Path(orrery.__file__).parent
    found = {
        file.relative_to(root).parts[0]
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LISTENS
    }
    assert found == {"relay"}
    sources = Path(orrery.__file__).parents[0] / "prefix" / "measure"
    calls = {file.name for file in sources.rglob("*.[ch]*") if re.search(r"\b(?<![_.>])listen\(", file.read_text())}
    assert calls <= {"connect.c"}
