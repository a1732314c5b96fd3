# SPDX-License-Identifier: BSD-3-Clause
"""The page of a validation: how far predictions of collectives are from measured times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from orrery.page.document import Page
from orrery.page.packing import Column
from orrery.page.parts import Part, Plot, Series, Table, TableColumn
from orrery.report.pages.axes import SIZE, TIME, on_log_axis
from orrery.report.pages.bounds import bounds_said, tone_of
from orrery.validate.comparison import ValidationCase, ValidationComparison


def page_of_validation(found: ValidationComparison, above: Sequence[str] = (), *, bounded: bool = False) -> Page:
    """Errors of each model, measured and predicted times over size, and all cases.

    `above`: a sentence for each exceeded bound; `bounded`: whether there are any.
    """
    return Page(
        title=f"predictions for {found.platform}",
        verdict=_verdict(found) + bounds_said(above, bounded=bounded),
        tone=tone_of(above, bounded=bounded),
        facts=[
            ("platform", found.platform),
            ("parameters", found.source or "of unknown origin"),
            ("selector", found.selector),
            ("models", ", ".join(found.models)),
            ("cases", f"{len(found.cases):,}"),
        ],
        cautions=[*found.cautions, *([f"{found.missing:,} cases were not simulated"] if found.missing else [])],
        parts=list(_parts(found)),
    )


def _verdict(found: ValidationComparison) -> str:
    model = found.models[0]
    summary = found.summary[model]["all"]
    said = (
        f"Half of {summary.cases:,} predictions by the model {model} are within {summary.median:.1%} of the "
        f"measured median, 9 of 10 within {summary.p90:.1%}."
    )
    if (coverage := found.expected) is not None:
        said += f" {coverage.inside:.0%} of measured medians lie in the intervals in which 90 % are expected."
    return said


def _parts(found: ValidationComparison) -> Iterator[Part]:
    yield _errors(found)
    panels: dict[tuple[str, int], list[ValidationCase]] = defaultdict(list)
    for case in found.cases:
        panels[case.collective, case.ranks].append(case)
    for kind, ranks in sorted(panels, key=lambda key: (found.kinds.index(key[0]), key[1])):
        cases = sorted(panels[kind, ranks], key=lambda case: case.bytes)
        if len(cases) > 1:
            yield _curves(found, f"{kind}, {ranks:,} ranks", cases)
    yield _cases(found)


def _errors(found: ValidationComparison) -> Table:
    rows: list[list[object]] = []
    by_model = found.summary
    for kind in (*found.kinds, "all"):
        for model in found.models:
            summary = by_model[model][kind]
            rows.append(
                [
                    kind,
                    model,
                    summary.cases,
                    summary.median,
                    summary.p90,
                    summary.worst,
                    summary.inside,
                    summary.overlap,
                ]
            )
    return Table(
        title="Errors",
        note="Absolute relative errors of predicted medians.",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="model"),
            TableColumn(name="cases", unit="count"),
            TableColumn(name="median", unit="share"),
            TableColumn(name="90th percentile", unit="share"),
            TableColumn(name="worst", unit="share"),
            TableColumn(name="inside", unit="share", help="Predicted inside the measured spread"),
            TableColumn(name="overlap", unit="share", help="Measured spread and predicted interval overlap"),
        ],
        rows=rows,
        bar=3,
        most=40,
    )


def _curves(found: ValidationComparison, title: str, cases: Sequence[ValidationCase]) -> Plot:
    return Plot(
        title=title,
        note="Points: measured medians; the band reaches from the least measured time to the 90th percentile.",
        x=SIZE,
        y=TIME,
        values=on_log_axis(case.bytes for case in cases),
        series=[
            Series(name="least measured", values=_column(case.measured_least_s for case in cases), style="low"),
            Series(name="90 % measured", values=_column(case.measured_p90_s for case in cases), style="high"),
            *(
                Series(name=model, values=_column(case.predicted[model].median_s for case in cases), dashed=number > 0)
                for number, model in enumerate(found.models)
            ),
            Series(name="measured", values=_column(case.measured_median_s for case in cases), style="points"),
        ],
    )


def _column(values: Iterator[float]) -> Column:
    return Column(np.array(list(values), dtype=np.float64))


def _cases(found: ValidationComparison) -> Table:
    model = found.models[0]
    rows: list[list[object]] = [
        [
            case.collective,
            case.ranks,
            case.bytes,
            case.measured_median_s,
            judged.median_s,
            judged.error,
            "inside" if judged.inside else "overlaps" if judged.overlaps else "outside",
        ]
        for case in found.cases
        for judged in [case.predicted[model]]
    ]
    rows.sort(key=lambda row: -abs(float(str(row[5]))))
    return Table(
        title="All cases, the worst first",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count"),
            TableColumn(name="size", unit="bytes"),
            TableColumn(name="measured", unit="s"),
            TableColumn(name=f"predicted ({model})", unit="s"),
            TableColumn(name="error", unit="share"),
            TableColumn(name="measured spread"),
        ],
        rows=rows,
        most=15,
    )
