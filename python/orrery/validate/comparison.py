# SPDX-License-Identifier: BSD-3-Clause
"""Errors of predictions, for each case and over all cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NotRequired, TypedDict

from orrery.evidence.expectation import expected_of_call
from orrery.evidence.statement import Statement
from orrery.noise.intervals import Interval
from orrery.platform.model import Model
from orrery.record.expected import Expected
from orrery.validate.measured import Measurement
from orrery.validate.predicted import CasePrediction


@dataclass(frozen=True)
class ValidationCase:
    """One measured case and the predictions of the models."""

    measured: Measurement
    predicted: dict[Model, CasePrediction]
    statement: Statement | None = None
    """What the platform's calibration says of its uncertainty; None: it was written by hand."""

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

    def expected(self, model: Model) -> Expected | None:
        """The interval in which the measured median is expected; None for models without residuals."""
        if model != "hybrid":
            return None
        call, predicted = self.measured.call, self.predicted[model]
        interval = None
        if predicted.replicas > 1:
            interval = Interval(median_s=predicted.median_s, low_s=predicted.low_s, high_s=predicted.high_s)
        return expected_of_call(
            call.kind, call.ranks, call.size, predicted.median_s, interval=interval, statement=self.statement
        )

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
    """Share of the cases whose measured spread and predicted interval overlap."""
    covered: float
    """Share of the cases whose measured median lies in the predicted interval: 0.9 if noise were the only uncertainty."""

    @staticmethod
    def of(cases: Sequence[ValidationCase], model: Model) -> Summary:
        """The summary of at least one case."""
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
class Coverage:
    """Coverage of the 90 % intervals in which real times are expected."""

    cases: int
    inside: float
    """Share of the cases whose measured median lies in its interval: 0.9 if they resemble the evidence of the intervals."""
    reach: float
    """Half of the width of an interval over the prediction, median over cases."""


class PredictedJson(TypedDict):
    """The prediction of a case by one model."""

    median_s: float
    """Median of the replicas."""
    low_s: float
    """5th percentile of the replicas; of a single one, its time."""
    high_s: float
    """95th percentile."""
    replicas: int
    """1: all would be equal, or one was asked for."""
    error: float
    """Predicted over measured, minus 1; both are medians."""
    inside: bool
    """The prediction lies inside of the measured spread."""
    overlaps: bool
    """The measured spread and the predicted interval have a time in common."""
    covered: bool
    """The measured median lies in the predicted interval."""
    expected_low_s: NotRequired[float]
    """From here on the measured median is expected in 9 of 10 cases; only of models that have residuals."""
    expected_high_s: NotRequired[float]
    """Up to here."""


class ValidationCaseJson(TypedDict):
    """A case that was measured."""

    collective: str
    ranks: int
    bytes: int
    measured_median_s: float
    measured_least_s: float
    measured_p90_s: float
    """90th percentile."""
    nodes: int | None
    """Nodes of the measurement; None: the file does not say."""
    ranks_per_node: int | None
    """Likewise."""
    mean: bool
    """Times are means over the ranks and the calls, as other benchmarks print them; otherwise the longest duration of a rank, and
    the median over the calls."""
    predicted: dict[str, PredictedJson]
    """By model."""


class ComparisonJson(TypedDict):
    """Measured collectives and their predictions."""

    platform: str
    source: str
    """Where the platform's parameters come from."""
    calibration: dict[str, Any] | None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""
    selector: str
    cautions: list[str]
    """Limits of the predictions, a sentence each."""
    summary: dict[str, dict[str, Summary]]
    """By model, and then by collective; `all` of them."""
    expected: Coverage | None
    """How the measured medians lie in the intervals in which they are expected; None: the first model has no residuals."""
    missing: int
    """Cases that were not simulated, as Ctrl-C came."""
    cases: list[ValidationCaseJson]


