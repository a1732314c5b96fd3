# SPDX-License-Identifier: BSD-3-Clause
"""Papers and their verdicts, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Any

from orrery.papers.library import Paper
from orrery.papers.session import ExperimentResult, PaperOutcome

_WIDTH = 110


def listing(papers: Sequence[Paper]) -> str:
    """Which papers there are, their experiments, and what of each is missing."""
    return "\n".join(_listed(paper) for paper in papers)


def as_json_listing(papers: Sequence[Paper]) -> dict[str, Any]:
    """The papers, their experiments, and what of each is missing, as values that JSON has."""
    return {
        "papers": [
            {
                "name": paper.name,
                **paper.content.model_dump(),
                "experiments": [
                    {"name": experiment.name, "where": experiment.content.where, "title": experiment.content.title}
                    for experiment in paper.experiments
                ],
            }
            for paper in papers
        ]
    }


def _listed(paper: Paper) -> str:
    content = paper.content
    head = f"{paper.name}: {content.title} ({content.by})"
    lines = [fill(head, _WIDTH, subsequent_indent="  "), f"  {content.about}"]
    width = max(len(experiment.name) for experiment in paper.experiments)
    lines += [
        f"  {experiment.name:<{width}}  {experiment.content.where}: {experiment.content.title}"
        for experiment in paper.experiments
    ]
    lines += [f"  not yet: {what}" for what in content.missing]
    return "\n".join(lines) + "\n"


def text(outcome: PaperOutcome) -> str:
    """Verdicts of each experiment, then how many there are of each."""
    parts = ["".join(f"{line}\n" for line in _experiment(ran)) for ran in outcome.experiments]
    return "\n".join([*parts, f"{sentence(outcome)}\n"])


def sentence(outcome: PaperOutcome) -> str:
    """How many claims came out."""
    counts = [f"{count} {verdict}" for verdict, count in outcome.verdicts.items() if count]
    form = ", in the quick form" if outcome.quick else ""
    claims = "1 claim" if len(outcome.checked) == 1 else f"{len(outcome.checked)} claims"
    return f"{claims}{form}: {', '.join(counts)}."


def _experiment(ran: ExperimentResult) -> Iterator[str]:
    yield f"{ran.name} ({ran.where}): {ran.content.title}"
    before = ""
    for checked in ran.claims:
        if checked.verdict == "left out":
            continue
        yield f"  {checked.verdict:<14}  {checked.claim}"
        yield f"  {'':<14}  paper {checked.paper}; here {checked.here}"
        if checked.why:
            said = "As above." if checked.why == before else checked.why
            yield fill(said, _WIDTH, initial_indent=" " * 18, subsequent_indent=" " * 18)
            before = checked.why
    if left_out := sum(checked.verdict == "left out" for checked in ran.claims):
        yield f"  left out        {left_out} of {len(ran.claims)} claims, by the quick form"
    for assumed in ran.assumed:
        yield fill(f"assumed: {assumed}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
