# SPDX-License-Identifier: BSD-3-Clause
"""Quick tests and the rest: which are which, and that each test is in one of them."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import parts

HERE = Path(__file__).parent


def test_functions_whose_tests_take_longest_are_slow_until_four_fifths_are_left() -> None:
    tests = Counter({"a.py::many": 8, "b.py::slow": 1, "c.py::slower": 1})
    seconds = {"a.py::many": 8.0, "b.py::slow": 2.0, "c.py::slower": 3.0}
    assert parts.slow(seconds, tests) == ["b.py::slow", "c.py::slower"]


def test_a_test_is_known_by_its_file_and_its_function() -> None:
    assert parts.function_of("tests/python/test_words.py::test_it[a/b::c]") == "test_words.py::test_it"


def test_what_is_said_to_be_slow_is_there() -> None:
    named = parts.SLOW.read_text(encoding="utf-8").split()
    assert named == sorted(set(named))
    there = {
        f"{file.name}::{node.name}"
        for file in HERE.glob("test_*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert set(named) <= there