@dataclass(frozen=True)
class ValidationComparison:
    """All cases of one platform and selector."""

    platform: str
    source: str
    selector: str
    models: list[Model]
    cases: list[ValidationCase]
    cautions: list[str] = field(default_factory=list)
    """Warnings about the predictions."""
    missing: int = 0
    """Number of cases that were not simulated because of Ctrl-C."""
    calibration: dict[str, Any] | None = None
    """Verdict on the calibration of the platform; None if it has none."""

    def summary(self, model: Model, kind: str | None = None) -> Summary:
        """The summary of all collectives, or of one `kind`."""
        return Summary.of([case for case in self.cases if kind in {None, case.measured.call.kind}], model)

    @property
    def coverage(self) -> Coverage | None:
        """The coverage of the first model's intervals; None if the model has no residuals."""
        model = self.models[0]
        pairs = [(case, expected) for case in self.cases if (expected := case.expected(model)) is not None]
        if not pairs:
            return None
        inside = [interval.low_s <= case.measured.median_s <= interval.high_s for case, interval in pairs]
        reach = [
            (interval.high_s - interval.low_s) / (2 * case.predicted[model].median_s)
            for case, interval in pairs
            if case.predicted[model].median_s > 0  # calls without bytes may take no time
        ]
        return Coverage(len(pairs), sum(inside) / len(inside), median(reach) if reach else 0.0)

    @property
    def kinds(self) -> list[str]:
        """Collectives that were measured, in the order of the cases."""
        return list(dict.fromkeys(case.measured.call.kind for case in self.cases))

    def as_json(self) -> dict[str, Any]:
        """All results; times in seconds, errors as fractions."""
        found: ComparisonJson = {
            "platform": self.platform,
            "source": self.source,
            "calibration": self.calibration,
            "selector": self.selector,
            "cautions": self.cautions,
            "summary": {
                model: {"all": self.summary(model)} | {kind: self.summary(model, kind) for kind in self.kinds}
                for model in self.models
            },
            "expected": self.coverage,
            "missing": self.missing,
            "cases": [self._case(case) for case in self.cases],
        }
        summary = {
            model: {kind: vars(figures) for kind, figures in kinds.items()} for model, kinds in found["summary"].items()
        }
        expected = found["expected"]
        return dict(found) | {"summary": summary, "expected": None if expected is None else vars(expected)}

    def _case(self, case: ValidationCase) -> ValidationCaseJson:
        call = case.measured.call
        return {
            "collective": call.kind,
            "ranks": call.ranks,
            "bytes": call.size,
            "measured_median_s": case.measured.median_s,
            "measured_least_s": case.measured.least_s,
            "measured_p90_s": case.measured.p90_s,
            "nodes": case.measured.nodes,
            "ranks_per_node": case.measured.ppn,
            "mean": case.measured.mean,
            "predicted": {model: _predicted(case, model) for model in self.models},
        }


def _predicted(case: ValidationCase, model: Model) -> PredictedJson:
    prediction, expected = case.predicted[model], case.expected(model)
    found: PredictedJson = {
        "median_s": prediction.median_s,
        "low_s": prediction.low_s,
        "high_s": prediction.high_s,
        "replicas": prediction.replicas,
        "error": case.error(model),
        "inside": case.inside(model),
        "overlaps": case.overlaps(model),
        "covered": case.covered(model),
    }
    if expected is not None:
        found["expected_low_s"], found["expected_high_s"] = expected.low_s, expected.high_s
    return found


def percentile_90(ordered: Sequence[float]) -> float:
    """The 90th percentile of at least one value, in increasing order."""
    return ordered[min(len(ordered) - 1, 9 * len(ordered) // 10)]


def exceeded(summary: Summary, bounds: Iterable[tuple[str, float | None]]) -> list[str]:
    """A sentence for each exceeded bound. `bounds`: name of a field of the summary, and its largest value or None."""
    return [
        f"{name} error {getattr(summary, name):.1%} is above {bound:.1%}"
        for name, bound in bounds
        if bound is not None and getattr(summary, name) > bound
    ]
