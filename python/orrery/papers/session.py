# SPDX-License-Identifier: BSD-3-Clause
"""A paper run: its experiments one after the other, each kept as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orrery.output import write_at_once
from orrery.papers.claims import CheckedClaim, Verdict
from orrery.papers.experiment import ExperimentFile, PaperExperiment
from orrery.papers.library import Paper, PaperFile
from orrery.papers.rows import Row
from orrery.published import UNWRITTEN, json_of, published

VERDICTS: tuple[Verdict, ...] = ("reproduced", "sign right", "not reproduced", "left out")


@dataclass(frozen=True, kw_only=True)
class ExperimentResult:
    """An experiment with what it gave."""

    name: str
    where: str
    assumed: list[str]
    claims: list[CheckedClaim]
    rows: list[Row]
    content: ExperimentFile = field(metadata=UNWRITTEN)


@dataclass(frozen=True, kw_only=True)
class PaperOutcome:
    """A paper with what came out."""

    paper: str
    """Its name."""
    title: str
    quick: bool
    missing: list[str]
    """Experiments that Ctrl-C left."""
    experiments: list[ExperimentResult]
    content: PaperFile = field(metadata=UNWRITTEN)

    @property
    def checked(self) -> list[CheckedClaim]:
        """All claims."""
        return [claim for ran in self.experiments for claim in ran.claims]

    @property
    @published
    def verdicts(self) -> dict[Verdict, int]:
        """How many claims have each verdict."""
        return {verdict: sum(claim.verdict == verdict for claim in self.checked) for verdict in VERDICTS}


def run(
    paper: Paper,
    experiments: Sequence[PaperExperiment],
    *,
    quick: bool,
    folder: Path | None,
    advanced: Callable[[int, int], object],
) -> PaperOutcome:
    """Run experiments of a paper. Ctrl-C ends it, with what is done by then.

    Args:
        paper: the paper.
        experiments: those to run.
        quick: in their quick form.
        folder: where results are kept; what is there already, of the same files and platforms, is not run again. None: nowhere.
        advanced: is told how many simulations of an experiment are done, and of how many.
    Raises:
        InputError: an experiment cannot be run.
    """
    ran: list[ExperimentResult] = []
    try:
        for experiment in experiments:
            rows = _kept(experiment, folder, quick=quick)
            if rows is None:
                rows = experiment.rows(advanced, quick=quick)
                _keep(experiment, rows, folder, quick=quick)
            ran.append(
                ExperimentResult(
                    name=experiment.name,
                    where=experiment.content.where,
                    assumed=experiment.content.assumed,
                    claims=experiment.check(rows),
                    rows=rows,
                    content=experiment.content,
                )
            )
    except KeyboardInterrupt:
        pass
    return PaperOutcome(
        paper=paper.name,
        title=paper.content.title,
        quick=quick,
        missing=[experiment.name for experiment in experiments[len(ran) :]],
        experiments=ran,
        content=paper.content,
    )


def _file(experiment: PaperExperiment, folder: Path) -> Path:
    return folder / f"{experiment.name}.json"


def _kept(experiment: PaperExperiment, folder: Path | None, *, quick: bool) -> list[Row] | None:
    if folder is None:
        return None
    try:
        found = json.loads(_file(experiment, folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = isinstance(found, dict) and found.get("digest") == experiment.digest(quick=quick)
    return list(found["rows"]) if same else None


def _keep(experiment: PaperExperiment, rows: list[Row], folder: Path | None, *, quick: bool) -> None:
    if folder is not None:
        content = {"experiment": experiment.name, "digest": experiment.digest(quick=quick), "rows": rows}
        write_at_once(_file(experiment, folder), f"{json_of(content)}\n")
