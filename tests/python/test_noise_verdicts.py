# SPDX-License-Identifier: BSD-3-Clause
"""More than noise or not: tests beside values of textbooks, and one verdict on two runs, whether records or traces of them are compared."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

import orrery
from conftest import PLAIN_HYBRID
from harness import Sandbox
from orrery.comparison.records import compare
from orrery.comparison.runs import compare_runs
from orrery.comparison.sides import sample
from orrery.noise import student
from orrery.noise.basis import NoiseBasis, TimedSide, basis_of
from orrery.noise.ranks import middle_of_pairs
from orrery.noise.verdict import Verdict
from orrery.record.document import read
from orrery.tune.rounds import GainInterval, Rounds

# Hours of sleep that two drugs gave ten people more: Student, The Probable Error of a Mean, Biometrika 6, 1908.
_FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
_SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def test_intervals_of_means_are_those_of_the_textbook() -> None:
    """As t.test of R gives them."""
    assert student.shift(_FIRST, _SECOND) == pytest.approx((-0.2054832, 3.3654832), rel=1e-5)
    gained = [b - a for a, b in zip(_FIRST, _SECOND, strict=True)]
    assert student.shift_of_pairs(gained) == pytest.approx((0.7001142, 2.4598858), rel=1e-5)
    assert middle_of_pairs(np.array(gained)) == pytest.approx(1.3)
    assert student.shift([1.0, 1.0], [2.0, 2.0]) == (1.0, 1.0)
    assert student.error_of_mean([1.0]) == 0.0


_FOUND_OF_FEW = {2: 0.45, 3: 0.9}
"""Share of pairs of samples, by the runs in each, in which half as much time again has to be seen."""


def test_few_runs_of_one_program_are_rarely_said_to_be_apart() -> None:
    """The runs of `evidence/repeats.csv`, two and two or three and three at random: the test of few keeps its 5 %."""
    runs: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with Path(orrery.__file__).with_name("evidence").joinpath("repeats.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            runs[row["date"], row["program"], row["host"]].append(float(row["simulated_s"]))
    draw = np.random.default_rng(6)
    basis = NoiseBasis("separate", "")
    for number in (2, 3):
        said = [
            basis.verdict(drawn[:number], drawn[number:])
            for times in runs.values()
            for drawn in (draw.permutation(times)[: 2 * number].tolist() for _ in range(100))
        ]
        assert said.count("apart") / len(said) <= 0.05
        assert "unknown" not in said
        slower = [
            basis.verdict(drawn[:number], [1.5 * time_s for time_s in drawn[number:]])
            for times in runs.values()
            for drawn in (draw.permutation(times)[: 2 * number].tolist() for _ in range(100))
        ]
        assert slower.count("apart") / len(slower) >= _FOUND_OF_FEW[number]


@pytest.mark.parametrize(
    ("basis", "first", "second", "verdict"),
    [
        (NoiseBasis("exact", ""), [1.0], [1.0 + 2e-9], "apart"),
        (NoiseBasis("exact", ""), [1.0], [1.0 + 0.5e-9], "equal"),  # traces have whole nanoseconds
        (NoiseBasis("nothing", ""), [1.0], [1.0], "unknown"),
        (NoiseBasis("separate", ""), [1.0], [2.0, 2.1], "unknown"),
        (NoiseBasis("separate", ""), [1.0, 1.1, 1.05], [2.0, 2.1, 2.05], "apart"),
        (NoiseBasis("separate", ""), [1.0, 1.1, 1.05], [1.05, 1.15, 1.02], "within noise"),
        (NoiseBasis("pairs", ""), [1.0, 1.5, 2.0], [1.05, 1.575, 2.1], "apart"),
        (NoiseBasis("pairs", ""), [1.0, 1.5, 2.0], [1.05, 1.4, 2.1], "within noise"),
        (NoiseBasis("pieces", ""), [1.0] * 20, [1.1] * 20, "apart"),
        (NoiseBasis("pieces", ""), [1e-6] * 20, [1e-6 + 0.9e-9] * 20, "apart"),  # each by less than the clock tells
        (NoiseBasis("pieces", ""), [1.0] * 20, [1.0], "unknown"),
        (NoiseBasis("pairs", ""), [1.0, 2.0], [1.0, 2.0, 3.0], "unknown"),
        (NoiseBasis("beside", ""), [1.0] * 20, [1.0], "unknown"),
        (NoiseBasis("beside", "", too_few="too few"), [1.0] * 3, [1.1, 1.2, 1.3], "unknown"),
    ],
)
def test_a_verdict_by_what_is_known_of_the_noise(
    basis: NoiseBasis, first: list[float], second: list[float], verdict: Verdict
) -> None:
    assert basis.verdict(first, second) == verdict


def test_routines_are_equal_whatever_the_noise_of_the_whole() -> None:
    assert NoiseBasis("nothing", "").verdict_of_part([0.1], [0.1], 0.0) == "equal"
    assert NoiseBasis("nothing", "").verdict_of_part([0.1], [0.2], 0.0) == "unknown"
    pieces = NoiseBasis("pieces", "")
    assert pieces.verdict_of_part([1e-6] * 20, [1e-6] * 19 + [1.5e-6], 1e-6) == "equal"
    assert pieces.verdict_of_part([1e-6] * 20, [1.9e-6] * 20, 1e-6) == "apart"  # no piece by more, but all of them


def test_draws_that_are_too_few_have_no_interval() -> None:
    few, first, second = NoiseBasis("beside", "", too_few="too few"), [1.0] * 2, [1.1, 1.2]
    assert few.ratios(first, second) is few.difference(first, second) is None
    assert NoiseBasis("beside", "").ratios(first, second) == pytest.approx((1.1, 1.2))


def test_what_a_comparison_rests_on() -> None:
    def side(**known: object) -> TimedSide:
        return TimedSide(**({"time_s": 1.0, "simulated": True, "computation": "c", "noisy": False} | known))  # type: ignore[arg-type]

    assert basis_of(side(), side()).kind == "exact"
    assert "earlier version" in basis_of(side(noisy=None), side()).why
    assert "one draw of the platform's noise" in basis_of(side(noisy=True), side(noisy=True)).why
    assert "measured separately" in basis_of(side(computation=""), side(computation="")).why
    assert "different recordings" in basis_of(side(replayed=True), side(replayed=True, computation="d")).why
    assert "one run of each" in basis_of(side(simulated=False), side()).why
    assert basis_of(side(repeats_s=[1.0, 2.0]), side(repeats_s=[1.0, 2.0])).kind == "separate"
    drawn = side(noisy=True, replicas_s=[1.0, 2.0])
    assert basis_of(drawn, drawn).kind == "pairs"
    assert basis_of(drawn, side(noisy=True, replicas_s=[1.0, 2.0], seed=7)).kind == "separate"
    assert basis_of(drawn, side()).kind == "beside"


def test_gains_in_rounds_are_judged_as_pairs_of_runs_are() -> None:
    """One of six rounds was disturbed: ranks do not mind, as in `orrery compare --paired`; of five the mean is taken."""
    before, after = [1.1, 1.2, 1.3, 1.1, 1.2, 9.0], [1.0] * 6
    gain = GainInterval.of(Rounds(dict(enumerate(before))), Rounds(dict(enumerate(after))))
    assert gain.holds
    assert NoiseBasis("pairs", "").verdict(after, before) == "apart"
    assert gain.low <= gain.gain <= gain.high
    few = GainInterval.of(Rounds(dict(enumerate(before[1:]))), Rounds(dict(enumerate(after[1:]))))
    assert not few.holds
    assert few.gain == pytest.approx(np.exp(np.mean([log(time_s) for time_s in before[1:]])))


def _verdicts(folder: Path, first: str, second: str) -> tuple[Verdict, str, set[Verdict]]:
    """That on two runs by their records, what it rests on, and those by their records as runs and by their traces."""
    records, traces = ([folder / f"{name}.{ending}" for name in (first, second)] for ending in ("json", "trace"))
    found = compare(*map(read, records))
    others = [compare_runs(*([sample(str(path))] for path in paths)) for paths in (records, traces)]
    assert {found.why} == {other.why for other in others}
    return found.verdict, found.why, {other.verdict for other in others}


def test_records_and_traces_of_two_simulations_get_the_same_verdict(sandbox: Sandbox) -> None:
    folder = sandbox.folder
    for name, late_us, *options in (("none-a", 1, "--compute", "none"), ("none-b", 400, "--compute", "none"), ("run-a", 400), ("run-b", 400)):  # fmt: skip
        ended = sandbox.run(3, "late_sender", str(late_us), options=("-o", f"{name}.trace", *map(str, options)))
        assert ended.code == 0, ended.err
        (folder / "run.json").rename(folder / f"{name}.json")
    (folder / "noisy.toml").write_text(f"{PLAIN_HYBRID}[network]\nrate_noise = 0.5\n")
    (folder / "fast.toml").write_text(PLAIN_HYBRID.replace("cores = 1", "cores = 1\nspeed = 2"))
    (folder / "plain.toml").write_text(PLAIN_HYBRID)
    for name, trace, *options in (
        ("plain", "run-a", "-p", "plain.toml"), ("again", "run-a", "-p", "plain.toml"), ("fast", "run-a", "-p", "fast.toml"),
        ("other", "run-b", "-p", "plain.toml"), ("noisy-a", "run-a", "-p", "noisy.toml"),
        ("noisy-b", "run-a", "-p", "noisy.toml", "--seed", "7"),
        ("none-plain", "none-b", "-p", "plain.toml"), ("none-ideal", "none-b", "-p", "noisy.toml", "--ideal"),
    ):  # fmt: skip
        ended = sandbox.orrery("replay", f"{trace}.trace", "-o", f"{name}.json", "-o", f"{name}.trace", *options)
        assert ended.code == 0, ended.err
    # Measured runs may end with a rank that was disturbed behind its last send: then no network makes them shorter.
    for first, second, verdict, why in (
        ("none-a", "none-b", "apart", "computation is common and there is no noise"),
        ("run-a", "run-b", "unknown", "computation was measured separately"),
        ("run-a", "plain", "apart", "computation is common"),
        ("plain", "again", "equal", "to the last bit"),
        ("plain", "fast", "apart", "computation is common and there is no noise"),
        ("none-plain", "none-ideal", "apart", "computation is common and there is no noise"),
        ("plain", "other", "unknown", "replays of different recordings"),
        ("noisy-a", "noisy-b", "unknown", "one draw of the platform's noise"),
    ):
        found, said, others = _verdicts(folder, first, second)
        assert (first, second, found) == (first, second, verdict)
        assert others == {verdict}, (first, second)
        assert why in said


def test_a_trace_of_an_earlier_version_does_not_say_whether_there_was_noise(sandbox: Sandbox) -> None:
    """A trace without what it says of that: nothing is claimed that its record may deny."""
    assert sandbox.run(3, "late_sender", "1", options=("-o", "a.trace", "--compute", "none")).code == 0
    found = sample(str(sandbox.folder / "a.trace"))
    earlier = replace(found, timed=replace(found.timed, noisy=None))
    assert compare_runs([found], [found]).verdict == "equal"
    assert compare_runs([earlier], [earlier]).verdict == "unknown"
