# SPDX-License-Identifier: BSD-3-Clause
"""The quick tests and the rest. `pytest --part quick` leaves out what tests/slow.txt names, `--part rest` runs nothing else.

The file has functions of tests, of which the mean takes longest; `pytest --write-parts` of all tests on a quiet machine writes
it anew. A test that it does not name is quick.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

SLOW = Path(__file__).parents[1] / "slow.txt"
QUICK_SHARE = 0.8
"""Share of all tests that are quick."""


def function_of(test: str) -> str:
    """Return the file and the function of a test: "test_words.py::test_it" of "tests/python/test_words.py::test_it[1-2]"."""
    return test.partition("[")[0].rpartition("/")[2]


def slow(seconds: Mapping[str, float], tests: Counter[str]) -> list[str]:
    """Return the functions that are slow, by name: those whose tests take longest in the mean, until four fifths are left.

    Args:
        seconds: of all tests of each function.
        tests: how many each function has.
    """
    quick = 0
    found = []
    for name in sorted(tests, key=lambda name: (seconds[name] / tests[name], name)):
        quick += tests[name]
        if quick > QUICK_SHARE * tests.total():
            found.append(name)
    return sorted(found)


class Durations:
    """How long the tests of a run took, on whichever process, to write which are slow."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test."""
        name = function_of(report.nodeid)
        self._seconds[name] += report.duration
        self._tests[name] += report.when == "call"

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        SLOW.write_text("".join(f"{name}\n" for name in slow(self._seconds, +self._tests)), encoding="utf-8")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the part that is asked for."""
    part = config.getoption("--part")
    if part is None:
        return
    named = set(SLOW.read_text(encoding="utf-8").split())
    there = {
        is_slow: [item for item in items if (function_of(item.nodeid) in named) is is_slow] for is_slow in (False, True)
    }
    config.hook.pytest_deselected(items=there[part == "quick"])
    items[:] = there[part == "rest"]
