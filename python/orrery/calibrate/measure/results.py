# SPDX-License-Identifier: BSD-3-Clause
"""Raw samples of `orrery_bench`, by experiment."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from orrery.errors import InputError

Floats = NDArray[np.float64]
UNDISTURBED = 0.25
"""Quantile of the times of one size that counts as the undisturbed time."""
DISTURBANCE = (0.05, 0.45)
"""Range from which the bootstrap draws that quantile, so that intervals include the effect of disturbances: the right quantile
is not known and depends on the load of the nodes."""
_FIELDS = 7


def quantile(values: Floats, share: float) -> float:
    """`np.quantile`, to the last bit, of values of shape (n,), n > 0, none of them NaN.

    Draws ask for tens of thousands, each of a few values, for which numpy takes 0.1 ms.
    """
    place = (len(values) - 1) * share
    lower = math.floor(place)
    upper = min(lower + 1, len(values) - 1)
    ordered = np.sort(values)
    low, high, part = float(ordered[lower]), float(ordered[upper]), place - lower
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


class CalibrationSample(NamedTuple):
    """One measured number; see src/measure/bench for `what` and its unit."""

    what: str
    source: int
    target: int
    bytes: int
    repetition: int
    value: float


@dataclass
class CalibrationExperiment:
    """A line of the plan with its samples."""

    id: str
    kind: str
    keys: dict[str, str]
    samples: list[CalibrationSample] = field(default_factory=list)
    done: bool = False
    """Whether it was measured completely."""

    def values(self, what: str) -> Floats:
        """All values of one kind in the order of measurement, shape (samples,)."""
        return np.array([sample.value for sample in self.samples if sample.what == what])


@dataclass
class Curve:
    """Times over sizes: `sizes` in bytes and `times` in seconds, both of shape (samples,), by increasing size."""

    sizes: Floats
    times: Floats

    def groups(self) -> Iterator[tuple[float, Floats]]:
        """Each distinct size with all its times."""
        if len(self) == 0:
            return
        starts = np.flatnonzero(np.diff(self.sizes, prepend=-1.0))
        for start, end in zip(starts, [*starts[1:], len(self.sizes)], strict=True):
            yield float(self.sizes[start]), self.times[start:end]

    def typical(self, share: float = UNDISTURBED) -> tuple[Floats, Floats]:
        """Distinct sizes and the quantile `share` of the times of each; both of shape (sizes,).

        Disturbances only make messages slower, so the lower quartile describes the network better than the median. The
        distribution around it is kept as noise.
        """
        pairs = [(size, quantile(times, share)) for size, times in self.groups()]
        return np.array([size for size, _ in pairs]), np.array([time for _, time in pairs])

    def within(self, low: float, high: float) -> Curve:
        """The samples with sizes in [low, high)."""
        return self.at((self.sizes >= low) & (self.sizes < high))

    def at(self, index: NDArray[np.bool_] | NDArray[np.intp]) -> Curve:
        """The samples that `index` selects, in its order."""
        return Curve(self.sizes[index], self.times[index])

    def __len__(self) -> int:
        return len(self.sizes)


class CalibrationResults:
    """All experiments of a calibration, which are complete when they are first asked for."""

    def __init__(self, experiments: Iterable[CalibrationExperiment]) -> None:
        self.experiments = {experiment.id: experiment for experiment in experiments}
        self._curves: dict[tuple[str, str], Curve] = {}

    @cached_property
    def _of_kind(self) -> dict[str, list[CalibrationExperiment]]:
        """Complete experiments by their kind."""
        found: defaultdict[str, list[CalibrationExperiment]] = defaultdict(list)
        for experiment in self.experiments.values():
            if experiment.done:
                found[experiment.kind].append(experiment)
        return found

    @cached_property
    def _of_group(self) -> dict[tuple[str, str], list[CalibrationSample]]:
        """Samples of complete experiments by their kind and the group of the experiment."""
        found: defaultdict[tuple[str, str], list[CalibrationSample]] = defaultdict(list)
        for experiment in self.experiments.values():
            if experiment.done and (group := experiment.keys.get("group")) is not None:
                for sample in experiment.samples:
                    found[sample.what, group].append(sample)
        return found

    def of(self, kind: str, **keys: str) -> list[CalibrationExperiment]:
        """Complete experiments of a kind whose lines in the plan have these keys."""
        return [
            experiment
            for experiment in self._of_kind.get(kind, ())
            if all(experiment.keys.get(key) == value for key, value in keys.items())
        ]

    def samples(self, what: str, group: str) -> list[CalibrationSample]:
        """Samples of one kind from all complete experiments of a group (`net`, `memory`, ...)."""
        return self._of_group.get((what, group), [])

    def curve(self, what: str, group: str) -> Curve:
        """Samples of one kind from all complete experiments of a group, as times over sizes."""
        if (what, group) not in self._curves:
            samples = self.samples(what, group)
            sizes = np.array([sample.bytes for sample in samples], dtype=np.float64)
            times = np.array([sample.value for sample in samples], dtype=np.float64)
            order = np.lexsort((times, sizes))
            self._curves[what, group] = Curve(sizes[order], times[order])
        return self._curves[what, group]


def read(plan: Path, results: Path) -> CalibrationResults:
    """Read plan and results. Raises InputError if the files do not have the format of orrery_bench.

    Samples of interrupted experiments are ignored: those before the comment that orrery_bench writes when it resumes, and
    those at the end of the file.
    """
    experiments = _read_plan(plan)
    block: list[CalibrationSample] = []
    try:
        lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    except OSError as error:
        raise InputError(f"{results}: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if not line or line.startswith("#"):
            block = []
            continue
        if line.count(",") != _FIELDS - 1:
            if _is_cut(lines, number):
                continue
            raise InputError(f"{results}:{number}: expected {_FIELDS} fields; is this a file of raw samples?")
        row = line.split(",")
        experiment = experiments.get(row[0])
        if experiment is None:
            raise InputError(
                f"{results}:{number}: no experiment {row[0]} in {plan}; results and plan do not belong together"
            )
        if row[1] == "done":
            experiment.samples, experiment.done, block = block, True, []
        else:
            block.append(_sample(row, results, number))
    return CalibrationResults(experiments.values())


def _is_cut(lines: list[str], number: int) -> bool:
    """Whether a broken line is the last one or is followed by the comment that orrery_bench writes when it resumes."""
    return number > 1 and (number == len(lines) or lines[number].startswith("#"))


def _sample(row: list[str], results: Path, number: int) -> CalibrationSample:
    try:
        return CalibrationSample(row[1], int(row[2]), int(row[3]), int(row[4]), int(row[5]), float(row[6]))
    except ValueError as error:
        raise InputError(f"{results}:{number}: {error}") from None


def _read_plan(plan: Path) -> dict[str, CalibrationExperiment]:
    try:
        lines = plan.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{plan}: {error.strerror}; expected the plan of a calibration there") from None
    experiments = {}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2 or any("=" not in word for word in words[2:]):
            raise InputError(f"{plan}:{number}: not a line `ID KIND key=value ...`")
        keys = dict(word.split("=", 1) for word in words[2:])
        experiments[words[0]] = CalibrationExperiment(words[0], words[1], keys)
    return experiments
