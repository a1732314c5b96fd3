# SPDX-License-Identifier: BSD-3-Clause
"""Predicted against measured collectives."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from orrery.api import html
from orrery.api.checks import PathLike, check_choice, path_of
from orrery.api.ending import InterruptedCall
from orrery.api.frames import Table, Tabular
from orrery.api.verbs import function_of
from orrery.api.watching import Watching, watched
from orrery.errors import InputError
from orrery.platform.model import Model
from orrery.progress import progress as _progress
from orrery.published import as_json
from orrery.validate.settings import CollectiveValidation

if TYPE_CHECKING:
    from orrery.validate.comparison import ValidationComparison


class Validation(Tabular):
    """How far predictions are from measured collectives: what `orrery validate collectives` finds.

    Example:
        >>> found = o.validate("times.csv", platform="cluster.toml", selector="openmpi-4.1")
        >>> found.summary.frame()
    """

    def __init__(self, found: ValidationComparison) -> None:
        self._found = found

    @property
    def table(self) -> Table:
        """A row for each case and model: collective, ranks, bytes, model, measured_s and predicted_s (medians, seconds), error
        (predicted over measured, minus 1), low_s and high_s (of replicas), covered (whether these hold the measured median).
        """
        return Table(self._cases())

    @property
    def summary(self) -> Table:
        """A row for each model, and for each of its collectives: cases, and the median, p90 and worst of absolute relative errors."""
        return Table(
            {"model": model, "collective": kind, **vars(summary)}
            for model, by_kind in self._found.summary.items()
            for kind, summary in by_kind.items()
        )

    @property
    def cautions(self) -> list[str]:
        """Limits of the predictions, a sentence each."""
        return list(self._found.cautions)

    @property
    def record(self) -> dict[str, Any]:
        """All of it, as JSON has it (`orrery validate collectives --json`)."""
        return dict(as_json(self._found))

    def __str__(self) -> str:
        from orrery.report.validation import write_tables

        text = io.StringIO()
        write_tables(self._found, text, every_case=True)
        return text.getvalue()

    def __repr__(self) -> str:
        return f"<Validation: {self._verdict()}>"

    def _repr_html_(self) -> str:
        names = ("model", "collective", "cases", "median", "p90", "worst")
        rows = [{name: row[name] for name in names} for row in self.summary]
        rests = {"parameters": self._found.source, "selector": self._found.selector, "caution": self.cautions}
        return html.piece(self._verdict(), html.cells(rows), html.facts(rests))

    def _verdict(self) -> str:
        found = self._found
        model = found.models[0]
        summary = found.summary[model]["all"]
        return (
            f"{found.platform}: in {summary.cases:,} cases model {model} is off by {summary.median:.1%} in the median, "
            f"{summary.p90:.1%} at the 90th percentile."
        )

    def _cases(self) -> Iterator[dict[str, Any]]:
        for case in self._found.cases:
            for model, judged in case.predicted.items():
                yield {"collective": case.collective, "ranks": case.ranks, "bytes": case.bytes, "model": model,
                       "measured_s": case.measured_median_s, "predicted_s": judged.median_s, "error": judged.error,
                       "low_s": judged.low_s, "high_s": judged.high_s, "covered": judged.covered}  # fmt: skip


@function_of(CollectiveValidation)
def validate(
    settings: dict[str, Any],
    times: PathLike | Sequence[PathLike],
    *,
    models: Model | Sequence[Model] = CollectiveValidation.models,
    where: Mapping[str, str] | None = None,
    ranks: int | None = None,
    progress: Watching = True,
) -> Validation:
    """Compare measured collectives with predictions, as `orrery validate collectives --ingest` does.

    Args:
        times: files of measured times: CSV, as `orrery validate collectives --keep` writes them, or what the OSU micro-benchmarks,
            IMB-MPI1, nccl-tests or rccl-tests print.
        models: network models; the first one that the platform has parameters for makes the verdict.
        where: only rows whose columns have these values.
        ranks: how many ranks measured tables are of that do not say it.
    Raises:
        InputError: a file, the platform or the selector cannot be used.
        InterruptedCall: Ctrl-C; its `result` has the cases that were simulated.

    Example:
        >>> o.validate("times.csv", platform="cluster.toml", where={"impl": "openmpi"}).frame()
    """
    several = (models,) if isinstance(models, str) else tuple(models)
    for model in several:
        check_choice("models", model, get_args(Model))
    validation = CollectiveValidation(
        ingest=tuple(path_of(path) for path in ([times] if isinstance(times, str | os.PathLike) else times)),
        models=several,
        where=dict(where or {}),
        ranks=ranks,
        **settings,
    )
    with watched(progress), _progress() as advanced:
        found = validation.compare(advanced)
    if not found.cases:
        raise InputError("times: no measured case is left to compare")
    if found.missing:
        there = len(found.cases)
        raise InterruptedCall(f"interrupted: {there} of {there + found.missing} cases are there", Validation(found))
    return Validation(found)
