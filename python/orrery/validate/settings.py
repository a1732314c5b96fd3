# SPDX-License-Identifier: BSD-3-Clause
"""Settings of one validation of collectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from orrery.collective.asked import cautions_of_choices
from orrery.collective.selector import selector_named
from orrery.errors import Interrupt
from orrery.evidence.statement import statement_of
from orrery.experiment.settings import DEFAULT_MAPPING, Vary, check_vary
from orrery.platform.model import Model
from orrery.platform.trusted import cautions_of, verdict_of
from orrery.validate.comparison import ValidationCase, ValidationComparison, exceeded
from orrery.validate.measured import read
from orrery.validate.measured_logs import UserLayout
from orrery.validate.predicted import Predictor


@dataclass(frozen=True, kw_only=True)
class CollectiveValidation:
    """Settings of the comparison of measured collectives with predictions. Raises InputError for what would be ignored."""

    platform: str
    selector: str = "default"
    coll: str = ""
    """Algorithms that the user fixes."""
    rules: Path | None = None
    """Rules file that overrules the selector."""
    mapping: str = DEFAULT_MAPPING
    models: tuple[Model, ...] = ("hybrid", "loggps", "fluid")
    replicas: int = 3
    seed: int = 0
    """Seed of the first replica."""
    vary: Vary = "noise"
    """What replicas differ in."""
    force: bool = False
    """Use a platform even if its calibration is poor."""
    ingest: tuple[Path, ...]
    """Files of measured times."""
    told: UserLayout = field(default_factory=UserLayout)
    """What the user says about measured tables that do not say it themselves."""
    where: Mapping[str, str] = field(default_factory=dict)
    """Only rows whose columns have these values are compared."""
    most_median: float | None = None
    """Largest allowed median error of the first model; None: any."""
    most_p90: float | None = None
    """Largest allowed 90th percentile of its errors; None: any."""

    def __post_init__(self) -> None:
        check_vary(self.vary, self.replicas)

    @cached_property
    def predictor(self) -> Predictor:
        """Predictor with these settings. Raises InputError for platforms and selectors that cannot be used."""
        return Predictor(
            self.platform,
            selector_named(self.selector, self.coll, self.rules),
            self.mapping,
            models=self.models,
            replicas=self.replicas,
            seed=self.seed,
            vary=self.vary,
            force=self.force,
        )

    def compare(self, advanced: Callable[[int, int], object] = lambda _done, _all: None) -> ValidationComparison:
        """Simulate all measured cases. Raises InputError for files, platforms and selectors that cannot be used.

        After Ctrl-C, the cases that were simulated are compared; without any, Interrupt is raised.
        """
        found = read(self.ingest, self.where, self.told)
        measured, predictor = found.cases, self.predictor
        asked = cautions_of_choices(predictor.chosen(measured), predictor.selector, self.rules)
        predicted = predictor.predict(measured, advanced)
        if measured and not predicted:
            raise Interrupt("no case was simulated yet; the same command simulates all of them")
        statement = statement_of(predictor.platform)
        return ValidationComparison(
            platform=predictor.platform["name"],
            source=predictor.platform["source"],
            calibration=verdict_of(predictor.platform),
            selector=predictor.selector.name,
            models=predictor.models,
            cases=[
                ValidationCase(measurement, models, statement)
                for measurement, models in zip(measured, predicted, strict=False)
            ],
            missing=len(measured) - len(predicted),
            cautions=[*asked, *cautions_of(predictor.platform), *predictor.cautions, *found.cautions],
        )

    @property
    def bounded(self) -> bool:
        """Whether an error has a bound."""
        return self.most_median is not None or self.most_p90 is not None

    def exceeded(self, found: ValidationComparison) -> list[str]:
        """A sentence for each bound that the first model exceeds."""
        summary = found.summary(found.models[0])
        return exceeded(summary, [("median", self.most_median), ("p90", self.most_p90)])
