# SPDX-License-Identifier: BSD-3-Clause
"""Calls that send nothing, such as MPI_Comm_rank, are counted: in simulated runs, in captures, and in replays of both."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness import Sandbox
from real_mpis import MPIS, RealMpi

RANKS = 4
MANY = 1000


@pytest.fixture(params=MPIS)
def real(request: pytest.FixtureRequest, sandbox: Sandbox) -> RealMpi:
    return RealMpi(request.param, sandbox)


def check(rows: list[dict[str, Any]], printed: str) -> None:
    """`printed`: what tests/programs/counted.c says."""
    whole = {(row["rank"], row["name"]): row for row in rows if row["phase"] is None}
    for rank in range(RANKS):
        # One before the loop.
        assert whole[rank, "MPI_Comm_rank()"]["calls"] == MANY * (rank + 1) + 1
        for once in ("Comm_size", "Type_size", "Cart_coords", "Init", "Finalize"):
            assert whole[rank, f"MPI_{once}()"]["calls"] == 1, once
        own = {name: row for (of, name), row in whole.items() if of == rank}
        assert own[".application"]["subrs"] == sum(row["calls"] for name, row in own.items() if name != ".application")
    said = {int(rank): int(calls) for rank, calls in (line.split() for line in printed.splitlines())}
    assert {rank: whole[rank, ".application"]["subrs"] for rank in range(RANKS)} == said
    phase = {row["name"]: row["calls"] for row in rows if (row["rank"], row["phase"]) == (1, 2)}
    assert phase["phase 2 => MPI_Cart_shift()"] == 10
    assert "phase 2 => MPI_Type_size()" not in phase


def test_a_simulated_run_counts_them_and_they_take_no_time(sandbox: Sandbox) -> None:
    ended = sandbox.run(RANKS, "counted", str(MANY))
    assert ended.code == 0, ended.err
    rows = ended.record["profile"]["per_rank"]
    check(rows, ended.out)
    assert all(row["exclusive_s"] == 0 for row in rows if row["name"] in ("MPI_Comm_rank()", "MPI_Type_size()"))


def test_they_are_in_the_trace_of_a_simulated_run_and_in_its_replay(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", str(RANKS), "-o", "it.trace", sandbox.program("counted"), str(MANY))
    assert ended.code == 0, ended.err
    shown = json.loads(sandbox.orrery("profile", "it.trace", "--json").out)
    check(shown["profile"]["per_rank"], ended.out)
    check(sandbox.replayed("it.trace", "--selector", "default")["profile"]["per_rank"], ended.out)
    again = sandbox.orrery("replay", "it.trace", "-o", "again.trace")
    assert again.code == 0, again.err
    shown = json.loads(sandbox.orrery("profile", "again.trace", "--json").out)
    check(shown["profile"]["per_rank"], ended.out)


def test_a_capture_counts_them_and_says_how_long_they_took(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("counted.c"), str(MANY))
    assert ended.code == 0, ended.err
    shown = real.profile()
    rows = shown["profile"]["per_rank"]
    check(rows, ended.out)
    assert {"MPI_Comm_rank", "MPI_Cart_shift", "MPI_Type_size"} <= set(shown["local"])
    assert not {"MPI_Init", "MPI_Barrier", "MPI_Sendrecv", "MPI_Finalize"} & set(shown["local"])
    for row in rows:
        if row["name"] == "MPI_Comm_rank()":
            assert 0 < row["exclusive_s"] / row["calls"] < 5e-6  # it reads a number
        if row["name"] == "MPI_Init()":
            assert row["exclusive_s"] > 1e-4  # it starts a library
        if row["name"] == ".application":
            inside = [r for r in rows if (r["rank"], r["phase"]) == (row["rank"], None)]
            assert row["inclusive_s"] == pytest.approx(sum(r["exclusive_s"] for r in inside))
    replayed = real.sandbox.replayed("it.trace", "--selector", "default")
    check(replayed["profile"]["per_rank"], ended.out)


def test_ranks_that_end_without_finalize_are_counted_until_then(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("captured.c"), "abort")
    assert ended.code != 0
    calls = {
        row["name"]: row["calls"] for row in real.profile(complete=False)["profile"]["per_rank"] if row["rank"] == 1
    }
    assert calls["MPI_Comm_rank()"] >= 1
