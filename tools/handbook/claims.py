# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference/claims.md from results of `orrery papers`: PYTHONPATH=tools python -m handbook.claims FOLDER (`make claims`).

FOLDER has a folder for each paper, by its name, as `orrery papers NAME -o FOLDER/NAME` leaves it. What is not there is run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from handbook import REFERENCE
from orrery.papers.claims import CheckedClaim
from orrery.papers.library import names, paper
from orrery.papers.session import VERDICTS, ExperimentResult, PaperOutcome, run
from orrery.progress import progress

PAGE = REFERENCE / "claims.md"
_COUNTED = VERDICTS[:3]
_HEAD = """<!-- Written by `make claims`; run that instead of editing it. -->
# Claims of papers

What published papers say came out, and what comes out here. The command above each table runs its experiment again. *Reproduced*:
within the tolerance that the experiment's file names. *Sign right*: what is faster there is faster here, by another factor. Where
something is *not reproduced*, the table says why, as far as that is known. [Papers](../papers.md) says how experiments are made.
"""


def page(outcomes: list[PaperOutcome]) -> str:
    """The page: how many claims came out, then all of them."""
    return "\n".join([_HEAD, *_counts(outcomes), *(line for outcome in outcomes for line in _paper(outcome))])


def count_line(outcome: PaperOutcome) -> str:
    """The row of a paper in the first table."""
    counts = [outcome.verdicts[verdict] for verdict in _COUNTED]
    share = (counts[0] + counts[1]) / max(1, sum(counts))
    return f"| `{outcome.paper}` | {' | '.join(map(str, counts))} | {share:.0%} |"


def claim_line(checked: CheckedClaim) -> str:
    """The row of a claim."""
    cells = [checked.verdict, checked.claim, checked.paper, checked.here, checked.why]
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _counts(outcomes: list[PaperOutcome]) -> Iterator[str]:
    yield f"| paper | {' | '.join(_COUNTED)} | reproduced or sign right |"
    yield "|---|---|---|---|---|"
    yield from map(count_line, outcomes)
    yield ""


def _paper(outcome: PaperOutcome) -> Iterator[str]:
    yield f"## {outcome.title}"
    yield ""
    yield f"{outcome.content.by}."
    yield ""
    for ran in outcome.experiments:
        yield from _experiment(outcome.paper, ran)
    for what in outcome.content.missing:
        yield f"Not run yet: {what}."
        yield ""


def _experiment(name: str, ran: ExperimentResult) -> Iterator[str]:
    yield f"### {ran.content.title} ({ran.where})"
    yield ""
    yield f"    orrery papers {name} --only {ran.name}"
    yield ""
    yield "| verdict | claim | paper | here | why not |"
    yield "|---|---|---|---|---|"
    yield from map(claim_line, ran.claims)
    yield ""
    for assumed in ran.assumed:
        yield f"- Assumed: {assumed}"
    if ran.assumed:
        yield ""


def main() -> None:
    """Run what is missing and write the page."""
    folder = Path(sys.argv[1])
    outcomes = []
    for name in names():
        kept = folder / name
        kept.mkdir(parents=True, exist_ok=True)
        found = paper(name)
        with progress() as advanced:
            outcomes.append(run(found, found.experiments, quick=False, folder=kept, advanced=advanced))
        if outcomes[-1].missing:
            sys.exit(f"interrupted; what is done is kept in {kept}")
    PAGE.write_text(page(outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()
