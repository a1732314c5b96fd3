# SPDX-License-Identifier: BSD-3-Clause
"""Quick tests and the rest: which are which, and that each test is in one of them."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

import parts

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent


def test_functions_whose_tests_take_longest_are_slow_until_four_fifths_are_left() -> None:
    tests = Counter({"a.py::many": 8, "b.py::slow": 1, "c.py::slower": 1})
    seconds = {"a.py::many": 8.0, "b.py::slow": 2.0, "c.py::slower": 3.0}
    assert parts.slow(seconds, tests, {name: set() for name in tests}) == ["b.py::slow", "c.py::slower"]


def test_a_fixture_that_takes_long_to_set_up_stands_for_all_tests_that_use_it() -> None:
    tests = Counter({"a.py::many": 7, "b.py::user": 1, "b.py::slow_user": 1, "c.py::slow": 1})
    uses = {name: {"b.py::cluster"} if "user" in name else {"a.py::quick"} for name in tests}
    seconds = {"a.py::quick": 0.1, "b.py::cluster": 9.0, "a.py::many": 7.0, "b.py::user": 0.1, "b.py::slow_user": 10.0,
               "c.py::slow": 5.0}  # fmt: skip
    # The two that use it are a fifth: c.py::slow, which takes longer than one of them, stays quick.
    assert parts.slow(seconds, tests, uses) == ["b.py::cluster"]


def test_what_uses_a_slow_fixture_is_in_the_rest_and_all_else_is_quick(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLOW", "time"):  # what the conftest below replaces in this process, too
        monkeypatch.setattr(parts, name, getattr(parts, name))
    pytester.makeconftest(
        f"""
        import pathlib, sys, types
        sys.path.insert(0, {str(HERE)!r})
        import parts
        parts.SLOW = pathlib.Path({str(pytester.path / "slow.txt")!r})
        clock = [0.0]
        parts.time = types.SimpleNamespace(perf_counter=lambda: clock[0])

        def pytest_addoption(parser):
            parser.addoption("--part")
            parser.addoption("--write-parts", action="store_true")

        def pytest_configure(config):
            if config.getoption("--write-parts"):
                config.pluginmanager.register(parts.Durations(), "durations")

        def pytest_collection_modifyitems(config, items):
            parts.choose(config, items)
        """
    )
    pytester.makepyfile(
        test_it="""
        import conftest, pytest

        @pytest.fixture(scope="module")
        def cluster():
            conftest.clock[0] += 1000

        @pytest.fixture
        def node(cluster):
            return cluster

        @pytest.mark.parametrize("number", range(8))
        def test_nothing(number):
            pass

        def test_cluster(cluster):
            pass

        def test_node(node):
            pass
        """
    )
    pytester.runpytest_inprocess("--write-parts", "-n", "1").assert_outcomes(passed=10)
    assert (pytester.path / "slow.txt").read_text(encoding="utf-8") == "test_it.py::cluster\n"
    pytester.runpytest_inprocess("--part", "quick").assert_outcomes(passed=8, deselected=2)
    pytester.runpytest_inprocess("--part", "rest").assert_outcomes(passed=2, deselected=8)


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
