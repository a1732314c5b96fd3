# SPDX-License-Identifier: BSD-3-Clause
"""What `run` and `replay` write: a record (FILE.json), a trace (FILE.trace) and a page (--report FILE.html)."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from orrery.cli.outputs import by_ending, report_output
from orrery.output import Output

if TYPE_CHECKING:
    from orrery.experiment.settings import SimulationSettings
    from orrery.record.document import Record

RECORD, TRACE = ".json", ".trace"
WRITES = "What to write, by its ending: the record (FILE.json) or a trace (FILE.trace); may be repeated."

_BY_SIGNAL = [128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)]
"""Exit codes."""

Settings = TypeVar("Settings", bound="SimulationSettings")


@dataclass(frozen=True)
class RecordedOutputs:
    """Places for each, checked; None: it is not wanted."""

    record: Output | None
    trace: Output | None
    page: Output | None = None

    @classmethod
    def of(
        cls, files: Sequence[Path] | None, report: Path | None = None, *, overwrite: bool, read: Iterable[Path] = ()
    ) -> RecordedOutputs:
        """What `-o` and `--report` name. Raises InputError where it cannot be written; nothing has been done then."""
        read = list(read)
        found = by_ending(files, (RECORD, TRACE), overwrite=overwrite, read=read)
        return cls(found.get(RECORD), found.get(TRACE), report_output(report, overwrite=overwrite, read=read))

    def simulate(self, settings: Settings, simulate: Callable[[Settings], Record]) -> Record:
        """Simulate, with the trace and the page in their places afterwards: whatever came of a run that started is kept."""
        if self.page is None:
            from orrery.simulate.recorded import recorded_in

            return recorded_in(self.trace, settings, simulate)
        from orrery.report.pages.reported import reported_in

        return reported_in(self.page, self.trace, settings, simulate)

    def after_interruption(self, record: Record) -> str:
        """What is there, and how to go on, if Ctrl-C or another signal ended it; else nothing."""
        if record.exit_code not in _BY_SIGNAL:
            return ""
        trace = "" if self.trace is None else f"; {self.trace.path} has what was done by then"
        return (
            "orrery: interrupted: the figures are of what was simulated by then, and `orrery profile` shows them again"
            f"{trace}; the same command begins anew\n"
        )

    def keep(self, record: Record) -> None:
        """As the last run of its folder, and in the file that was named for it, if one was."""
        from orrery.record.document import to_json
        from orrery.record.last_run import remember

        remember(record)
        if self.record is not None:
            self.record.write(to_json(record, indent=1) + "\n")
