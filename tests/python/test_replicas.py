# SPDX-License-Identifier: BSD-3-Clause
"""Predictions as intervals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import CALIBRATION, PLAIN_HYBRID
from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.experiment.settings import Vary
from orrery.noise.intervals import Interval

# 1 us from node to node and 1 ns for a byte, lengthened by 10 % on average; nothing else takes time.
NOISY = (
    PLAIN_HYBRID
    + """
[network]
rate_noise = 0.1
"""
)


@pytest.fixture
def noisy(tmp_path: Path) -> str:
    """File of a platform with noise."""
    path = tmp_path / "noisy.toml"
    path.write_text(NOISY, encoding="utf-8")
    return str(path)


def test_an_interval_goes_from_the_5th_to_the_95th_percentile() -> None:
    # 0, 1, ... 100: the p-th percentile is p.
    found = Interval.of([float(value) for value in reversed(range(101))])
    assert found == Interval(median_s=50, low_s=5, high_s=95)


def test_replicas_of_a_message_are_distributed_as_the_noise_says(noisy: str) -> None:
    # 1 us + 1 ms (1 + x), x exponential of mean 0.1: its median is 0.1 ln 2, its 5th and 95th percentiles are
    # -0.1 ln 0.95 and -0.1 ln 0.05.
    call = Call("bcast", 1_000_000, 2)
    with Laboratory(noisy, None, "node", replicas=4000).open() as laboratory:
        whole = laboratory.whole(call)
        cost = laboratory.begin([(call, _core.named_choice(whole, "linear"))])[0].result()
    assert cost.interval is not None
    assert cost.time_s == cost.interval.median_s == pytest.approx(1.0703e-3, rel=0.005)
    assert cost.interval.low_s == pytest.approx(1.0061e-3, rel=0.002)
    assert cost.interval.high_s == pytest.approx(1.3006e-3, rel=0.02)


# What a calibration could have found of the rate as well; nothing is random besides.
OPEN = (
    PLAIN_HYBRID
    + CALIBRATION
    + """
