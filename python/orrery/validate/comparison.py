# SPDX-License-Identifier: BSD-3-Clause
"""Errors of predictions, for each case and over all cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from orrery.evidence.expectation import expected_of_call
from orrery.evidence.statement import Statement
from orrery.noise.intervals import Interval
from orrery.platform.model import Model
from orrery.published import UNWRITTEN, published
from orrery.validate.measured import Measurement
from orrery.validate.predicted import CasePrediction


@dataclass(frozen=True, kw_only=True)
class JudgedPrediction(CasePrediction):
    """The prediction of a case by one model, beside what was measured."""

    error: float
    """Predicted over measured, minus 1; both are medians."""
    inside: bool
    """The prediction lies inside of the measured spread."""
    overlaps: bool
    """The measured spread and the predicted interval have a time in common."""
    covered: bool
    """The measured median lies in the predicted interval."""
    expected_low_s: float | None
    """From here on the measured median is expected in 9 of 10 cases; None: the model has no residuals."""
    expected_high_s: float | None
    """Up to here."""


@dataclass(frozen=True, kw_only=True)
class ValidationCase:
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
    predicted: dict[Model, JudgedPrediction]
    """By model."""

    @classmethod
    def of(
        cls, measured: Measurement, predicted: Mapping[Model, CasePrediction], statement: Statement | None = None
    ) -> ValidationCase:
        """A case and its predictions. `statement`: what the calibration says of its uncertainty; None: it was written by hand."""
        return cls(
            collective=measured.call.kind,
            ranks=measured.call.ranks,
            bytes=measured.call.size,
            measured_median_s=measured.median_s,
            measured_least_s=measured.least_s,
            measured_p90_s=measured.p90_s,
            nodes=measured.nodes,
            ranks_per_node=measured.ppn,
            mean=measured.mean,
            predicted={model: _judged(measured, found, model, statement) for model, found in predicted.items()},
        )


def _judged(
    measured: Measurement, predicted: CasePrediction, model: Model, statement: Statement | None
) -> JudgedPrediction:
    call, interval, expected = measured.call, None, None
    if predicted.replicas > 1:
        interval = Interval(median_s=predicted.median_s, low_s=predicted.low_s, high_s=predicted.high_s)
    if model == "hybrid":
        expected = expected_of_call(
            call.kind, call.ranks, call.size, predicted.median_s, interval=interval, statement=statement
        )
    return JudgedPrediction(
        **vars(predicted),
        error=predicted.median_s / measured.median_s - 1,
        inside=measured.covers(predicted.median_s),
        overlaps=predicted.low_s <= measured.p90_s and predicted.high_s >= measured.least_s,
        covered=predicted.low_s <= measured.median_s <= predicted.high_s,
        expected_low_s=expected.low_s if expected else None,
        expected_high_s=expected.high_s if expected else None,
    )


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
        found = [case.predicted[model] for case in cases]
        errors = sorted(abs(judged.error) for judged in found)
        return Summary(
            cases=len(errors),
            median=median(errors),
            p90=percentile_90(errors),
            worst=errors[-1],
            inside=fmean(judged.inside for judged in found),
            overlap=fmean(judged.overlaps for judged in found),
            covered=fmean(judged.covered for judged in found),
        )


@dataclass(frozen=True)
class Coverage:
    """Coverage of the 90 % intervals in which real times are expected."""

    cases: int
    inside: float
    """Share of the cases whose measured median lies in its interval: 0.9 if they resemble the evidence of the intervals."""
    reach: float
    """Half of the width of an interval over the prediction, median over cases."""


@dataclass(frozen=True)
class ValidationComparison:
    """Measured collectives and their predictions, on one platform, with one selector."""

    platform: str
    source: str
    """Where the platform's parameters come from."""
    selector: str
    models: list[Model] = field(metadata=UNWRITTEN)
    cases: list[ValidationCase]
    cautions: list[str] = field(default_factory=list)
    """Limits of the predictions, a sentence each."""
    missing: int = 0
    """Cases that were not simulated, as Ctrl-C came."""
    calibration: dict[str, Any] | None = None
    """Verdict on the platform's calibration: `grade` and `reasons`; None: there is none."""

    @property
    @published
    def summary(self) -> dict[Model, dict[str, Summary]]:
        """By model, and then by collective; `all` of them."""
        groups = {"all": self.cases} | {
            kind: [case for case in self.cases if case.collective == kind] for kind in self.kinds
        }
        return {model: {name: Summary.of(cases, model) for name, cases in groups.items()} for model in self.models}

    @property
    @published
    def expected(self) -> Coverage | None:
        """How the measured medians lie in the intervals in which they are expected; None: the first model has no residuals."""
        inside, reach = [], []
        for case in self.cases:
            judged = case.predicted[self.models[0]]
            if judged.expected_low_s is None or judged.expected_high_s is None:
                continue
            inside.append(judged.expected_low_s <= case.measured_median_s <= judged.expected_high_s)
            if judged.median_s > 0:  # calls without bytes may take no time
                reach.append((judged.expected_high_s - judged.expected_low_s) / (2 * judged.median_s))
        return Coverage(len(inside), fmean(inside), median(reach) if reach else 0.0) if inside else None

    @property
    def kinds(self) -> list[str]:
        """Collectives that were measured, in the order of the cases."""
        return list(dict.fromkeys(case.collective for case in self.cases))


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
