# SPDX-License-Identifier: BSD-3-Clause
"""The selector `best` in whole runs: it searches when a call is first made, and can be interrupted."""

from __future__ import annotations

import re

import pytest

from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory


def test_a_run_uses_the_algorithms_that_are_the_cheapest_by_themselves(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "collectives", options=("--selector", "best"))
    assert ended.code == 0
    assert ended.record["selector"] == "best"
    used = {(use["routine"], use["algorithm"]) for use in ended.record["algorithms"]}
    call = Call("allreduce", 16, 4)
    with Laboratory("default", None, "slot").open() as laboratory:
        choices = _core.accepting_choices(laboratory.whole(call))
        cheapest = min(choices, key=lambda choice: laboratory.time(call, choice))
    assert ("MPI_Allreduce", cheapest.name) in used


def test_a_search_for_a_table_ends_with_ctrl_c(sandbox: Sandbox) -> None:
    process = sandbox.start_on_terminal("collective", "alltoall", "-n", "1024", "-s", "1MiB", "--selector", "best")
    process.until("simulating")  # a million messages for each of the algorithms
    process.interrupt()
    assert process.finish().code == 130


@pytest.mark.parametrize("line", ["run", "replay", "collective", "benchmark", "place", "validate trace"])
def test_help_has_the_best_selector_where_it_is_taken(sandbox: Sandbox, line: str) -> None:
    said = " ".join(sandbox.orrery(*line.split(), "--help").out.split())
    assert re.search(r"There are: default, [a-z0-9., -]*, best[,.]", said)


def test_where_nothing_can_be_searched_it_is_said(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("collective", "bcast", "-n", "4", "-s", "8", "--messages", "--selector", "best")
    assert ended.code == 2
    assert ended.err.startswith("orrery: error: --selector best: only run, replay, collective without --messages, ")
    assert "best" not in ended.err.partition("expected one of")[2]
