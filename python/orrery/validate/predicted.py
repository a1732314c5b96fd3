# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of measured cases: the same number of the same calls is simulated, with the same barriers between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median

from orrery import _core
from orrery.collective.call import REDUCTIONS, Call
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, check_mapping, place
from orrery.experiment.room import check_room
from orrery.experiment.settings import Vary
from orrery.experiment.variants import Variants
from orrery.noise.intervals import Interval
from orrery.platform import core
from orrery.platform.model import TABLES, Model
from orrery.platform.trusted import trusted
from orrery.validate.measured import Measurement


@dataclass(frozen=True)
class CasePrediction:
    """The prediction of one case, in seconds. A replica simulates one run of the timing program: the median of its calls."""

    median_s: float
    """Median of the medians of all replicas."""
    low_s: float
    """5th percentile of the medians; for a single replica its median."""
    high_s: float
    """95th percentile of the medians; for a single replica its median."""
    replicas: int = 1
    """Number of replicas; 1 if all replicas would be equal, so that there is no interval."""

    @classmethod
    def of(cls, runs: Sequence[Sequence[float]], *, mean: bool = False) -> CasePrediction:
        """The prediction from the times of the calls in each replica, in seconds. `mean`: of a run, instead of its median."""
        medians = [fmean(run) if mean else median(run) for run in runs]
        if len(medians) == 1:
            return cls(medians[0], medians[0], medians[0])
        interval = Interval.of(medians)
        return cls(interval.median_s, interval.low_s, interval.high_s, len(medians))


class Predictor:
    """Predictions on one platform with one selector. Raises InputError for models, mappings and ranks that it cannot have."""

    def __init__(
        self,
        platform: str,
        selector: _core.Selector,
        mapping: str,
        *,
        models: Sequence[Model],
        replicas: int,
        seed: int = 0,
        vary: Vary = "noise",
        force: bool = False,
    ) -> None:
        self.platform = trusted(platform, force=force)
        self._force = force
        self.selector = selector
        self.models = [model for model in models if model == "fluid" or self.platform[TABLES[model]] is not None]
        if not self.models:
            raise InputError(f"platform {self.platform['name']} has parameters of none of {', '.join(models)}")
        self._mapping = check_mapping(mapping)
        self._hardware = core.build(self.platform)
        variants = {
            model: Variants(self.platform, self._hardware, model, replicas, seed, vary) for model in self.models
        }
        self._variants = {model: [drawn.of(seed) for seed in drawn.seeds] for model, drawn in variants.items()}
        self.cautions = variants[self.models[0]].cautions()
        """Warnings about the intervals of the first model."""
        self._hosts = Hosts.of(self._hardware, mapping)

    def hosts_of(self, ranks: int, mapping: str) -> list[int]:
        """The host of each rank by a mapping, shape (ranks,)."""
        return place(ranks, Hosts.of(self._hardware, mapping), mapping).host_of_rank

    def predict(
        self, measured: Sequence[Measurement], advanced: Callable[[int, int], object] = lambda _done, _all: None
    ) -> list[dict[Model, CasePrediction]]:
        """Predictions by each model, one dictionary for each measurement; after Ctrl-C, only for the first ones.

        `advanced(done, all)` is called after each simulation.
        """
        jobs = list(product(measured, self.models))
        stop = _core.Stop()
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as workers:
            futures = [workers.submit(self._simulate, measurement, model, stop) for measurement, model in jobs]
            found: Iterator[CasePrediction] = iter(_results(futures, stop, advanced))
        predictions = list(found)
        many = len(self.models)
        return [
            dict(zip(self.models, predictions[first : first + many], strict=True))
            for first in range(0, len(predictions) - many + 1, many)
        ]

    def chosen(self, measured: Iterable[Measurement]) -> list[tuple[Call, _core.Choice]]:
        """What the selector chooses for each case. Raises InputError for ranks that there is no room for."""
        return [(measurement.call, self.selector.choose(self._call(measurement)[0])) for measurement in measured]

    def _call(self, measurement: Measurement) -> tuple[_core.CollectiveCall, list[int]]:
        """A case as the core takes it, and where its ranks are."""
        mapping = measurement.mapping or self._mapping
        hosts = self._hosts if mapping == self._mapping else Hosts.of(self._hardware, mapping)
        placement = place(measurement.call.ranks, hosts, mapping)
        check_room(self.platform, self._hardware, placement, force=self._force)
        return _core_call(measurement.call, _core.Places(self._hardware, placement.where)), placement.where

    def _simulate(self, measurement: Measurement, model: Model, stop: _core.Stop) -> CasePrediction:
        call, hosts = self._call(measurement)
        runs = [
            _core.simulate_timed_calls(
                variant.hardware,
                variant.parameters,
                call,
                self.selector,
                measurement.calls,
                host_of_rank=hosts,
                reduce_s_per_byte=variant.platform["compute"]["reduce_s_per_byte"],
                copy_s_per_byte=variant.platform["compute"]["copy_s_per_byte"],
                nonblocking_collective_s=variant.platform["compute"]["nonblocking_collective_s"],
                mean=measurement.mean,
                stop=stop,
            )
            for variant in self._variants[model]
        ]
        return CasePrediction.of(runs, mean=measurement.mean)


def _results(
    futures: Sequence[object], stop: _core.Stop, advanced: Callable[[int, int], object]
) -> list[CasePrediction]:
    """Results of all simulations; after Ctrl-C, those before the first unfinished one. An error ends all simulations."""
    found = []
    try:
        for done, future in enumerate(futures, start=1):
            found.append(future.result())  # type: ignore[attr-defined]
            advanced(done, len(futures))
    except BaseException as error:
        stop.set()
        for future in futures:
            future.cancel()  # type: ignore[attr-defined]
        if not isinstance(error, KeyboardInterrupt):
            raise
    return found


def _core_call(call: Call, places: _core.Places) -> _core.CollectiveCall:
    """The call to simulate. As measured, reductions use the largest element of 8, 4 or 1 bytes that divides the size."""
    number = next(width for width in (8, 4, 1) if call.size % width == 0)
    return _core.CollectiveCall(
        call.kind,
        size=call.ranks,
        bytes=call.size,
        root=0,
        element=number if call.kind in REDUCTIONS else 1,
        places=places,
    )
