# SPDX-License-Identifier: BSD-3-Clause
"""Where real times are expected, by residuals of measured clusters."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from dataclasses import replace
from math import exp, inf, log, log2, sqrt
from pathlib import Path
from statistics import fmean

import pytest

from harness import Sandbox
from orrery.evidence.coverage import covered_by_hand, covered_calls, covered_programs, covered_ratios_by_hand
from orrery.evidence.difficulty import SPREAD_POWER
from orrery.evidence.expectation import (
    expected_of_call,
    expected_of_program,
    reach_of_call,
    reach_of_program,
    reach_of_ratio,
    why_no_program,
)
from orrery.evidence.repeats import SCORE, computation_spread, repeats, score_of, scores, spread_of
from orrery.evidence.residuals import (
    CallResidual,
    HandWrittenResiduals,
    Hour,
    ProgramResidual,
    Residuals,
    evidence,
    from_json,
    quantile,
    to_json,
    weighted_quantile,
)
from orrery.evidence.statement import Host, Statement, statement_of
from orrery.noise.intervals import Interval
from orrery.platform.prepared import prepare
from orrery.report.coverage import coverage_section

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "tests" / "evidence"
STEADY = Statement("usable", "undisturbed", 0.0, ((inf, 0.1),))
BY_HAND = (HandWrittenResiduals("a", (0.1,) * 9 + (2.0,), (0.5,)), HandWrittenResiduals("b", (0.2,), ()))


def _hours(*statements: Statement) -> tuple[Hour, ...]:
    """Hours of as many clusters."""
    return tuple(Hour(f"hour-{number}", f"cluster-{number}", statement) for number, statement in enumerate(statements))


def _calls(hour: int, kind: str, size: int, residuals: list[float]) -> tuple[CallResidual, ...]:
    return tuple(CallResidual(hour, kind, 16, size, residual) for residual in residuals)


def _said(spread: float, host: Host = "undisturbed") -> Statement:
    return Statement("usable", host, 0.0, ((inf, spread),))


def test_the_quantile_is_that_of_split_conformal_prediction() -> None:
    # Rank ceil((n + 1) 0.9): of 9 residuals the 9th, of 19 the 18th, of 99 the 90th.
    assert quantile(range(1, 10)) == 9
    assert quantile(range(1, 20)) == 18
    assert quantile(range(1, 100)) == 90


def test_all_clusters_weigh_the_same_however_many_cases_they_have() -> None:
    few, many = [(5.0, 1 / 2)] * 2, [(1.0, 1 / 100)] * 100
    assert weighted_quantile([*few, *many], 0.4) == 1.0
    assert weighted_quantile([*few, *many], 0.6) == 5.0


def test_it_holds_for_new_cases_like_those_that_it_rests_on() -> None:
    """Whatever their distribution: here one with long tails. The probability is at least 0.9, and 0.9 + 1 / (n + 1) at most."""
    generator = random.Random(1)  # noqa: S311  no secret
    inside = 0
    for _ in range(4000):
        drawn = [generator.paretovariate(1.5) for _ in range(40)]
        inside += drawn[0] <= quantile(drawn[1:])
    assert 0.885 < inside / 4000 < 0.94  # three standard deviations are 0.014


def test_similar_cases_count_more() -> None:
    calls = (
        *_calls(0, "bcast", 1024, [0.01] * 30),
        *_calls(0, "bcast", 8, [0.5] * 30),
        *_calls(0, "reduce", 1024, [-0.2] * 30),
    )
    known = Residuals(_hours(STEADY), calls).difficulty
    near = known.of("bcast", 16, 1024, STEADY)
    # The others weigh 2^-7, as their size is 128 times smaller, and 0.1, as they are of another collective.
    assert near == pytest.approx((0.01 + 0.5 / 128 + 0.02) / (1 + 1 / 128 + 0.1))
    assert near < known.of("bcast", 16, 64, STEADY) < known.of("bcast", 16, 8, STEADY) < 0.5
    assert known.of("reduce", 16, 1024, STEADY) > 0.15
    fewer = tuple(call._replace(ranks=4, residual=0.05) for call in calls)
    both = Residuals(_hours(STEADY), (*calls, *fewer)).difficulty
    assert both.of("bcast", 4, 8, STEADY) < known.of("bcast", 4, 8, STEADY)


def test_the_interval_is_as_wide_as_the_calibration_says_that_its_messages_are_off() -> None:
    calls = (*_calls(0, "bcast", 1024, [0.1] * 20), *_calls(1, "bcast", 1024, [0.1] * 20))
    known = Residuals(_hours(_said(0.1), _said(0.1)), calls)
    assert reach_of_call("bcast", 16, 1024, statement=_said(0.1), residuals=known) == pytest.approx(0.1)
    wider = reach_of_call("bcast", 16, 1024, statement=_said(1.6), residuals=known)
    assert wider == pytest.approx(0.1 * 16**SPREAD_POWER)
    by_size = Statement("usable", "undisturbed", 0.0, ((4096.0, 1.6), (inf, 0.1)))  # the regime of the size counts
    assert reach_of_call("bcast", 16, 1024, statement=by_size, residuals=known) == pytest.approx(wider)
    assert reach_of_call("bcast", 16, 4096, statement=by_size, residuals=known) < wider
    unsteady = _said(0.1)._replace(unsteadiness=0.5)
    assert reach_of_call("bcast", 16, 1024, statement=unsteady, residuals=known) > 0.13


def test_nodes_that_did_other_work_are_compared_with_their_like() -> None:
    calls = (*_calls(0, "bcast", 8, [0.05] * 20), *_calls(1, "bcast", 8, [1.0] * 20))
    known = Residuals(_hours(_said(0.1), _said(0.1, "disturbed")), calls).difficulty
    quiet, busy = (known.of("bcast", 16, 8, _said(0.1, host)) for host in ("undisturbed", "disturbed"))
    assert quiet == pytest.approx((0.05 + 0.05 * 1.0) / 1.05)
    assert busy == pytest.approx((1.0 + 0.05 * 0.05) / 1.05)


def test_what_a_calibration_says_is_read_from_its_file() -> None:
    busy = statement_of(prepare(str(EVIDENCE / "2026-11-25-12h-openmpi" / "platform.toml")))
    assert busy is not None
    assert (busy.grade, busy.host) == ("poor", "undisturbed")
    # Of the second regime, from 724 to 3,353 bytes, quantiles are 0.388 to 6.94 times the fit.
    assert busy.spread(1024) == pytest.approx(log(6.93621))
    assert busy.spread(1 << 20) == pytest.approx(log(1.00498))
    disturbed = statement_of(prepare(str(EVIDENCE / "2026-11-28-20h-ten-openmpi" / "platform.toml")))
    assert disturbed is not None
    assert disturbed.host == "disturbed"
    undecided = statement_of(prepare(str(EVIDENCE / "2026-11-28-20h-ten-mpich" / "platform.toml")))
    assert undecided is not None
    assert undecided.host == "undecided"
    for silent in ("default", "graphene", str(EVIDENCE / "2026-11-22-mpich" / "platform.toml")):
        assert statement_of(prepare(silent)) is None


def test_beyond_the_evidence_it_is_wider_and_says_so() -> None:
    known = Residuals(_hours(STEADY), _calls(0, "bcast", 1024, [0.1] * 40), hand_written=BY_HAND)
    inside = expected_of_call("bcast", 16, 1024, 1.0, statement=STEADY, residuals=known)
    assert (inside.beyond, inside.by_hand, inside.clusters) == ([], False, 1)
    beyond = expected_of_call("bcast", 256, 1024, 1.0, statement=STEADY, residuals=known)
    assert beyond.high_s == pytest.approx(exp(0.1 * log2(256) / log2(16)))
    assert "256 ranks, where at most 16 were measured: 2 times as wide" in beyond.beyond[0]
    scan = expected_of_call("scan", 16, 1024, 1.0, statement=STEADY, residuals=known)
    assert "no scan was measured" in scan.beyond[0]
    large = expected_of_call("bcast", 16, 4096, 1.0, statement=STEADY, residuals=known)
    assert "more than 1 KiB" in large.beyond[0]


def test_a_platform_by_hand_is_as_uncertain_as_others_by_hand_were() -> None:
    known = Residuals(_hours(STEADY), _calls(0, "bcast", 1024, [0.1] * 40), hand_written=BY_HAND)
    found = expected_of_call("bcast", 16, 1024, 1.0, statement=None, residuals=known)
    # Half of the weight is that of the second machine, at 0.2; 0.45 of it is at 0.1, and 0.05 at 2.
    assert (found.low_s, found.high_s) == pytest.approx((exp(-0.2), exp(0.2)))
    assert (found.by_hand, found.cases, found.clusters) == (True, 11, 2)
    assert "no calibration says how uncertain this platform is" in found.beyond[0]
    assert reach_of_ratio("bcast", 16, 1024, statement=None, residuals=known) == 0.5
    assert expected_of_program(16, 1.0, 0.5, 1024, statement=None, residuals=known) is None


def test_a_program_has_no_interval_where_none_was_measured_in_such_an_hour() -> None:
    assert why_no_program(STEADY) == ""
    busy = _said(1.0, "disturbed")
    assert expected_of_program(8, 1.0, 0.5, 1024, statement=busy) is None
    assert why_no_program(busy) == "nodes were busy when calibrated: calibrate again"
    assert "not calibrated" in why_no_program(None)


def test_the_interval_of_a_ratio_is_wider_by_the_root_of_two_where_a_calibration_says_how_uncertain_it_is() -> None:
    alone = expected_of_call("bcast", 8, 1024, 1.0, statement=STEADY)
    assert exp(reach_of_ratio("bcast", 8, 1024, statement=STEADY) / sqrt(2)) == pytest.approx(alone.high_s)


def test_replicas_lie_inside() -> None:
    interval = Interval(median_s=1.0, low_s=0.01, high_s=99.0)
    for statement in (STEADY, None):
        found = expected_of_call("bcast", 8, 8, 1.0, statement=statement, interval=interval)
        assert (found.low_s, found.high_s) == (0.01, 99.0)


def test_of_a_program_only_its_time_in_mpi_is_uncertain() -> None:
    computing = expected_of_program(8, 10.0, 0.1, 4096, statement=STEADY)
    waiting = expected_of_program(8, 10.0, 9.0, 4096, statement=STEADY)
    assert computing is not None
    assert waiting is not None
    assert 0 < computing.high_s - computing.low_s < 0.1 * (waiting.high_s - waiting.low_s)
    assert computing.low_s >= 9.9  # computation stays
    assert computing.cases == len(evidence().programs)
    assert all(isinstance(program, ProgramResidual) for program in evidence().programs)
    wider = reach_of_program(8, 4096, statement=_said(1.0)) / reach_of_program(8, 4096, statement=_said(0.1))
    assert wider == pytest.approx(10**SPREAD_POWER)


def test_residuals_are_read_as_they_were_written() -> None:
    statement = Statement("poor", "disturbed", 0.25, ((64.0, 1.5), (inf, 0.1)))
    programs = (ProgramResidual(0, "cg", 8, 4096, -0.1),)
    known = Residuals(_hours(statement), _calls(0, "bcast", 8, [0.1]), programs, BY_HAND)
    assert from_json(json.loads(to_json(known, {"orrery": "1"}))) == known


def test_the_score_that_was_written_down_is_that_of_the_residuals() -> None:
    assert replace(evidence(), known_score=None).score == pytest.approx(evidence().score, abs=1e-5)


# Coverage, of clusters that the intervals do not know


def test_intervals_hold_for_clusters_that_they_were_not_made_from() -> None:
    """85 to 95 % of the cases of calibrations that say the same of themselves; of a single hour somewhat more or less."""
    hours = list(covered_calls(evidence()))
    groups: dict[str, list[float]] = defaultdict(list)
    for hour in hours:
        groups[hour.about].append(hour.inside)
        assert 0.8 <= hour.inside <= 0.96, hour
        assert hour.reach <= 1.25, hour
    assert {"usable, undisturbed", "poor, undisturbed", "poor, disturbed", "poor, undecided"} <= set(groups)
    for about, inside in groups.items():
        assert 0.85 <= fmean(inside) <= 0.95, about
    assert 0.88 <= fmean(hour.inside for hour in hours) <= 0.95


def test_intervals_would_not_hold_if_they_took_no_notice_of_what_calibrations_say() -> None:
    """With one statement for all hours, busy ones lie outside far more often, and quiet ones get far too wide intervals."""
    known = evidence()
    deaf = Residuals(tuple(hour._replace(statement=STEADY) for hour in known.hours), known.calls)
    heard = {hour.name: hour for hour in covered_calls(known)}
    unheard = {hour.name: hour for hour in covered_calls(deaf)}
    assert min(hour.inside for hour in unheard.values()) < 0.75
    usable = [name for name, hour in heard.items() if hour.about == "usable, undisturbed"]
    assert all(unheard[name].reach > 1.5 * heard[name].reach for name in usable)


def test_programs_lie_in_intervals_that_other_hours_give() -> None:
    hours = list(covered_programs(evidence()))
    assert 0.85 <= fmean(hour.inside for hour in hours) <= 0.95
    assert min(hour.inside for hour in hours) >= 0.75


def test_intervals_of_platforms_by_hand_hold_for_machines_that_they_were_not_made_from() -> None:
    machines = list(covered_by_hand(evidence()))
    assert len(machines) >= 6
    assert fmean(machine.inside for machine in machines) >= 0.85
    assert fmean(machine.inside for machine in covered_ratios_by_hand(evidence())) >= 0.85


def test_the_page_on_accuracy_shows_this_coverage() -> None:
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    assert "\n".join(coverage_section(evidence())) in page


def test_the_hand_written_cases_name_platforms_that_are_there() -> None:
    lines = (EVIDENCE / "hand-written.csv").read_text(encoding="utf-8").splitlines()[1:]
    for machine in {line.split(",")[0] for line in lines}:
        assert (ROOT / "bench" / "platforms" / "hand-written" / f"{machine}.toml").exists()


# What commands say


def test_runs_replays_and_collectives_say_it(sandbox: Sandbox) -> None:
    cluster = str(EVIDENCE / "2026-11-25-18h-sites-openmpi" / "platform.toml")
    ended = sandbox.run(4, "ring", options=("-o", "ring.trace", "--json", "--platform", cluster, "--map", "node"))
    record = json.loads(ended.out)
    assert record["expected"]["low_s"] < record["simulated_s"] < record["expected"]["high_s"]
    replayed = sandbox.finish(sandbox.start("replay", "ring.trace"))
    assert "(90%; from 72 measured runs on 1 cluster)" in replayed.out
    assert "expected" not in sandbox.finish(sandbox.start("replay", "ring.trace", "--model", "loggps")).out
    study = sandbox.finish(sandbox.start("collective", "bcast", "-n", "8", "-s", "8", "--json", "-p", cluster))
    (prediction,) = json.loads(study.out)["predictions"]
    assert prediction["expected_low_s"] < prediction["time_s"] < prediction["expected_high_s"]
    fluid = sandbox.finish(sandbox.start("collective", "bcast", "-n", "8", "-s", "8", "--model", "fluid"))
    assert "expected" not in fluid.out


def test_without_a_calibration_a_line_says_so_in_plain_words(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "ring", options=("--json", "--platform", "graphene", "--map", "node"))
    record = json.loads(ended.out)
    assert record["expected"] is None
    assert "the platform is not calibrated" in record["not_expected"]
    summary = sandbox.run(4, "ring").err
    assert "expected" in summary
    assert "not known: the platform is not calibrated (`orrery calibrate`)\n" in summary
    assert "90%" not in summary
    study = sandbox.finish(sandbox.start("collective", "bcast", "-n", "8", "-s", "8"))
    assert "no calibration: as far as 9 of 10 times were off on platforms written by hand" in study.out
    assert "9 of 10 were within a factor of" in study.out


def test_a_file_of_hand_written_platforms_without_a_column_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "machines.csv").write_text("machine,collective\na,bcast\n")
    (tmp_path / "suite.toml").write_text('hand_written = ["machines.csv"]\n')
    ended = sandbox.finish(sandbox.start("validate", "residuals", str(tmp_path / "suite.toml")))
    assert ended.code == 2
    assert "machines.csv: the column platform is not there" in ended.err


def test_ranges_of_runs_of_a_program_that_is_not_in_the_evidence_hold_the_median_in_nine_of_ten() -> None:
    """Six programs, some twenty runs each on a quiet and on a busy host, on three days; the range of each is by the other five."""
    inside: dict[str, list[bool]] = defaultdict(list)
    for program in {run.program for run in repeats()}:
        score = score_of([run for run in repeats() if run.program != program])
        own = [run for run in repeats() if run.program == program]
        for run, (its_score, _) in zip(own, scores(own), strict=True):
            inside[run.host].append(its_score <= score)
    assert len(inside["quiet"]) == 360
    assert len(inside["busy"]) > 350
    assert all(0.85 <= fmean(found) <= 0.95 for found in inside.values())
    assert pytest.approx(score_of(repeats()), abs=0.005) == SCORE


def test_a_run_that_was_disturbed_more_has_a_wider_range() -> None:
    assert spread_of(0.4) == pytest.approx(2 * spread_of(0.2))
    assert spread_of(0.05) == spread_of(0.2)
    assert 0.1 < spread_of(0.0) < 0.3


def test_the_range_of_a_program_has_the_spread_of_its_computation_in_it() -> None:
    said = _said(0.1)
    alone = expected_of_program(16, 1.0, 0.5, 1000, statement=said)
    both = expected_of_program(16, 1.0, 0.5, 1000, statement=said, computation_spread_s=0.3)
    assert alone is not None
    assert both is not None
    assert both.high_s - 1 == pytest.approx(sqrt((alone.high_s - 1) ** 2 + 0.09))
    assert both.low_s < alone.low_s
    assert computation_spread(None) is None


def test_a_run_says_how_far_runs_of_a_command_lie_apart(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "halo", "64", "30")
    found = [re.search(r"\(9 of 10 are within (\d+)", caution) for caution in ended.record["cautions"]]
    assert [int(said[1]) >= 100 * spread_of(0) - 1 for said in found if said] == [True]
    silent = sandbox.run(2, "halo", "64", "30", options=("--compute", "none"))
    assert not any("9 of 10" in caution for caution in silent.record["cautions"])
