# SPDX-License-Identifier: BSD-3-Clause
"""A real run, held against what a platform expects."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from orrery.api import html
from orrery.api.frames import Table, Tabular
from orrery.api.verbs import function_of
from orrery.api.watching import say
from orrery.errors import InputError
from orrery.published import as_json
from orrery.units import show_bytes, show_time
from orrery.watch.settings import WatchSettings

if TYPE_CHECKING:
    from orrery.watch.result import ComparedTime, WatchOutcome


class WatchedRun(Tabular):
    """Expected against actual: what `orrery watch` finds.

    Example:
        >>> found = o.watch(["mpirun", "-np", "64", "./cg"], platform="cluster.toml")
        >>> found.findings, found.frame()
    """

    def __init__(self, found: WatchOutcome) -> None:
        self._found = found

    @property
    def exit_code(self) -> int:
        """Exit code of the launcher."""
        return self._found.exit_code

    @property
    def findings(self) -> list[str]:
        """What is slower than it should be, a sentence each."""
        return [finding.words for finding in self._found.findings]

    @property
    def table(self) -> Table:
        """A row for each class of collectives and messages: what, ranks (None for messages), bytes, calls, measured_s and expected_s
        (median of a call, seconds; None: not known), ratio, low_s and high_s (where 9 of 10 real times are expected), verdict.
        """
        return Table(self._rows())

    @property
    def cautions(self) -> list[str]:
        """Limits of the results, a sentence each."""
        return list(self._found.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery watch --json`)."""
        return dict(as_json(self._found))

    def __str__(self) -> str:
        from orrery.report.watched import text

        return text(self._found)

    def __repr__(self) -> str:
        return f"<WatchedRun: {self._verdict()}>"

    def _repr_html_(self) -> str:
        rows = [
            {
                "what": row["what"],
                "ranks": row["ranks"],
                "size": show_bytes(row["bytes"]),
                "calls": row["calls"],
                "measured": "" if row["measured_s"] is None else show_time(row["measured_s"]),
                "expected": "" if row["expected_s"] is None else show_time(row["expected_s"]),
                "ratio": row["ratio"],
                "verdict": row["verdict"],
            }
            for row in self._rows()
        ]
        found = self._found
        rests = {
            "found": self.findings,
            "platform": f"{found.platform}, {found.model}",
            "selector": found.selector,
            "caution": self.cautions,
        }
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        found = self._found
        slower = sum(row["verdict"] == "slower" for row in self._rows())
        said = f"{found.ranks:,} ranks, {show_time(found.run_s)}, {show_time(found.mpi_s)} of it in MPI"
        return f"{said}; {slower} classes of calls slower than expected, {len(found.findings)} findings."

    def _rows(self) -> Iterator[dict[str, Any]]:
        for collective in self._found.collectives:
            yield _row(collective.kind, collective.ranks, collective.bytes, collective.calls, collective.compared)
        for message in self._found.messages:
            yield _row(f"messages {message.way}", None, message.bytes, message.messages, message.compared)


def _row(what: str, ranks: int | None, size: int, calls: int, compared: ComparedTime) -> dict[str, Any]:
    alike = ("measured_s", "expected_s", "ratio", "low_s", "high_s", "verdict")
    return {"what": what, "ranks": ranks, "bytes": size, "calls": calls} | {
        name: getattr(compared, name) for name in alike
    }


@function_of(WatchSettings)
def watch(settings: dict[str, Any], command: Sequence[str], *, quiet: bool = False) -> WatchedRun:
    """Run a program on a real MPI and hold its calls against what a platform expects, as `orrery watch` does.

    By default ranks are where the names of their hosts are on the platform, or else in the order of the hosts, and the selector
    is guessed from the library.

    Args:
        command: what starts the program, such as ["mpirun", "-np", "64", "./cg"].
        quiet: Orrery itself says nothing on standard error while the program runs.
    Raises:
        InputError: something cannot be used as it is, or the command cannot be started.
        orrery.errors.OrreryError: no rank was watched.

    Example:
        >>> o.watch(["mpirun", "-np", "8", "./cg"], platform="cluster.toml").findings
    """
    from orrery.watch.session import watch as watch_it

    words = [os.fspath(word) for word in command]
    if isinstance(command, str) or not words:
        raise InputError(f'command {command!r}: expected a list of words, such as ["mpirun", "-np", "8", "./cg"]')
    return WatchedRun(watch_it(WatchSettings(command=words, **settings), (lambda _text: None) if quiet else say))
