# SPDX-License-Identifier: BSD-3-Clause
"""The quick tests and the rest. `pytest --part quick` leaves out what tests/slow.txt names, `--part rest` runs nothing else.

The file has functions of tests, of which the mean takes longest, and fixtures that several tests share and whose set-up takes
as long: all tests that use such a fixture are in the rest, so that it is set up there alone. `pytest --write-parts` of all
tests on a quiet machine writes it anew. A test that it names neither itself nor by a fixture is quick.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

SLOW = Path(__file__).parents[1] / "slow.txt"
QUICK_SHARE = 0.8
"""Share of all tests that are quick."""


def function_of(test: str) -> str:
    """Return the file and the function of a test: "test_words.py::test_it" of "tests/python/test_words.py::test_it[1-2]"."""
    return test.partition("[")[0].rpartition("/")[2]


def shared_fixtures_of(item: pytest.Item) -> list[str]:
    """Return the fixtures of a test that are set up for several tests, as tests/slow.txt names them: their file and their name."""
    found = []
    for name, definitions in getattr(item, "_fixtureinfo").name2fixturedefs.items():  # noqa: B009  private to pytest
        found += [f"{_file_of(each)}::{name}" for each in definitions[-1:] if each.scope != "function"]
    return found


def _file_of(fixture: pytest.FixtureDef[object]) -> str:
    return Path(fixture.func.__code__.co_filename).name


def slow(seconds: Mapping[str, float], tests: Counter[str], uses: Mapping[str, set[str]]) -> list[str]:
    """Return functions and fixtures that are slow, by name: those that take longest, until four fifths of the tests are left.

    Args:
        seconds: of all tests of each function, without fixtures that they share, and of the set-ups of each such fixture.
        tests: how many each function has.
        uses: the shared fixtures of each function.
    """
    mean = {
        name: seconds[name] / tests.get(name, 1) for name in {*tests, *(used for of in uses.values() for used in of)}
    }
    quick = Counter(tests)
    fixtures: set[str] = set()
    for name in sorted(mean, key=lambda name: (mean[name], name), reverse=True):
        if quick.total() <= QUICK_SHARE * tests.total():
            break
        if name in tests:
            del quick[name]
        else:
            fixtures.add(name)
            quick = Counter({function: number for function, number in quick.items() if name not in uses[function]})
    return sorted({*fixtures, *(name for name in tests if name not in quick and not fixtures & uses[name])})


class Durations:
    """How long the tests of a run took, on whichever process, to write which are slow."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._tests: Counter[str] = Counter()
        self._uses: defaultdict[str, set[str]] = defaultdict(set)
        self._set_up: dict[str, float] = {}
        """Seconds of the shared fixtures that were set up since the last report, on this process."""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """Time what several tests share: the report of the first of them would have it all."""
        begin = time.perf_counter()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._set_up[f"{_file_of(fixturedef)}::{fixturedef.argname}"] = time.perf_counter() - begin

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report take the times of fixtures to the process that has the reports of all."""
        report = yield
        vars(report).update(set_up=self._set_up, shared_fixtures=shared_fixtures_of(item))
        self._set_up = {}
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test."""
        name = function_of(report.nodeid)
        self._seconds[name] += report.duration - sum(report.set_up.values())
        self._tests[name] += report.when == "call"
        self._uses[name].update(report.shared_fixtures)
        for fixture, seconds in report.set_up.items():
            self._seconds[fixture] += seconds

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file, on the process that has the reports of all."""
        if not hasattr(session.config, "workerinput"):
            text = "".join(f"{name}\n" for name in slow(self._seconds, +self._tests, self._uses))
            SLOW.write_text(text, encoding="utf-8")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the part that is asked for."""
    part = config.getoption("--part")
    if part is None:
        return
    named = set(SLOW.read_text(encoding="utf-8").split())
    there: dict[bool, list[pytest.Item]] = {False: [], True: []}
    for item in items:
        there[not named.isdisjoint({function_of(item.nodeid), *shared_fixtures_of(item)})].append(item)
    config.hook.pytest_deselected(items=there[part == "quick"])
    items[:] = there[part == "rest"]
