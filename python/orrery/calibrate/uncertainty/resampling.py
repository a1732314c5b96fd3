# SPDX-License-Identifier: BSD-3-Clause
"""Bootstrap samples of a calibration, drawn with replacement from its independent parts.

Raw samples are not independent: those of one pair of nodes share a connection and a part of the session, those of one size
were measured at about the same time, and those of one repetition at the same time. So the units that are drawn are

- for curves over size: pairs, and for each drawn pair its sizes, with all samples of a drawn size;
- for experiments that are repeated at several places or times (first messages, calls, arithmetic, queues, shares, the work of
  messages): whole experiments;
- for all other experiments: blocks of consecutive repetitions.

A calibration of a few minutes has only three pairs. n draws from n units give a variance that is too small by the factor
(n - 1) / n, which is 2/3 for n = 3. So n - 1 units are drawn, which gives the right variance.

Source: Rao, Wu 1988, doi:10.1080/01621459.1988.10478591 (n - 1 draws); Künsch 1989, doi:10.1214/aos/1176347265
(blocks; their length is the cube root of the number of repetitions).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from orrery.calibrate.measure import CalibrationExperiment, CalibrationResults, CalibrationSample

_OVER_SIZES = ("net", "memory")
"""Groups of experiments that give curves over size."""
_REPEATED = ("calls", "nonblocking", "compute", "queue", "first", "work", "small_ring", "held", "fan")
"""Kinds, groups or names of experiments that are repeated at several places or times."""

_Item = TypeVar("_Item")


class Bootstrap:
    """The independent parts of all complete experiments, of which samples are drawn."""

    def __init__(self, results: CalibrationResults) -> None:
        self.results = results
        self._curves: dict[str, list[list[list[CalibrationSample]]]] = {}
        """Samples of each pair and size, for each group that gives curves over size."""
        self._repeated: defaultdict[str, list[CalibrationExperiment]] = defaultdict(list)
        self._others: list[tuple[CalibrationExperiment, list[list[CalibrationSample]]]] = []
        """With the samples of each repetition."""
        done = [experiment for experiment in results.experiments.values() if experiment.done]
        for group in _OVER_SIZES:
            self._curves[group] = _by_pair_and_size(
                sample for experiment in done if experiment.keys.get("group") == group for sample in experiment.samples
            )
        for experiment in done:
            if experiment.keys.get("group") in _OVER_SIZES:
                continue
            names = (experiment.kind, experiment.keys.get("group"), experiment.keys.get("name"))
            if what := [name for name in _REPEATED if name in names]:
                self._repeated[what[0]].append(experiment)
            else:
                self._others.append((experiment, _by_repetition(experiment.samples)))

    def draw(self, generator: np.random.Generator) -> CalibrationResults:
        """One bootstrap sample."""
        out = [_sizes(group, pairs, generator) for group, pairs in self._curves.items()]
        out += [replace(each, samples=_blocks(repetitions, generator)) for each, repetitions in self._others]
        for experiments in self._repeated.values():
            out += _drawn(experiments, generator)
        return CalibrationResults(replace(experiment, id=str(number)) for number, experiment in enumerate(out))


def _drawn(items: Sequence[_Item], generator: np.random.Generator) -> list[_Item]:
    """Draw n - 1 of n items with replacement, but at least one; empty if there are none."""
    return [items[int(index)] for index in generator.integers(0, len(items), max(1, len(items) - 1))] if items else []


def _by_pair_and_size(samples: Iterable[CalibrationSample]) -> list[list[list[CalibrationSample]]]:
    pairs: defaultdict[frozenset[int], defaultdict[int, list[CalibrationSample]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for sample in samples:
        pairs[frozenset((sample.source, sample.target))][sample.bytes].append(sample)
    return [list(sizes.values()) for sizes in pairs.values()]


def _sizes(
    group: str, pairs: Sequence[Sequence[list[CalibrationSample]]], generator: np.random.Generator
) -> CalibrationExperiment:
    """Drawn samples of all curves of a group, as one experiment."""
    samples = [
        sample for sizes in _drawn(pairs, generator) for of_size in _drawn(sizes, generator) for sample in of_size
    ]
    return CalibrationExperiment(group, "drawn", {"group": group}, samples, done=True)


def _by_repetition(samples: Iterable[CalibrationSample]) -> list[list[CalibrationSample]]:
    repetitions: defaultdict[int, list[CalibrationSample]] = defaultdict(list)
    for sample in samples:
        repetitions[sample.repetition].append(sample)
    return [repetitions[number] for number in sorted(repetitions)]


def _blocks(repetitions: Sequence[list[CalibrationSample]], generator: np.random.Generator) -> list[CalibrationSample]:
    """Samples of drawn blocks of repetitions, which are numbered from 0 again."""
    return [
        CalibrationSample(sample.what, sample.source, sample.target, sample.bytes, number, sample.value)
        for number, place in enumerate(_places(len(repetitions), generator))
        for sample in repetitions[place]
    ]


def _places(count: int, generator: np.random.Generator) -> Iterator[int]:
    """`count` positions in [0, count): blocks of consecutive ones from random starts; after the last follows the first."""
    length = max(1, round(count ** (1 / 3)))
    starts = generator.integers(0, max(count, 1), -(-count // length))
    places = [(int(start) + step) % count for start in starts for step in range(length)]
    return iter(places[:count])
