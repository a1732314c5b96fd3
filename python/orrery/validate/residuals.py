# SPDX-License-Identifier: BSD-3-Clause
"""Residuals of suites: differences of measured and predicted times, from which `orrery.evidence` makes intervals."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

from orrery.errors import InputError
from orrery.evidence.residuals import CallResidual, HandWrittenResiduals, Hour, ProgramResidual, Residuals
from orrery.evidence.statement import statement_of
from orrery.platform.prepared import prepare
from orrery.validate.suite_file import SuiteCollectives, SuitePrograms, beside, read_suite

_MODEL = "hybrid"
_COLUMNS = ("machine", "platform", "collective", "algorithm", "nodes", "ranks", "bytes", "measured_us", "predicted_us")


@dataclass(frozen=True)
class JudgedSuite:
    """A suite file, and the output of `orrery validate suite --json` for it."""

    file: Path
    reports: Mapping[str, Any]


def residuals_of(suites: Iterable[JudgedSuite]) -> Residuals:
    """Residuals of the model hybrid. Hours whose calibration says nothing of its uncertainty are left out.

    Raises InputError for files of the suites that cannot be read.
    """
    hours: dict[str, Hour] = {}
    calls: list[CallResidual] = []
    programs: list[ProgramResidual] = []
    by_hand: list[HandWrittenResiduals] = []
    for judged in suites:
        suite = read_suite(judged.file)
        entries: list[SuiteCollectives | SuitePrograms] = [*suite.collectives, *suite.programs]
        for entry in entries:
            number = _hour(entry, judged.file.parent, hours)
            if number is None:
                continue
            for name, report in judged.reports.items():
                if name == entry.name and "cases" in report:
                    calls += _calls(number, report)
                elif "total" in report and (name == entry.name or name.startswith(f"{entry.name}.")):
                    programs.append(_program(number, name, report))
        by_hand += _hand_written(judged.file.parent / name for name in suite.hand_written)
    return Residuals(tuple(hours.values()), tuple(calls), tuple(programs), tuple(by_hand))


def _hour(entry: SuiteCollectives | SuitePrograms, folder: Path, hours: dict[str, Hour]) -> int | None:
    """The position of the entry's hour, which is added if it is not there; None: its calibration says nothing of its uncertainty."""
    platform = beside(folder, entry.platform)
    if platform not in hours:
        statement = statement_of(prepare(platform))
        if statement is None:
            return None
        spreads = tuple((end, round(spread, 5)) for end, spread in statement.spreads)
        rounded = statement._replace(unsteadiness=round(statement.unsteadiness, 5), spreads=spreads)
        hours[platform] = Hour(entry.name, entry.cluster or entry.group, rounded)
    return list(hours).index(platform)


def _calls(hour: int, report: Mapping[str, Any]) -> Iterator[CallResidual]:
    for case in report["cases"]:
        if (predicted := case["predicted"].get(_MODEL)) is not None:
            ratio = case["measured_median_s"] / predicted["median_s"]
            yield CallResidual(hour, case["collective"], case["ranks"], case["bytes"], round(log(ratio), 5))


def _program(hour: int, name: str, report: Mapping[str, Any]) -> ProgramResidual:
    total = report["total"]
    in_mpi = sum(line["predicted_s"] for line in report["routines"] if line["routine"].startswith("MPI_"))
    everything = sum(line["predicted_s"] for line in report["routines"])
    mpi_s = total["predicted_s"] * in_mpi / everything
    measured_s = total["predicted_s"] / (1 + total["error"])
    residual = round((measured_s - total["predicted_s"]) / mpi_s, 5)
    return ProgramResidual(hour, name, report["ranks"], report["message_bytes"], residual)


def _hand_written(files: Iterable[Path]) -> Iterator[HandWrittenResiduals]:
    """For each machine its errors, and those of ratios of two algorithms on one platform, each in increasing order."""
    cells: dict[str, dict[tuple[str, ...], list[float]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        for row in _rows(file):
            cell = tuple(row[name] for name in ("platform", "collective", "nodes", "ranks", "bytes"))
            cells[row["machine"]][cell].append(log(float(row["measured_us"]) / float(row["predicted_us"])))
    for machine, by_cell in cells.items():
        calls = sorted(round(abs(error), 3) for here in by_cell.values() for error in here)
        ratios = sorted(
            round(abs(error - other), 3) for here in by_cell.values() for error, other in combinations(here, 2)
        )
        yield HandWrittenResiduals(machine, tuple(calls), tuple(ratios))


def _rows(file: Path) -> Iterator[dict[str, str]]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines)
            if missing := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
                raise InputError(f"{file}: the column {missing[0]} is not there; expected {', '.join(_COLUMNS)}")
            yield from reader
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None
