# SPDX-License-Identifier: BSD-3-Clause
"""Where real times are expected, by residuals of measured clusters."""

from __future__ import annotations

import json
import random
from math import exp, log2

import pytest

from harness import Sandbox
from orrery.record.expected import (
    CallResidual,
    Difficulty,
    ProgramResidual,
    Residuals,
    evidence,
    expected_of_call,
    expected_of_program,
    quantile,
)
from orrery.record.intervals import Interval


def _calls(kind: str, size: int, residuals: list[float]) -> tuple[CallResidual, ...]:
    """Cases of one difficulty, the mean of their absolute residuals."""
    scale = sum(map(abs, residuals)) / len(residuals)
    return tuple(CallResidual(kind, 16, size, one, poor=False, score=abs(one) / scale) for one in residuals)


def test_the_quantile_is_that_of_split_conformal_prediction() -> None:
    # Rank ceil((n + 1) 0.9): of 9 residuals the 9th, of 19 the 18th, of 99 the 90th.
    assert quantile(range(1, 10)) == 9
    assert quantile(range(1, 20)) == 18
    assert quantile(range(1, 100)) == 90


def test_it_holds_for_new_cases_like_those_that_it_rests_on() -> None:
    """Whatever their distribution: here one with long tails. The probability is at least 0.9, and 0.9 + 1 / (n + 1) at most."""
    generator = random.Random(1)  # noqa: S311  no secret
    inside = 0
    for _ in range(4000):
        drawn = [generator.paretovariate(1.5) for _ in range(40)]
        inside += drawn[0] <= quantile(drawn[1:])
    assert 0.885 < inside / 4000 < 0.94  # three standard deviations are 0.014


def test_similar_cases_count_more() -> None:
    known = (*_calls("bcast", 1024, [0.01] * 30), *_calls("bcast", 8, [0.5] * 30), *_calls("reduce", 1024, [-0.2] * 30))
    difficulty = Difficulty(known)
    near = difficulty.of("bcast", 16, 1024, poor=False)
    # The others weigh 2^-7, as their size is 128 times smaller, and 0.1, as they are of another collective.
    assert near == pytest.approx((0.01 + 0.5 / 128 + 0.02) / (1 + 1 / 128 + 0.1))
    assert near < difficulty.of("bcast", 16, 64, poor=False) < difficulty.of("bcast", 16, 8, poor=False) < 0.5
    assert difficulty.of("reduce", 16, 1024, poor=False) > 0.15
    fewer = [one._replace(ranks=4, residual=0.05) for one in known]
    assert Difficulty([*known, *fewer]).of("bcast", 4, 8, poor=False) < difficulty.of("bcast", 4, 8, poor=False)
    busy = [one._replace(poor=True, residual=1.0) for one in known]
    both = Difficulty([*known, *busy])
    assert both.of("bcast", 16, 8, poor=True) > 0.9
    assert both.of("bcast", 16, 8, poor=False) < 0.55
    assert all(one.score == pytest.approx(1) for one in known)
    found = expected_of_call("bcast", 16, 1024, 1.0, residuals=Residuals(known, ()))
    assert (found.low_s, found.high_s, found.cases) == pytest.approx((exp(-near), exp(near), 90))


def test_beyond_the_evidence_it_is_wider_and_says_so() -> None:
    known = Residuals(_calls("bcast", 1024, [0.1] * 40), ())
    inside = expected_of_call("bcast", 16, 1024, 1.0, residuals=known)
    assert inside.beyond == []
    beyond = expected_of_call("bcast", 256, 1024, 1.0, residuals=known)
    assert beyond.high_s == pytest.approx(exp(0.1 * log2(256) / log2(16)))
    assert "256 ranks, where at most 16 were measured" in beyond.beyond[0]
    assert "no scan was measured" in expected_of_call("scan", 16, 1024, 1.0, residuals=known).beyond[0]
    assert "more than 1 KiB" in expected_of_call("bcast", 16, 4096, 1.0, residuals=known).beyond[0]
    assert "not calibrated" in expected_of_call("bcast", 16, 8, 1.0, calibrated=False, residuals=known).beyond[0]


def test_replicas_lie_inside() -> None:
    interval = Interval(median_s=1.0, low_s=0.1, high_s=9.0)
    found = expected_of_call("bcast", 8, 8, 1.0, interval=interval)
    assert (found.low_s, found.high_s) == (0.1, 9.0)


def test_of_a_program_only_its_time_in_mpi_is_uncertain() -> None:
    computing = expected_of_program(8, 10.0, 0.1)
    waiting = expected_of_program(8, 10.0, 9.0)
    assert 0 < computing.high_s - computing.low_s < 0.1 * (waiting.high_s - waiting.low_s)
    assert computing.low_s >= 9.9  # computation stays
    assert computing.cases == len(evidence().programs)
    assert all(isinstance(one, ProgramResidual) for one in evidence().programs)


def test_runs_replays_and_collectives_say_it(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "ring", options=("-o", "ring.trace", "--json", "--platform", "graphene", "--map", "node"))
    record = json.loads(ended.out)
    assert record["expected"]["low_s"] < record["simulated_s"] < record["expected"]["high_s"]
    assert "expected" in sandbox.run(4, "ring").err
    replayed = sandbox.finish(sandbox.start("replay", "ring.trace"))
    assert "on the real cluster, 90% of the time" in replayed.out
    assert "expected" not in sandbox.finish(sandbox.start("replay", "ring.trace", "--model", "loggps")).out
    study = sandbox.finish(sandbox.start("collective", "bcast", "-n", "8", "-s", "8", "--json"))
    (one,) = json.loads(study.out)["predictions"]
    assert one["expected_low_s"] < one["time_s"] < one["expected_high_s"]
    fluid = sandbox.finish(sandbox.start("collective", "bcast", "-n", "8", "-s", "8", "--model", "fluid"))
    assert "expected" not in fluid.out