[calibration.draws]
"cluster[0].bandwidth_bytes_per_s" = [0.5e9, 1e9, 2e9]
"""
)


@pytest.fixture
def left_open(tmp_path: Path) -> str:
    """File of a platform whose calibration leaves its rate open."""
    path = tmp_path / "open.toml"
    path.write_text(OPEN, encoding="utf-8")
    return str(path)


def test_parameters_vary_as_far_as_the_calibration_leaves_them_open(left_open: str) -> None:
    call = Call("bcast", 1_000_000, 2)

    def interval(vary: Vary) -> Interval | None:
        with Laboratory(left_open, None, "node", replicas=4, vary=vary).open() as laboratory:
            return laboratory.begin([(call, _core.named_choice(laboratory.whole(call), "linear"))])[0].result().interval

    # 1 us and 1 ms with the rate of the file, which the first replica has; then 2, 1 and 0.5 ms. Of 0.501, 1.001, 1.001 and
    # 2.001 the 5th percentile lies 0.15 of the way from the first to the second, the 95th as far from the last.
    found = interval("calibration")
    assert found is not None
    assert (found.median_s, found.low_s, found.high_s) == pytest.approx((1.001e-3, 0.576e-3, 1.851e-3))
    assert interval("noise") is None  # nothing is random


def test_replicas_of_a_run_have_parameters_of_their_own(sandbox: Sandbox, left_open: str, plain: str) -> None:
    options = ("-p", left_open, "--map", "node", "--replicas", "4", "--compute", "none")
    varied = sandbox.run(4, "ring", options=(*options, "--vary", "calibration"))
    assert varied.code == 0, varied.err
    times = varied.record["replicas_s"]
    assert times[0] == times[2] == varied.record["simulated_s"]  # the rate of the file, and the second draw
    assert times[3] < times[0] < times[1]
    assert varied.record["vary"] == "calibration"
    assert "parameters as the calibration leaves them open" in varied.err
    fixed = sandbox.run(4, "ring", options=("-p", plain, "--replicas", "4", "--vary", "calibration"))
    assert fixed.code == 0
    assert "has no [calibration.draws]" in fixed.err
    assert fixed.record["interval"] is None


def test_the_same_seed_gives_the_same_interval_and_another_one_does_not(sandbox: Sandbox, noisy: str) -> None:
    def predicted(seed: int) -> dict[str, object]:
        options = ("-n", "4", "-s", "1MiB", "-p", noisy, "--replicas", "5", "--seed", str(seed), "--json")
        ended = sandbox.finish(sandbox.start("collective", "bcast", *options))
        assert ended.code == 0, ended.err
        return dict(json.loads(ended.out)["predictions"][0])

    first, again, other = predicted(1), predicted(1), predicted(2)
    assert first == again
    assert first["low_s"] < first["time_s"] < first["high_s"]  # type: ignore[operator]
    assert first["time_s"] != other["time_s"]


def test_replicas_of_a_run_are_replays_of_its_trace_with_the_next_seeds(sandbox: Sandbox, noisy: str) -> None:
    trace = sandbox.folder / "run.trace"
    options = ("-p", noisy, "--map", "node", "--replicas", "4", "--seed", "3", "-o", str(trace))
    run = sandbox.run(6, "collectives", options=options)
    assert run.code == 0, run.err
    times = run.record["replicas_s"]
    assert run.record["simulated_s"] == times[0]
    assert "median" in run.err
    assert "\nother figures   of the first draw, seed 3: simulated time, what it goes to, and the table\n" in run.err
    record = sandbox.folder / "replay.json"
    for number, time_s in enumerate(times):
        again = ("-p", noisy, "--map", "node", "--seed", str(3 + number), "-o", str(record))
        assert sandbox.finish(sandbox.start("replay", str(trace), *again)).code == 0
        assert json.loads(record.read_text())["simulated_s"] == time_s
    whole = sandbox.finish(
        sandbox.start(
            "replay", str(trace), "-p", noisy, "--map", "node", "--seed", "3", "--replicas", "4", "-o", str(record)
        )
    )
    assert whole.code == 0, whole.err
    assert json.loads(record.read_text())["interval"] == run.record["interval"]


def test_replicas_say_what_each_routine_took_in_each(sandbox: Sandbox, noisy: str) -> None:
    run = sandbox.run(6, "collectives", options=("-p", noisy, "--map", "node", "--replicas", "4"))
    assert run.code == 0, run.err
    found = run.record["replicas_routines_s"]
    rows = {row["name"]: row["exclusive_s"] for row in run.record["profile"]["summed"] if row["phase"] is None}
    # The run itself is the first one.
    assert {name: times[0] for name, times in found.items()} == pytest.approx(rows)
    assert all(len(times) == 4 for times in found.values())
    assert len(set(found["MPI_Allreduce()"])) == 4


def test_replicas_leave_no_trace_behind_and_the_program_runs_once(sandbox: Sandbox, noisy: str) -> None:
    once = sandbox.run(4, "ring", options=("-p", noisy))
    several = sandbox.run(4, "ring", options=("-p", noisy, "--replicas", "3"))
    assert several.code == 0, several.err
    assert several.out == once.out
    assert list((sandbox.folder / "tmp").iterdir()) == []


def test_who_asks_for_replicas_where_there_is_no_noise_is_told_so(sandbox: Sandbox, plain: str) -> None:
    run = sandbox.run(2, "ring", options=("-p", plain, "--replicas", "5"))
    assert run.code == 0
    assert "has no noise" in run.err
    assert run.record["interval"] is None


def test_a_program_that_asks_what_came_first_is_named(sandbox: Sandbox, noisy: str) -> None:
    run = sandbox.run(5, "wildcard", options=("-p", noisy, "--map", "node", "--replicas", "3"))
    assert run.code == 0, run.err
    assert "receives of any source" in run.err


@pytest.mark.parametrize("options", [("--replicas", "0"), ("--replicas", "many"), ("--seed", "-1")])
def test_numbers_that_are_none_of_replicas_are_refused(sandbox: Sandbox, options: tuple[str, str]) -> None:
    ended = sandbox.finish(sandbox.start("collective", "bcast", "-n", "2", *options))
    assert ended.code == 2
    assert options[0] in ended.err
