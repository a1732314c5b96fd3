# SPDX-License-Identifier: BSD-3-Clause
"""What other algorithms of collective calls would have cost in a run, and what the page of the run says of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import orrery as o
from harness import Sandbox
from orrery.collective.laboratory import Cost
from orrery.page.parts import Table
from orrery.record.document import Record, read
from orrery.report.pages.choices import choices_sentence
from orrery.report.pages.simulation import page_of_record
from orrery.simulate import alternatives as room
from orrery.simulate.alternatives import Alternatives, CostlyCall, alternatives
from orrery.simulate.costly_calls import costly_calls
from orrery.trace.collective_sums import CollectiveSum, CollectiveSums

WORKLOAD = """
ranks = 16
steps = 5
[[phase]]
kind = "allreduce"
bytes = "1MiB"
"""


def _replayed(sandbox: Sandbox, *options: str, workload: str = WORKLOAD) -> tuple[Record, Path]:
    (sandbox.folder / "it.toml").write_text(workload)
    sandbox.replayed("it.toml", "-o", "it.trace", "--platform", "graphene", "--map", "node", *options)
    return read(sandbox.folder / "replay.json"), sandbox.folder / "it.trace"


def test_each_algorithm_costs_what_orrery_collective_says(sandbox: Sandbox) -> None:
    record, trace = _replayed(sandbox, "--coll", "allreduce=reduce_bcast")
    found = alternatives(record, trace)
    (call,) = found.calls
    assert (call.kind, call.ranks, call.bytes, call.calls, call.chosen) == ("allreduce", 16, 1 << 20, 5, "reduce_bcast")
    told = o.collective(
        "allreduce", ranks=16, sizes="1MiB", algorithm="all", platform="graphene", mapping="node", progress=False
    )
    by_name = {row["algorithm"]: row["time_s"] for row in told.table if row["segment_bytes"] == 0}
    for name in ("reduce_bcast", "ring", "recursive_doubling"):
        assert call.costs[name].time_s == by_name[name]
    fastest_s = min(row["time_s"] for row in told.table)
    assert call.costs[call.fastest].time_s == pytest.approx(fastest_s, rel=0.05)  # other segments were tried
    assert call.saves_s(call.fastest) == pytest.approx(5 * (by_name["reduce_bcast"] - fastest_s), rel=0.05)
    assert [(option.kind, option.algorithm, option.instead_of) for option in found.options] == [
        ("allreduce", call.fastest, ("reduce_bcast",))
    ]


def test_the_option_saves_about_what_the_page_says(sandbox: Sandbox) -> None:
    """Nothing but the calls takes time here, and all ranks enter each at nearly one moment."""
    record, trace = _replayed(sandbox, "--coll", "allreduce=reduce_bcast")
    option = alternatives(record, trace).options[0]
    other = sandbox.replayed("it.trace", "--coll", f"allreduce={option.algorithm}")
    assert record.simulated_s - other["simulated_s"] == pytest.approx(option.saves_s, rel=0.2)


def test_communicators_whose_ranks_lie_alike_are_one_line_and_roots_are_not_told_apart(sandbox: Sandbox) -> None:
    """Four rows, each on a node, four columns over the nodes, and broadcasts from three roots."""
    run = sandbox.run(16, "rows_and_columns", options=("-o", "it.trace", "--platform", "graphene", "--compute", "none"))
    assert run.code == 0, run.err
    found = alternatives(read(sandbox.folder / "run.json"), sandbox.folder / "it.trace")
    assert {(call.kind, call.ranks, call.bytes, call.calls) for call in found.calls} == {
        ("bcast", 16, 512 * 1024, 3),
        ("allreduce", 4, 512 * 1024, 3),
        ("allgather", 4, 8 * 1024, 3),
    }
    on_a_node = next(call for call in found.calls if call.kind == "allreduce")
    same = o.collective("allreduce", ranks=4, sizes=512 * 1024, platform="graphene", progress=False)
    assert on_a_node.costs[on_a_node.chosen].time_s == same.table[0]["time_s"]
    assert found.left_out == []


def test_blocks_of_different_sizes_and_cheap_calls_are_left_out_and_named(sandbox: Sandbox) -> None:
    phases = "".join(f'[[phase]]\nkind = "bcast"\nbytes = {1024 * size}\n' for size in range(100, 110))
    record, trace = _replayed(sandbox, workload=f"ranks = 8\nsteps = 1\n{phases}")
    found = alternatives(record, trace)
    assert len(found.calls) == 8
    (cheaper,) = found.left_out
    assert cheaper.startswith("2 cheaper kinds of calls (")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("it.toml",), "several jobs share the platform"),
        (("--ideal",), "the network of model ideal costs nothing"),
    ],
)
def test_where_calls_cannot_be_simulated_the_page_says_why(
    sandbox: Sandbox, options: tuple[str, ...], said: str
) -> None:
    record, trace = _replayed(sandbox, *options)
    found = alternatives(record, trace)
    assert not found.calls
    assert found.why_none is not None
    assert said in found.why_none
    page = page_of_record(record, trace)
    titles = [part.title for part in page.parts]
    assert "What another algorithm would have cost" not in titles
    table = page.parts[titles.index("Algorithms of collective calls")]
    assert isinstance(table, Table)
    assert said in (table.note or "")


def test_ranks_that_the_program_started_are_a_reason_too(sandbox: Sandbox) -> None:
    run = sandbox.run(2, "spawn", options=("-o", "it.trace"))
    record = read(sandbox.folder / "run.json")
    assert run.code == 0, run.err
    assert "started ranks of its own" in (alternatives(record, sandbox.folder / "it.trace").why_none or "")


def test_a_page_has_a_line_for_each_call_and_its_verdict_says_what_to_try(sandbox: Sandbox) -> None:
    record, trace = _replayed(sandbox, "--coll", "allreduce=reduce_bcast")
    page = page_of_record(record, trace)
    (table,) = [part for part in page.parts if part.title == "What another algorithm would have cost"]
    assert isinstance(table, Table)
    assert [row[:4] for row in table.rows] == [["allreduce", 16, 1 << 20, 5]]
    assert len(table.rows[0]) == len(table.columns)
    assert "instead of reduce_bcast may save" in page.verdict
    best, _ = _replayed(sandbox, "--selector", "best")
    assert "may save" not in page_of_record(best, trace).verdict


def test_no_time_is_spent_beyond_the_limit(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    record, trace = _replayed(sandbox)
    monkeypatch.setattr(room, "MOST_S", 0.0)
    found = alternatives(record, trace)
    assert len(found.calls) + len(found.left_out) >= 1
    monkeypatch.setattr(room, "MOST_MESSAGES", 10)
    assert alternatives(record, trace).left_out == ["allreduce of 1 MiB, which would take too long"]
    (note,) = [
        part.note for part in page_of_record(record, trace).parts if part.title == "Algorithms of collective calls"
    ]
    assert "was not simulated: allreduce of 1 MiB, which would take too long." in (note or "")


def test_a_run_that_failed_has_no_alternatives(sandbox: Sandbox) -> None:
    record, trace = _replayed(sandbox)
    assert alternatives(replace(record, cause="rank 1 crashed"), trace).why_none == "the run did not come to its end"


def _sum(kind: str, size: int, comm: int = 0, ran: str = "ring", time_s: float = 1.0) -> CollectiveSum:
    return CollectiveSum(
        kind=kind, comm=comm, bytes=size, root=0, element=1, extent=0, commutative=True, built_in=True, in_place=False,
        ran=ran, calls=8, ranks=4, time_s=time_s,
    )  # fmt: skip


def test_what_has_no_counterpart_alone_is_left_out_with_its_share_of_the_run() -> None:
    """Four ranks that run for 10 s, and calls that take a second each, summed over ranks: 2.5 % of the run."""
    world = [0, 1, 2, 3]
    sums = CollectiveSums(
        sums=[
            _sum("alltoallv", -1),
            _sum("neighbor_alltoall", 8),
            _sum("bcast", 8, comm=1),
            _sum("allreduce", 8, comm=2),
            _sum("allgather", 8, ran=""),
            _sum("barrier", 0, comm=3),
            _sum("new_comm", 0),
            _sum("scan", 8, time_s=0.01),
            _sum("allreduce", 16),
        ],
        ranks=4,
        spawned=False,
        members={0: world, 1: world, 2: [], 3: [0]},
        between_groups=frozenset({1}),
    )
    kept, left_out = costly_calls(sums, [0, 0, 1, 1], 10.0)
    assert [(group.longest.kind, group.longest.bytes) for group in kept] == [("allreduce", 16)]
    assert left_out == [
        "alltoallv with blocks of different sizes (2.5% of the run)",
        "neighbor_alltoall among neighbours (2.5% of the run)",
        "bcast between two groups (2.5% of the run)",
        "allreduce of a communicator whose ranks are not known (2.5% of the run)",
        "allgather by an algorithm that is not known (2.5% of the run)",
    ]


def test_calls_are_alike_where_ranks_share_nodes_alike() -> None:
    """Two rows on a node each, and a column over both nodes; a call of each comes from two roots."""
    rows = [_sum("bcast", 8, comm=1, time_s=3.0), _sum("bcast", 8, comm=2), _sum("bcast", 8, comm=3)]
    other_root = [row._replace(root=1) for row in rows]
    sums = CollectiveSums(
        sums=[row._replace(ranks=2, calls=4) for row in [*rows, *other_root]],
        ranks=4,
        spawned=False,
        members={1: [0, 1], 2: [2, 3], 3: [0, 2]},
        between_groups=frozenset(),
    )
    kept, left_out = costly_calls(sums, [7, 7, 9, 9], 10.0)
    assert [(group.where, group.calls, group.ranks, group.time_s) for group in kept] == [
        ([7, 7], 16, 4, 8.0),
        ([7, 9], 8, 2, 2.0),
    ]
    assert left_out == []


def _cost(time_s: float, *others_s: float) -> Cost:
    """`others_s`: of further replicas."""
    return Cost(time_s, 1, 1, (time_s, *others_s) if others_s else ())


def _call(size: int, chosen: str, **costs: Cost) -> CostlyCall:
    return CostlyCall(kind="allreduce", ranks=8, bytes=size, calls=10, time_s=1.0, chosen=chosen, costs=costs)


def test_an_option_is_for_all_sizes_of_its_collective() -> None:
    """Ring saves 10 * 2 s of the large call and loses 10 * 0.5 s of the small one; tree loses more than it saves."""
    small = _call(8, "tree", ring=_cost(1.0), tree=_cost(0.5))
    large = _call(1 << 20, "flat", ring=_cost(1.0), tree=_cost(2.8), flat=_cost(3.0))
    (option,) = Alternatives(calls=[large, small]).options
    assert (option.algorithm, option.saves_s, option.instead_of) == ("ring", 15.0, ("flat", "tree"))
    assert Alternatives(calls=[small]).options == []  # what ran is the fastest


def test_a_difference_within_the_noise_of_the_platform_saves_nothing() -> None:
    call = _call(8, "tree", ring=_cost(1.0, 0.9, 1.1), tree=_cost(1.05, 1.2, 1.0), flat=_cost(2.0, 1.9, 2.1))
    assert call.saves_s("ring") == 0
    assert call.saves_s("flat") == pytest.approx(-9.5)
    assert call.fastest == "tree"


def test_the_sentence_names_a_command_that_can_be_typed(sandbox: Sandbox) -> None:
    record, trace = _replayed(sandbox)
    found = Alternatives(calls=[_call(8, "tree", ring=_cost(1.0), tree=_cost(2.0))])
    replayed = replace(record, simulated_s=100.0, command=["replay", "it.trace"])
    said = "Allreduce by ring instead of tree may save 10%: "
    beside = ", beside the other options of this replay."
    assert choices_sentence(replayed, found, None) == f"{said}orrery replay it.trace --coll allreduce=ring{beside}"
    other = replace(replayed, coll="bcast=hierarchical(levels=node,inner=binomial),allreduce=tree")
    assert choices_sentence(other, found, None) == (
        f"{said}orrery replay it.trace --coll 'bcast=hierarchical(levels=node,inner=binomial),allreduce=ring'{beside}"
    )
    run = replace(replayed, start="fork", command=["./x"])
    assert choices_sentence(run, found, trace) == f"{said}orrery replay {trace} --coll allreduce=ring"
    assert choices_sentence(run, found, None).endswith(
        "orrery replay FILE.trace --coll allreduce=ring, once the run is recorded (-o FILE.trace)."
    )
    assert choices_sentence(replace(run, simulated_s=1000.0), found, None) == ""  # 1 %
