# SPDX-License-Identifier: BSD-3-Clause
"""How much each part of the model reduces the prediction error: a table, and the page `docs/accuracy.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from orrery.evidence.residuals import evidence
from orrery.report.coverage import coverage_section
from orrery.report.markdown import markdown_table
from orrery.report.validation import write_columns
from orrery.validate.ablation import NOTEWORTHY, Ablation, Ablations
from orrery.validate.summaries import GroupSummary

_FIGURES = {"median": "median", "p90": "90 %", "mean": "programs"}
_EXPLAINED = f"""\
Each row leaves out one table or key of the platform files, as if it were absent, and predicts every measured case again.
Numbers are percentage points: the error without it less the error with it, so that a positive number says how much it
helps. What acts only beside it is left out with it. The other values stay as they were fitted beside it.

A key whose largest number is below {100 * NOTEWORTHY:.1f} has no worth on this evidence: it is marked with *none*.
"""


def write_table(found: Ablations, out: TextIO) -> None:
    """Write a line for each part of the model, aligned for a terminal."""
    columns = _columns(found)
    write_columns(
        out, ("left out", "files", *(f"{group} {_FIGURES[name]}" for group, name in columns), ""), _rows(found)
    )


def page(found: Ablations, suite: str) -> str:
    """The page in Markdown. `suite`: path of the suite file, shown on the page."""
    return "".join(f"{line}\n" for line in _page(found, suite))


def _page(found: Ablations, suite: str) -> Iterator[str]:
    yield f"<!-- Orrery wrote this page: orrery validate ablate {suite} -o FILE.md; run that instead of editing it. -->"
    yield "# How accurate predictions are, and what each part of the model is worth"
    yield ""
    yield f"Evidence: `{suite}`, {len(found.platforms)} calibrations with what was measured in the same hours."
    yield ""
    if found.about:
        yield found.about
        yield ""
    yield from markdown_table(
        ("group", "collectives", "median", "90 %", "programs", "mean error"), map(_group, found.whole)
    )
    yield ""
    yield from coverage_section(evidence())
    yield ""
    yield "## What each part is worth"
    yield ""
    yield _EXPLAINED
    columns = _columns(found)
    heading = ("left out", "files", *(f"{group}, {_FIGURES[name]}" for group, name in columns), "")
    yield from markdown_table(heading, ((f"`{row[0]}`", *row[1:]) for row in _rows(found)))
    if needed := [ablation.key for ablation in found.ablations if ablation.needed]:
        yield ""
        yield f"No platform can be without these: {', '.join(f'`{key}`' for key in needed)}."
    if found.missing:
        yield ""
        yield f"Ctrl-C came before these: {', '.join(f'`{key}`' for key in found.missing)}."


def _group(summary: GroupSummary) -> tuple[str, ...]:
    def percent(value: float | None) -> str:
        return "" if value is None else f"{value:.1%}"

    return (
        summary.group,
        str(summary.cases or ""),
        percent(summary.median),
        percent(summary.p90),
        str(summary.programs or ""),
        percent(summary.mean),
    )


def _columns(found: Ablations) -> list[tuple[str, str]]:
    return [(summary.group, name) for summary in found.whole for name in summary.figures()]


def _rows(found: Ablations) -> Iterator[tuple[str, ...]]:
    for ablation in found.ablations:
        if not ablation.needed:
            cells = (f"{100 * ablation.worth[group][name]:+.2f}" for group, name in _columns(found))
            yield (_name(ablation), str(ablation.platforms), *cells, "" if ablation.noteworthy else "none")


def _name(ablation: Ablation) -> str:
    return f"{ablation.key} (with {', '.join(ablation.also)})" if ablation.also else ablation.key
