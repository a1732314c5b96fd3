# SPDX-License-Identifier: BSD-3-Clause
"""Cost of calls, speed of computation, overlap of transfers with computation, and drift of clocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from orrery.calibrate.measure import UNDISTURBED, CalibrationResults, quantile


@dataclass(frozen=True)
class CallCosts:
    """Times of calls of MPI and of computation, in seconds."""

    wtime_s: float
    test_s: float
    iprobe_s: float
    copy_s_per_byte: float
    reduce_s_per_byte: float
    nonblocking_s: float
    """Extra time of a non-blocking collective over the blocking one."""
    kernel_s: float
    """Time of a fixed piece of arithmetic; see src/measure/bench/compute.c."""


@dataclass(frozen=True)
class Overlap:
    """Part of a transfer that makes progress while the rank computes, in [0, 1], for one message size."""

    bytes: int
    sender: float
    receiver: float


def calls_of(results: CalibrationResults) -> CallCosts:
    """Fit the times of calls: undisturbed samples; 0 for what was not measured."""

    def typical(kind: str, what: str) -> float:
        values = [experiment.values(what) for experiment in results.of(kind)]
        return quantile(np.concatenate(values), UNDISTURBED) if values else 0.0

    return CallCosts(
        wtime_s=typical("calls", "wtime"),
        test_s=typical("calls", "test"),
        iprobe_s=typical("calls", "iprobe"),
        copy_s_per_byte=typical("compute", "copy"),
        reduce_s_per_byte=typical("compute", "reduce"),
        nonblocking_s=_nonblocking(results),
        kernel_s=typical("compute", "kernel"),
    )


def _nonblocking(results: CalibrationResults) -> float:
    """Difference of the medians of both, at least 0. A single disturbed call does not change a median."""
    blocking, immediate = (
        [value for experiment in results.of("nonblocking") for value in experiment.values(what)]
        for what in ("blocking", "immediate")
    )
    return max(0.0, float(np.median(immediate) - np.median(blocking))) if blocking and immediate else 0.0


def overlaps_of(results: CalibrationResults) -> list[Overlap]:
    """Overlap of each message size that was measured."""
    out = []
    for experiment in results.of("overlap"):
        sides = []
        for rank in (int(experiment.keys["a"]), int(experiment.keys["b"])):
            alone, computing = (
                np.median(
                    [sample.value for sample in experiment.samples if sample.what == what and sample.source == rank]
                )
                for what in ("alone", "computing")
            )
            sides.append(float(np.clip(2.0 - computing / alone, 0.0, 1.0)))
        out.append(Overlap(int(experiment.keys["bytes"]), *sides))
    return out


def drift_of(results: CalibrationResults) -> float:
    """Largest drift of a clock between the first and the last comparison of all clocks, in seconds per second."""
    runs = results.of("clocks")
    if len(runs) < 2:
        return 0.0
    first, last = runs[0], runs[-1]
    passed = last.values("clock").max() - first.values("clock").max()
    moved = np.abs(last.values("offset") - first.values("offset")).max()
    return float(moved / passed) if passed > 0 else 0.0
