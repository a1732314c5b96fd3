# SPDX-License-Identifier: BSD-3-Clause
"""Runs of all validations in a suite file, compared with stored reports and with bounds."""

from __future__ import annotations

import ctypes
import io
import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stderr
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path
from typing import Any, TextIO

from orrery import published
from orrery.errors import InputError, Interrupt
from orrery.platform.model import Model
from orrery.validate.comparison import ValidationComparison
from orrery.validate.programs import ProgramComparison, compare_program
from orrery.validate.settings import ProgramValidation
from orrery.validate.stored import changes, keep, last, program_changes
from orrery.validate.suite_file import Suite, SuiteCollectives, SuiteGroup, SuitePrograms, read_suite
from orrery.validate.summaries import EntryErrors, GroupSummary, summarise

_PR_SET_PDEATHSIG = 1
_WORSE = 0.02
"""A suite fails when a median error grew by more than this."""


@dataclass(frozen=True)
class Tables:
    """Functions that write results as tables for people."""

    collectives: Callable[[ValidationComparison, TextIO], object]
    program: Callable[[ProgramComparison, TextIO], object]
    groups: Callable[[list[GroupSummary], TextIO], object]


@dataclass(frozen=True)
class EntryResult:
    """What was found for one entry of a suite, or for one program of an entry of several."""

    name: str
    group: str
    found: ValidationComparison | ProgramComparison
    changes: list[str]
    """Since the stored report."""
    above: list[str]
    """A sentence for each of its own bounds that is exceeded."""
    grew: bool
    """Whether its error is worse than the stored one by more than 0.02."""


@dataclass(frozen=True)
class SuiteResult:
    """What was found for all entries of a suite."""

    entries: list[EntryResult]
    summaries: list[GroupSummary]
    bounds: list[SuiteGroup]
    above: list[str]
    """A sentence for each exceeded bound of a group."""

    @property
    def failed(self) -> bool:
        """Whether a bound is exceeded, or an error grew by more than 0.02."""
        return bool(self.above) or any(entry.above or entry.grew for entry in self.entries)


def run_suite(
    file: Path, store: Path, out: TextIO, tables: Tables, *, as_json: bool, force: bool = False
) -> SuiteResult:
    """Run all validations, write their results and changes, and store their reports.

    Each report is stored as soon as its validation has ended.

    Args:
        file: the suite file.
        store: folder of the reports; created if necessary.
        out: receives tables, or JSON.
        tables: functions that write the tables.
        as_json: write one JSON document instead of tables.
        force: use platforms with poor calibrations, too.
    Raises:
        InputError: the suite file or a file that it names is wrong, or `store` cannot be used.
        Interrupt: for Ctrl-C; reports of the entries that have ended are stored.
    """
    suite = read_suite(file)
    programs = [entry.validations(file.parent, force=force) for entry in suite.programs]
    _check_store(
        store,
        [*(entry.name for entry in suite.collectives), *(name for validations in programs for name in validations)],
    )
    told = io.StringIO() if as_json else out
    run = _Run(store, told, tables)
    try:
        run.everything(suite, programs, file.parent, force=force)
    except (KeyboardInterrupt, Interrupt):
        every = len(suite.collectives) + sum(map(len, programs))
        raise Interrupt(
            f"{len(run.reports)} of {every} entries are there, their reports in {store}; the same command does all of them"
        ) from None
    summaries = summarise(run.errors)
    above = exceeded(suite, summaries)
    tables.groups(summaries, told)
    told.write("".join(f"{line}\n" for line in above))
    if as_json:
        json.dump({**run.reports, "groups": published.as_json(summaries)}, out, indent=1)
        out.write("\n")
    return SuiteResult(entries=run.entries, summaries=summaries, bounds=suite.groups, above=above)


def exceeded(suite: Suite, summaries: list[GroupSummary]) -> list[str]:
    """A sentence for each exceeded bound of a group."""
    found = {summary.group: summary for summary in summaries}
    return [line for group in suite.groups for line in found[group.name].exceeded(group)]


