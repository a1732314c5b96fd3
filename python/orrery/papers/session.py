# SPDX-License-Identifier: BSD-3-Clause
"""A paper run: its experiments one after the other, each kept as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from orrery.marks import mark_json
from orrery.output import write_at_once
from orrery.papers.claims import CheckedClaim, Verdict
from orrery.papers.experiment import PaperExperiment
from orrery.papers.library import Paper
from orrery.papers.rows import Row

VERDICTS: tuple[Verdict, ...] = ("reproduced", "sign right", "not reproduced", "left out")


@dataclass(frozen=True, kw_only=True)
class ExperimentResult:
    """An experiment with what it gave."""

    experiment: PaperExperiment
    rows: list[Row]
    checked: list[CheckedClaim]


@dataclass(frozen=True, kw_only=True)
class PaperOutcome:
    """A paper with what came out."""

    paper: Paper
    quick: bool
    ran: list[ExperimentResult]
    missing: list[str] = field(default_factory=list)
    """Experiments that Ctrl-C left."""

    @property
    def checked(self) -> list[CheckedClaim]:
        """All claims."""
        return [claim for ran in self.ran for claim in ran.checked]

    def count(self, verdict: Verdict) -> int:
        """How many claims have this verdict."""
        return sum(claim.verdict == verdict for claim in self.checked)

    def as_json(self) -> dict[str, Any]:
        """All of it; times in seconds."""
        return {
            "paper": self.paper.name,
            "title": self.paper.content.title,
            "quick": self.quick,
            "verdicts": {verdict: self.count(verdict) for verdict in VERDICTS},
            "missing": self.missing,
            "experiments": [
                {
                    "name": ran.experiment.name,
                    "where": ran.experiment.content.where,
                    "assumed": ran.experiment.content.assumed,
                    "claims": [asdict(claim) for claim in ran.checked],
                    "rows": ran.rows,
                }
                for ran in self.ran
            ],
        }


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
            ran.append(ExperimentResult(experiment=experiment, rows=rows, checked=experiment.check(rows)))
    except KeyboardInterrupt:
        pass
    return PaperOutcome(
        paper=paper, quick=quick, ran=ran, missing=[experiment.name for experiment in experiments[len(ran) :]]
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
        content: dict[str, object] = {
            "experiment": experiment.name,
            "digest": experiment.digest(quick=quick),
            "rows": rows,
        }
        write_at_once(_file(experiment, folder), json.dumps(mark_json(content), indent=1) + "\n")
