# SPDX-License-Identifier: BSD-3-Clause
"""Bootstrap: other samples that the same calibration could have given, by draws of its independent parts.

Samples of one pair of nodes share its connection and its part of the session, those of one size its moment, those of one
repetition the instant. So what is drawn, with replacement, is

- of sizes over which times are taken: pairs, and of each its sizes, with all that was measured of them;
- of experiments that are made in several places or at several times (first messages, calls, arithmetic, queues, shares, the work
  of messages): experiments;
- of all others: stretches of consecutive repetitions.

A calibration of a few minutes has three pairs. As many draws from three vary too little, by a factor of 2/3 in variance: of n
there are n - 1 draws, with which it is right.

Source: Rao, Wu 1988, doi:10.1080/01621459.1988.10478591 (n - 1 draws); Künsch 1989, doi:10.1214/aos/1176347265
(stretches, of about the third root of their number).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from orrery.calibrate.measure import Experiment, Results, Sample

_OVER_SIZES = ("net", "memory")
"""Groups of experiments."""
_ALIKE = ("calls", "nonblocking", "compute", "queue", "first", "work", "small_ring", "held", "fan")
"""Kinds, groups and names of experiments that are made again and again."""

_Item = TypeVar("_Item")


def resampled(results: Results, generator: np.random.Generator) -> Results:
    """One draw."""
    done = [one for one in results.experiments.values() if one.done]
    out = [_sizes(group, done, generator) for group in _OVER_SIZES]
    alike: defaultdict[str, list[Experiment]] = defaultdict(list)
    for one in done:
        if one.keys.get("group") in _OVER_SIZES:
            continue
        names = (one.kind, one.keys.get("group"), one.keys.get("name"))
        if what := [name for name in _ALIKE if name in names]:
            alike[what[0]].append(one)
        else:
            out.append(replace(one, samples=_stretches(one.samples, generator)))
    for experiments in alike.values():
        out += _drawn(experiments, generator)
    return Results(replace(one, id=str(number)) for number, one in enumerate(out))


def _drawn(items: Sequence[_Item], generator: np.random.Generator) -> list[_Item]:
    """One less than there are, at least one if there is any."""
    return [items[int(one)] for one in generator.integers(0, len(items), max(1, len(items) - 1))] if items else []


def _sizes(group: str, experiments: Sequence[Experiment], generator: np.random.Generator) -> Experiment:
    """All curves of a group, as if one experiment had given them."""
    pairs: defaultdict[frozenset[int], defaultdict[int, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for one in experiments:
        if one.keys.get("group") == group:
            for sample in one.samples:
                pairs[frozenset((sample.source, sample.target))][sample.bytes].append(sample)
    samples = [
        sample
        for sizes in _drawn(list(pairs.values()), generator)
        for moment in _drawn(list(sizes.values()), generator)
        for sample in moment
    ]
    return Experiment(group, "drawn", {"group": group}, samples, done=True)


def _stretches(samples: Sequence[Sample], generator: np.random.Generator) -> list[Sample]:
    """Repetitions, numbered anew."""
    repetitions: defaultdict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        repetitions[sample.repetition].append(sample)
    order = [repetitions[number] for number in sorted(repetitions)]
    return [
        replace(sample, repetition=number)
        for number, place in enumerate(_places(len(order), generator))
        for sample in order[place]
    ]


def _places(count: int, generator: np.random.Generator) -> Iterator[int]:
    """`count` positions below `count`: runs of neighbours from anywhere, round the end."""
    length = max(1, round(count ** (1 / 3)))
    starts = generator.integers(0, max(count, 1), -(-count // length))
    places = [(int(start) + step) % count for start in starts for step in range(length)]
    return iter(places[:count])
