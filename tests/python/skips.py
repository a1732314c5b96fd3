# SPDX-License-Identifier: BSD-3-Clause
"""Which tests are skipped, and whether they may be.

A test names what it needs, `@needs("chromium")`, by a table of tests/needs.toml. The end of a run lists what was skipped by reason,
with the cure; `pytest --refuse-skips` fails if a skip is not allowed there, so that no test is skipped for ever unseen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Literal, cast

import pytest

from needs import ALLOWED, NEEDS, AllowedSkip, Need

Refused = Literal["light", "all"]
"""Which missing needs fail a run: those that are quickly installed, or all."""


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip a test unless all of these needs are here."""
    absent = next((name for name in names if not is_here(name)), None)
    return pytest.mark.skipif(absent is not None, reason="" if absent is None else NEEDS[absent].reason)


@cache
def is_here(name: str) -> bool:
    """Whether a need is here."""
    return NEEDS[name].is_here()


def why_allowed(
    reason: str, refused: Refused, needs: Iterable[Need] = NEEDS.values(), allowed: Iterable[AllowedSkip] = ALLOWED
) -> str | None:
    """Why a test may be skipped for a reason; None if it may not."""
    for skip in allowed:
        if reason.startswith(skip.reason):
            return skip.why
    if any(reason == need.reason and not need.is_to_be_had() for need in needs):
        return "its packages could not be installed here, which the start of the run says"
    if refused == "light" and any(reason == need.reason for need in needs if need.heavy):
        return "only make test ALL=yes gets it"
    return None


class Skips:
    """What was skipped in a run, on whichever process."""

    def __init__(self, config: pytest.Config) -> None:
        self._refused = cast("Refused | None", config.getoption("--refuse-skips"))
        self._times: Counter[str] = Counter()
        self._tests: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self._add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file of tests."""
        if report.skipped:
            self._add(report)

    def _add(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        assert isinstance(report.longrepr, tuple)
        reason = report.longrepr[2].removeprefix("Skipped: ")
        self._times[reason] += 1
        self._tests.setdefault(reason, report.nodeid)

    def refused(self) -> list[str]:
        """Reasons of skips that fail the run."""
        if self._refused is None:
            return []
        return [reason for reason in sorted(self._times) if why_allowed(reason, self._refused) is None]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run."""
        if self.refused() and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was skipped, and what would change that."""
        if not self._times:
            return
        terminalreporter.section("skipped tests, by reason")
        refused = self.refused()
        for reason in sorted(self._times):
            times, first = self._times[reason], self._tests[reason]
            why = why_allowed(reason, self._refused or "light")
            verdict = "REFUSED" if reason in refused else "allowed" if why else "skipped"
            terminalreporter.line(f"{verdict} {times}: {reason}{f' ({why})' if why else ''}, such as {first}")
        if refused:
            terminalreporter.line(
                "Install what is missing, or allow the skip in tests/needs.toml, with the reason", red=True
            )
