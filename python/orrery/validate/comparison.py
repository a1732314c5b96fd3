# SPDX-License-Identifier: BSD-3-Clause
"""Errors of predictions, for each case and over all cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from orrery.platform.model import Model
from orrery.validate.measured import Measurement
from orrery.validate.predicted import Prediction


@dataclass(frozen=True)
class Case:
    """One measured case and the predictions of the models."""

    measured: Measurement
    predicted: dict[Model, Prediction]

    def error(self, model: Model) -> float:
        """Relative error: predicted over measured, minus 1."""
        return self.predicted[model].median_s / self.measured.median_s - 1

    def inside(self, model: Model) -> bool:
        """Whether the prediction lies inside the measured spread."""
        return self.measured.covers(self.predicted[model].median_s)

    def overlaps(self, model: Model) -> bool:
        """Whether the measured spread and the predicted interval overlap."""
        predicted = self.predicted[model]
        return predicted.low_s <= self.measured.p90_s and predicted.high_s >= self.measured.least_s

    def covered(self, model: Model) -> bool:
        """Whether the predicted interval contains the measured median."""
        predicted = self.predicted[model]
        return predicted.low_s <= self.measured.median_s <= predicted.high_s


@dataclass(frozen=True)
class Summary:
    """Absolute relative errors of some cases."""

    cases: int
    median: float
    p90: float
    worst: float
    inside: float
    """Share of the cases that are predicted inside their measured spread."""
    overlap: float
    """Share of those whose measured spread and predicted interval overlap."""
    covered: float
    """Share of those whose measured median lies in the predicted interval: 0.9, if noise were all that is uncertain."""

    @staticmethod
    def of(cases: Sequence[Case], model: Model) -> Summary:
        """Of at least one case."""
        errors = sorted(abs(case.error(model)) for case in cases)
        return Summary(
            cases=len(errors),
            median=median(errors),
            p90=percentile_90(errors),
            worst=errors[-1],
            inside=sum(case.inside(model) for case in cases) / len(cases),
            overlap=sum(case.overlaps(model) for case in cases) / len(cases),
            covered=sum(case.covered(model) for case in cases) / len(cases),
        )


@dataclass(frozen=True)
class Comparison:
    """All cases of one platform and selector."""

    platform: str
    source: str
    selector: str
    models: list[Model]
    cases: list[Case]
    cautions: list[str] = field(default_factory=list)
    """What to keep in mind of the predictions."""
    missing: int = 0
    """Number of cases that were not simulated because of Ctrl-C."""
    calibration: dict[str, Any] | None = None
    """Verdict on the calibration of the platform; None if it has none."""

    def summary(self, model: Model, kind: str | None = None) -> Summary:
        """Of all collectives, or of one."""
        return Summary.of([case for case in self.cases if kind in {None, case.measured.call.kind}], model)

    @property
    def kinds(self) -> list[str]:
        """Collectives that were measured, in the order of the cases."""
        return list(dict.fromkeys(case.measured.call.kind for case in self.cases))

    def as_json(self) -> dict[str, Any]:
        """Everything; times in seconds, errors as fractions."""
        return {
            "platform": self.platform,
            "source": self.source,
            "calibration": self.calibration,
            "selector": self.selector,
            "cautions": self.cautions,
            "summary": {
                model: {"all": vars(self.summary(model))}
                | {kind: vars(self.summary(model, kind)) for kind in self.kinds}
                for model in self.models
            },
            "missing": self.missing,
            "cases": [self._case(case) for case in self.cases],
        }

    def _case(self, case: Case) -> dict[str, Any]:
        call = case.measured.call
        return {
            "collective": call.kind,
            "ranks": call.ranks,
            "bytes": call.size,
            "measured_median_s": case.measured.median_s,
            "measured_least_s": case.measured.least_s,
            "measured_p90_s": case.measured.p90_s,
            "predicted": {
                model: vars(case.predicted[model])
                | {
                    "error": case.error(model),
                    "inside": case.inside(model),
                    "overlaps": case.overlaps(model),
                    "covered": case.covered(model),
                }
                for model in self.models
            },
        }


def percentile_90(ordered: Sequence[float]) -> float:
    """The 90th percentile of at least one value, in increasing order."""
    return ordered[min(len(ordered) - 1, 9 * len(ordered) // 10)]


def exceeded(summary: Summary, bounds: Iterable[tuple[str, float | None]]) -> list[str]:
    """What is above its bound, in words; `bounds`: name of a field of the summary, and the most that it may be."""
    return [
        f"{name} error {getattr(summary, name):.1%} is above {bound:.1%}"
        for name, bound in bounds
        if bound is not None and getattr(summary, name) > bound
    ]
