# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured times of collectives, as tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from orrery.platform.model import Model
from orrery.units import show_bytes, show_time
from orrery.validate.comparison import Summary, ValidationCase, ValidationComparison


def write_tables(found: ValidationComparison, out: TextIO, *, every_case: bool) -> None:
    """Write errors by collective and model. With `every_case`, each case by the first model is listed before."""
    out.write(f"{found.platform}, selector {found.selector}: {found.source or 'parameters of unknown origin'}\n\n")
    if every_case:
        write_columns(
            out,
            ("collective", "ranks", "size", "measured", "least", "90 %", "predicted", "5 %", "95 %", "error", ""),
            _lines(found),
        )
        out.write("\n")
    write_columns(out, ("collective", "cases", *_heading(found.models)), _summaries(found))
    if (coverage := found.expected) is not None:
        out.write(
            f"expected times: {coverage.inside:.0%} of {coverage.cases} measured medians lie in their intervals of 90 %, "
            f"which reach {coverage.reach:.1%} to both sides (median)\n"
        )
    out.write("".join(f"caution: {said}\n" for said in found.cautions))


def _lines(found: ValidationComparison) -> Iterable[tuple[str, ...]]:
    model = found.models[0]
    return (_line(case, model) for case in found.cases)


def _line(case: ValidationCase, model: Model) -> tuple[str, ...]:
    predicted = case.predicted[model]
    return (
        case.collective,
        str(case.ranks),
        show_bytes(case.bytes),
        show_time(case.measured_median_s),
        show_time(case.measured_least_s),
        show_time(case.measured_p90_s),
        show_time(predicted.median_s),
        *((show_time(predicted.low_s), show_time(predicted.high_s)) if predicted.replicas > 1 else ("", "")),
        f"{predicted.error:+.1%}",
        "" if predicted.inside else "overlaps" if predicted.overlaps else "outside",
    )


def _heading(models: Iterable[Model]) -> list[str]:
    return [
        f"{model} {what}" if what == "median" else what
        for model in models
        for what in ("median", "90 %", "inside", "overlap")
    ]


def _summaries(found: ValidationComparison) -> Iterable[tuple[str, ...]]:
    by_model = found.summary.values()
    for kind in (*found.kinds, "all"):
        summaries = [by_kind[kind] for by_kind in by_model]
        yield (kind, str(summaries[0].cases), *(cell for summary in summaries for cell in _cells(summary)))


def _cells(summary: Summary) -> tuple[str, ...]:
    return f"{summary.median:.1%}", f"{summary.p90:.1%}", f"{summary.inside:.0%}", f"{summary.overlap:.0%}"


def write_columns(out: TextIO, heading: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> None:
    """Write a table: the first column aligned to the left, the others to the right."""
    rows = [heading, *lines]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heading))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        out.write("  ".join(cells).rstrip() + "\n")
