# SPDX-License-Identifier: BSD-3-Clause
"""Captured programs against their replays. A trace of a simulated run is a capture of a cluster that is known."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conftest import PLAIN_HYBRID
from harness import Ended, Sandbox
from orrery.validate.routines import Times, compare


@pytest.fixture
def recorded(sandbox: Sandbox) -> Sandbox:
    """With ring.trace: four ranks, each on a node of graphene."""
    ended = sandbox.run(4, "ring", options=("-o", "ring.trace", "--platform", "graphene", "--map", "node"))
    assert ended.code == 0, ended.err
    return sandbox


def _validate(sandbox: Sandbox, *arguments: str) -> Ended:
    return sandbox.finish(sandbox.start("validate", *arguments))


def _found(ended: Ended) -> dict[str, Any]:
    return dict(json.loads(ended.out))


def test_a_run_is_predicted_exactly_by_the_platform_that_it_ran_on(recorded: Sandbox) -> None:
    ended = _validate(recorded, "trace", "ring.trace", "--platform", "graphene", "--most-median", "1e-5", "--json")
    assert ended.code == 0, ended.err
    found = _found(ended)
    assert abs(found["total"]["error"]) < 1e-5  # traces have times in nanoseconds, the run takes 182 us
    assert {line["routine"] for line in found["routines"]} >= {".application", "MPI_Send", "MPI_Recv"}
    assert all(abs(line["error_of_share"]) < 1e-5 for line in found["routines"])


def test_another_network_is_told_from_it_by_total_and_routine(recorded: Sandbox) -> None:
    fluid = ("trace", "ring.trace", "--platform", "graphene", "--model", "fluid", "--most-median", "0.001")
    ended = _validate(recorded, *fluid, "--json")
    assert ended.code == 1
    assert "is above 0.1%" in ended.err
    assert abs(_found(ended)["total"]["error"]) > 0.001
    assert "predicted" in _validate(recorded, *fluid).out


def test_a_trace_in_which_nothing_took_time_is_refused(sandbox: Sandbox) -> None:
    assert sandbox.run(2, "hello", options=("-o", "none.trace", "--compute", "none")).code == 0
    ended = _validate(sandbox, "trace", "none.trace", "--platform", "graphene")
    assert ended.code == 2
    assert "--trace none.trace: no call and no computation in it took any time" in ended.err


def test_runs_of_one_program_count_by_their_median(recorded: Sandbox) -> None:
    ended = _validate(recorded, "trace", "ring.trace", "ring.trace", "--platform", "graphene")
    assert ended.code == 0, ended.err
    assert "2 runs" in ended.out


def test_what_was_said_before_there_were_commands_means_the_same(recorded: Sandbox) -> None:
    before = _validate(recorded, "--platform", "graphene", "--trace", "ring.trace", "--trace=ring.trace")
    now = _validate(recorded, "trace", "--platform", "graphene", "ring.trace", "ring.trace")
    assert (before.code, before.out, before.err) == (now.code, now.out, now.err)
    assert now.code == 0


NOISY = PLAIN_HYBRID + "[network]\nrate_noise = 0.3\n"


def test_total_and_routines_are_predicted_as_intervals(recorded: Sandbox) -> None:
    (recorded.folder / "noisy.toml").write_text(NOISY, encoding="utf-8")
    options = ("trace", "ring.trace", "--platform", "noisy.toml", "--replicas", "9", "--seed", "2")
    ended = _validate(recorded, *options, "--json")
    assert ended.code == 0, ended.err
    found = _found(ended)
    total = found["total"]
    assert len(total["replicas_s"]) == found["replicas"] == 9
    assert total["predicted_low_s"] < total["predicted_s"] < total["predicted_high_s"]
    received = next(line for line in found["routines"] if line["routine"] == "MPI_Recv")
    assert received["predicted_low_s"] < received["predicted_s"] < received["predicted_high_s"]
    # What was computed is the same in all of them.
    computed = next(line for line in found["routines"] if line["routine"] == ".application")
    assert computed["predicted_low_s"] == computed["predicted_high_s"]
    assert _found(_validate(recorded, *options, "--json")) == found
    table = _validate(recorded, *options).out
    assert "9 replicas, 5 to 95 %" in table
    assert "outside" in table  # the platform is another one than that of the recording


def test_the_runs_of_a_routine_and_its_interval_overlap_or_do_not() -> None:
    measured = Times("runs", {"MPI_Send": [1.0, 3.0, 2.0], "MPI_Recv": [1.0, 2.0, 4.0], "MPI_Wait": [1.0, 1.0, 1.0]})
    replicas = {"MPI_Send": [2.5] * 9, "MPI_Recv": [3.0, *[5.0] * 8], "MPI_Wait": [2.0] * 9}
    found = {line.routine: line for line in compare(measured, Times("replicas", replicas)).routines}
    assert (found["MPI_Send"].inside, found["MPI_Send"].overlaps) == (True, True)
    # The 5th percentile of one 3 and eight 5 is 3 + 0.05 * 8 * 2 = 3.8.
    assert (found["MPI_Recv"].inside, found["MPI_Recv"].overlaps) == (False, True)
    assert found["MPI_Recv"].predicted.low_s == pytest.approx(3.8)
    assert (found["MPI_Wait"].inside, found["MPI_Wait"].overlaps) == (False, False)


def test_a_suite_of_programs_keeps_reports_and_tells_what_changed(recorded: Sandbox) -> None:
    suite = recorded.folder / "suite.toml"
    program = '[[programs]]\nname = "ring"\nplatform = "graphene"\ntraces = ["ring.trace"]\n'
    suite.write_text(program)
    assert _validate(recorded, "suite", "suite.toml").code == 0
    kept = json.loads((recorded.folder / "validation" / "ring.json").read_text())
    assert kept["replicas"] == 1
    suite.write_text(program + 'model = "fluid"\nreplicas = 3\nvary = "calibration"\n')
    ended = _validate(recorded, "--suite", "suite.toml", "--json")
    changed = json.loads(ended.out)["ring"]["changes"]
    assert any(line.startswith("total: error") and line.endswith("worse") for line in changed)
    assert json.loads((recorded.folder / "validation" / "ring.json").read_text()) != kept


def test_what_cannot_be_compared_is_said_in_a_line(recorded: Sandbox) -> None:
    for arguments in (("trace",), ("trace", "nothing.trace"), ("trace", "ring.trace", "--platform", "nowhere.toml")):
        ended = _validate(recorded, *arguments)
        assert ended.code == 2
        assert len(ended.err.strip().splitlines()) == 1
    (recorded.folder / "suite.toml").write_text("")
    ended = _validate(recorded, "suite", "suite.toml")
    assert ended.code == 2
    assert "lists nothing" in ended.err
    ended = _validate(recorded, "suite")
    assert ended.code == 2
    assert "expected a suite" in ended.err
