# SPDX-License-Identifier: BSD-3-Clause
"""Residuals of a suite: differences of measured and predicted times, from which `record.expected` makes intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any

from orrery.marks import mark_json
from orrery.record.expected import CallResidual, Difficulty, ProgramResidual, Residuals

_MODEL = "hybrid"


def residuals_of(reports: Mapping[str, Any]) -> Residuals:
    """Residuals of the model hybrid, from the output of `orrery validate suite --json`."""
    entries = [(name, report) for name, report in reports.items() if name != "groups"]
    hours = [list(_calls(report)) for _, report in entries if "cases" in report]
    programs = (_program(name, report) for name, report in entries if "total" in report)
    return Residuals(tuple(_scored(hours)), tuple(programs))


def _scored(hours: Sequence[Sequence[CallResidual]]) -> Iterator[CallResidual]:
    """All residuals, with scores by the difficulty that the other hours give. If there is one hour only, by its own."""
    for hour in hours:
        others = [one for other in hours if other is not hour for one in other]
        difficulty = Difficulty(others or hour)
        for one in hour:
            scale = difficulty.of(one.kind, one.ranks, one.bytes, poor=one.poor)
            yield one._replace(score=round(abs(one.residual) / scale, 4))


def to_json(residuals: Residuals, suite: str) -> str:
    """JSON with one line for each residual. `suite`: name of the suite."""
    head = json.dumps(mark_json({"suite": suite}))
    return f'{head[:-1]},\n"collectives": [\n{_rows(residuals.calls)}\n],\n"programs": [\n{_rows(residuals.programs)}\n]}}\n'


def _rows(rows: tuple[CallResidual, ...] | tuple[ProgramResidual, ...]) -> str:
    return ",\n".join(json.dumps(list(row)) for row in rows)


def _calls(report: Mapping[str, Any]) -> Iterator[CallResidual]:
    """Residuals of a report, without scores."""
    poor = (report["calibration"] or {}).get("grade") == "poor"
    for case in report["cases"]:
        if (predicted := case["predicted"].get(_MODEL)) is not None:
            ratio = case["measured_median_s"] / predicted["median_s"]
            yield CallResidual(case["collective"], case["ranks"], case["bytes"], round(log(ratio), 5), poor, 0.0)


def _program(name: str, report: Mapping[str, Any]) -> ProgramResidual:
    total = report["total"]
    in_mpi = sum(line["predicted_s"] for line in report["routines"] if line["routine"].startswith("MPI_"))
    everything = sum(line["predicted_s"] for line in report["routines"])
    mpi_s = total["predicted_s"] * in_mpi / everything
    measured_s = total["predicted_s"] / (1 + total["error"])
    return ProgramResidual(name, report["ranks"], round((measured_s - total["predicted_s"]) / mpi_s, 5))