def simulate_programs(validations: Mapping[str, ProgramValidation]) -> Iterator[tuple[str, ProgramComparison]]:
    """Names and results of all validations, in order. They are simulated in parallel, in as many processes as there are cores.

    The processes write nothing to standard error; warnings about a platform are in `ProgramComparison.cautions`. No process outlives
    this one. Raises InputError.
    """
    with ProcessPoolExecutor(max_workers=os.cpu_count(), initializer=_end_with_parent) as workers:
        futures = {name: workers.submit(_compare, validation) for name, validation in validations.items()}
        try:
            for name, future in futures.items():
                yield name, future.result()
        except BaseException:
            for process in active_children():
                process.terminate()  # replays stop: Ctrl-C has told them, too, but a signal to this process has not
            workers.shutdown(cancel_futures=True)  # waits for them, so that they leave no files or processes
            raise


def _end_with_parent() -> None:
    """Let Linux kill this process when its parent ends, for whatever reason (prctl(2), PR_SET_PDEATHSIG).

    SIGTERM ends a replay in order, and a process that has none at once, without a word.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _compare(validation: ProgramValidation) -> ProgramComparison:
    with redirect_stderr(io.StringIO()):
        return compare_program(validation)


class _Run:
    """Results of the entries of a suite so far."""

    def __init__(self, store: Path, told: TextIO, tables: Tables) -> None:
        self._store = store
        self._told = told
        self._tables = tables
        self.reports: dict[str, Any] = {}
        self.errors: list[EntryErrors] = []
        self.entries: list[EntryResult] = []

    def everything(
        self, suite: Suite, programs: list[dict[str, ProgramValidation]], folder: Path, *, force: bool
    ) -> None:
        """All entries; `programs`: for each entry of that kind, its validations by name."""
        for collectives in suite.collectives:
            self.collectives(collectives, folder, force=force)
        for entry, validations in zip(suite.programs, programs, strict=True):
            self.programs(entry, validations)

    def collectives(self, entry: SuiteCollectives, folder: Path, *, force: bool) -> None:
        """Simulate all cases of one entry, store its report and write its results."""
        kept = self._store / f"{entry.name}.json"
        before = last(kept)
        self._told.write(f"== {entry.name}\n")
        validation = entry.validation(folder, force=force)
        found = validation.compare()
        if found.missing:
            raise KeyboardInterrupt  # a part of the cases is no report to compare with
        report, model = published.as_json(found), found.models[0]
        keep(report, kept)
        self._tables.collectives(found, self._told)
        grew = before is not None and _median(report, model) > _median(before, model) + _WORSE
        lines = changes(before, report) if before else []
        self._end(EntryResult(entry.name, entry.group, found, lines, validation.exceeded(found), grew), report)
        self.errors.append(
            EntryErrors(entry.group, collectives=tuple(abs(case.predicted[model].error) for case in found.cases))
        )

    def programs(self, entry: SuitePrograms, validations: Mapping[str, ProgramValidation]) -> None:
        """Replay all programs of one entry, store their reports and write their results."""
        for name, found in simulate_programs(validations):
            if found.interrupted:
                raise KeyboardInterrupt  # a part of the replicas is no report to compare with
            kept = self._store / f"{name}.json"
            before = last(kept, needed=("total", "routines"))
            self._told.write(f"== {name}\n")
            report = published.as_json(found)
            keep(report, kept)
            self._tables.program(found, self._told)
            grew = before is not None and abs(found.total.error) > abs(before["total"]["error"]) + _WORSE
            lines = program_changes(before, report) if before else []
            self._end(
                EntryResult(name, entry.group, found, lines, found.exceeded(validations[name].most_error), grew), report
            )
            self.errors.append(EntryErrors(entry.group, programs=(abs(found.total.error),)))

    def _end(self, entry: EntryResult, report: dict[str, Any]) -> None:
        self.reports[entry.name] = report | {"changes": entry.changes}
        self._told.write("".join(f"{line}\n" for line in [*entry.changes, *entry.above]) + "\n")
        self.entries.append(entry)


def _check_store(store: Path, names: list[str]) -> None:
    """Raise InputError if reports cannot be written, or would replace files that are no JSON. Called before any simulation."""
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--store {store}: {error.strerror}; name another folder") from None
    if not os.access(store, os.W_OK | os.X_OK):
        raise InputError(f"--store {store}: no file can be written there; name another folder")
    for name in names:
        last(store / f"{name}.json", needed=())


def _median(report: dict[str, Any], model: Model) -> float:
    return float(report["summary"].get(model, {}).get("all", {}).get("median", float("inf")))
