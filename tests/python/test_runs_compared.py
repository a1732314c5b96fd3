# SPDX-License-Identifier: BSD-3-Clause
"""Runs compared: calls that are aligned, intervals, what makes the difference; and selectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Sandbox
from orrery.comparison.alignment import Alignment, align
from orrery.comparison.calls import RankCalls
from orrery.comparison.pieces import pieces_of
from orrery.comparison.runs import compare_runs
from orrery.comparison.sample import CallsRow, RunSample, WaitTotal, sample_of_trace
from orrery.comparison.sides import common_kind, divided
from orrery.errors import InputError
from orrery.noise.basis import NoiseBasis, TimedSide
from orrery.noise.student import student

_NAMES = {1: "MPI_Send", 2: "MPI_Recv", 3: "MPI_Test", 4: "MPI_Allreduce"}


def _calls(routines: list[int], lengths_ns: list[int] | None = None, **own: list[int]) -> RankCalls:
    """Calls with 10 ns between them."""
    number = len(routines)
    lengths = lengths_ns or [10] * number
    ends = np.cumsum(np.array(lengths, dtype=np.int64) + 10) if number else np.zeros(0, dtype=np.int64)
    columns: dict[str, Any] = {
        name: np.zeros(number, dtype=np.int64) for name in ("bytes", "peer", "tag", "comm", "site")
    }
    columns |= {name: np.array(values, dtype=np.int64) for name, values in own.items()}
    return RankCalls(
        begin_ns=ends - np.array(lengths, dtype=np.int64),
        end_ns=ends,
        routine=np.array(routines, dtype=np.int64),
        waited_ns=np.zeros((3, number), dtype=np.int64),
        **columns,
    )


def _aligned(first: list[int], second: list[int]) -> Alignment:
    return align([_calls(first)], [_calls(second)], (_NAMES, _NAMES))


def _longest_common(a: list[int], b: list[int]) -> int:
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            best[i + 1][j + 1] = best[i][j] + 1 if left == right else max(best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


_few = st.lists(st.sampled_from([1, 2, 4]), max_size=30)


@given(_few, _few)
def test_as_many_calls_as_can_find_a_partner_in_their_order(first: list[int], second: list[int]) -> None:
    found = _aligned(first, second)
    (pairs,) = found.pairs
    a, b = pairs.first.tolist(), pairs.second.tolist()
    assert [first[i] for i in a] == [second[j] for j in b]
    assert a == sorted(set(a))
    assert b == sorted(set(b))
    assert len(a) == found.calls == _longest_common(first, second)
    assert sum(found.alone[0].values()) == len(first) - len(a)
    assert sum(found.alone[1].values()) == len(second) - len(b)


def test_where_very_much_differs_calls_are_counted() -> None:
    draw = np.random.default_rng(1)
    first = draw.integers(1, 3, 4000).tolist()
    second = draw.integers(1, 3, 3000).tolist()
    (pairs,) = _aligned(first, second).pairs
    assert len(pairs.first) > 1500
    assert (np.diff(pairs.first) > 0).all()
    assert (np.diff(pairs.second) > 0).all()
    assert (np.array(first)[pairs.first] == np.array(second)[pairs.second]).all()


def test_polls_have_no_partners_and_are_none_that_lack_one() -> None:
    found = _aligned([1, 3, 3, 3, 2], [1, 3, 2])
    assert found.calls == 2
    assert found.alone == ({}, {})


def test_of_another_number_of_ranks_the_routine_alone_counts() -> None:
    first = [_calls([1, 2], peer=[1, 1]), _calls([2, 1], peer=[0, 0])]
    second = [_calls([1, 2], peer=[3, 3]), _calls([2, 1], peer=[2, 2]), _calls([1], peer=[0])]
    found = align(first, second, (_NAMES, _NAMES))
    assert found.by == "routine"
    assert found.calls == 4
    assert found.alone == ({}, {"MPI_Send": 1})


def test_pieces_add_up_to_the_run() -> None:
    draw = np.random.default_rng(2)
    sides = []
    for _ in range(2):
        lengths = draw.integers(5, 50, (2, 100)).tolist()
        sides.append([_calls([1, 2] * 50, own) for own in lengths])
    alignment = align(sides[0], sides[1], (_NAMES, _NAMES))
    both = pieces_of(alignment, (sides[0], sides[1]), (_NAMES, _NAMES))
    assert both is not None
    for side, pieces in zip(sides, both, strict=True):
        whole_s = np.mean([own.over_ns for own in side]) / 1e9
        assert pieces.total_s.sum() == pytest.approx(whole_s)
        assert sum(times.sum() for times in pieces.routines_s.values()) == pytest.approx(whole_s)
        sends_s = np.mean([own.length_ns[own.routine == 1].sum() for own in side]) / 1e9
        assert pieces.routines_s["MPI_Send"].sum() == pytest.approx(sends_s)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (3, 3.18245), (9, 2.26216), (30, 2.04227), (1e6, 1.95997)]
)
def test_quantiles_of_student(freedom: float, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, rel=1e-5)


@pytest.mark.parametrize("kind", ["pieces", "separate", "pairs"])
def test_intervals_hold_in_nineteen_of_twenty(kind: Any) -> None:
    draw = np.random.default_rng(3)
    held = 0
    for _ in range(400):
        first, second = draw.normal(1.0, 0.1, 12), draw.normal(1.3, 0.1, 12)
        ratios = NoiseBasis(kind, "").ratios(first.tolist(), second.tolist())
        assert ratios is not None
        held += ratios[0] <= 1.3 <= ratios[1]
        found = NoiseBasis(kind, "").difference(first.tolist(), second.tolist())
        assert found is not None
        assert found[0] < (second - first).sum() / (1 if kind == "pieces" else 12) < found[1]
    assert 0.91 <= held / 400 <= (1 if kind == "pieces" else 0.985)


def test_pieces_that_hang_together_make_a_wider_interval() -> None:
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        error = draw.normal(0, 0.1, 20)
        for i in range(1, 20):
            error[i] += 0.5 * error[i - 1]
        first = np.full(20, 1.0)
        ratios = NoiseBasis("pieces", "").ratios(first.tolist(), (1.3 * first + error).tolist())
        assert ratios is not None
        held += ratios[0] <= 1.3 <= ratios[1]
    assert held / 300 >= 0.93


def _sample(
    name: str, total_s: float, rows: list[CallsRow], waits: list[WaitTotal] | None = None, ranks: int = 8
) -> RunSample:
    return RunSample(
        name=name, kind="trace", timed=TimedSide(time_s=total_s, simulated=False), ranks=ranks, rank_s=[total_s] * ranks, rows=rows,
        waits=waits or [],
    )  # fmt: skip


def _rows(wait_s: dict[int, float], ranks: int = 8) -> list[CallsRow]:
    rows = [CallsRow(rank, ".application", None, None, "", 1, 1.0, (0.0, 0.0, 0.0)) for rank in range(ranks)]
    for rank in range(ranks):
        late = wait_s.get(rank, 0.0)
        rows.append(CallsRow(rank, "MPI_Wait", 0, 0, "", 10, 0.1 + late, (late, 0.0, 0.0)))
    return rows


def test_the_sentence_names_routine_ranks_cause_and_place() -> None:
    waits = [
        WaitTotal(3, "MPI_Wait", "late sender", 5, "solve.f90:412", 0.8),
        WaitTotal(7, "MPI_Wait", "late sender", 5, "solve.f90:412", 0.9),
    ]
    first = [_sample("A", total_s, _rows({})) for total_s in (1.1, 1.12, 1.09)]
    second = [_sample("B", total_s, _rows({3: 0.8, 7: 0.9}), waits) for total_s in (2.0, 2.02, 2.03)]
    found = compare_runs(first, second)
    said = found.sentence
    assert found.verdict == "apart"
    assert said.startswith("the second takes 1.84 (1.7")
    assert (
        "100% of the difference is in MPI_Wait of ranks 3 and 7, behind late senders in solve.f90:412, for rank 5"
        in said
    )
    assert "3 and 3 runs, too few for a test of ranks" in said
    assert found.p_value is None
    assert found.where is not None
    assert found.where.change_s == pytest.approx((0.8 + 0.9) / 8)


def test_what_is_within_noise_is_said_so_and_no_cause_is_named() -> None:
    first = [_sample("A", total_s, _rows({})) for total_s in (1.1, 1.3, 1.2)]
    second = [_sample("B", total_s, _rows({3: 0.1})) for total_s in (1.15, 1.31, 1.22)]
    found = compare_runs(first, second)
    assert found.verdict == "within noise"
    assert "MPI_Wait" not in found.sentence


def test_enough_runs_are_told_apart_by_ranks_as_repeated_runs_are() -> None:
    quick, slow = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5], [1.5, 1.6, 1.7, 1.8, 1.9, 2.0]
    found = compare_runs(
        [_sample("A", time_s, _rows({})) for time_s in quick], [_sample("B", time_s, _rows({})) for time_s in slow]
    )
    assert found.verdict == "apart"
    assert found.p_value == pytest.approx(4 / 924)
    assert "6 and 6 runs; p = 0.0043 (Mann-Whitney test; 0.05 or less is more than noise)." in found.sentence


def test_pairs_see_what_runs_apart_do_not() -> None:
    times = [1.0, 1.5, 2.0, 2.5]
    first = [_sample("A", time_s, _rows({})) for time_s in times]
    second = [_sample("B", time_s * 1.05, _rows({3: 0.1})) for time_s in times]
    assert compare_runs(first, second).verdict == "within noise"
    found = compare_runs(first, second, paired=True)
    assert found.verdict == "apart"
    assert (found.ratio_interval or (0, 0))[0] == pytest.approx(1.05)


def test_sides_are_two_or_divided_by_vs() -> None:
    assert divided(["a", "b"]) == (["a"], ["b"])
    assert divided(["a", "b", "vs", "c"]) == (["a", "b"], ["c"])
    for wrong in (["a"], ["a", "b", "c"], ["vs", "a"], ["a", "vs"], ["a", "vs", "b", "vs", "c"]):
        with pytest.raises(InputError, match=r"vs|expected two"):
            divided(wrong)


def test_what_is_not_of_one_kind_is_refused(tmp_path: Path) -> None:
    assert common_kind(["openmpi-4.1"], ["mpich-4.0"]) == "selector"
    assert common_kind(["graphene"], ["qcg"]) == "platform"
    with pytest.raises(InputError, match=r"graphene is a platform, openmpi-4\.1 is a selector"):
        common_kind(["graphene"], ["openmpi-4.1"])
    with pytest.raises(InputError, match="no such file, selector or platform") as refused:
        common_kind([str(tmp_path / "none.json")], ["graphene"])
    selectors = str(refused.value).partition("selectors (")[2]
    assert selectors.startswith("default, mpich-")
    assert "graphene" not in selectors
    with pytest.raises(InputError, match=r'did you mean "graphene"\?$'):
        common_kind(["grafene"], ["qcg"])
    with pytest.raises(InputError, match="compare two platforms at a time"):
        common_kind(["graphene", "qcg"], ["default"])


def _record(sandbox: Sandbox) -> None:
    """Two runs of one program: in b.trace rank 2 comes late to the sends that rank 0 waits for."""
    for name, late_us in (("a", 1), ("b", 400)):
        done = sandbox.run(3, "late_sender", str(late_us), options=("-o", f"{name}.trace", "--compute", "none"))
        assert done.code == 0, done.err


def test_two_traces_by_the_command(sandbox: Sandbox) -> None:
    _record(sandbox)
    done = sandbox.orrery("compare", "a.trace", "b.trace", "--json", "--report", "ab.html")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["aligned"]["calls"] == 163  # the ends of three ranks among them
    assert found["aligned"]["alone"] == [{}, {}]
    assert found["ratio"] > 2
    assert found["verdict"] == "apart"
    low, high = found["ratio_interval"]
    assert low <= found["ratio"] <= high
    receives = {row["names"][1]: row for row in found["causes"] if row["names"][0] == "MPI_Recv"}
    assert receives["late sender"]["change_s"] > 10 * abs(receives["transfer"]["change_s"])
    assert {row["names"][0] for row in found["per_rank"]} == {"0", "1", "2"}
    page = (sandbox.folder / "ab.html").read_text()
    assert "takes" in page
    text = sandbox.orrery("compare", "a.trace", "b.trace", "--per-rank").out
    assert "163 of 163 calls" in text
    assert "routine and cause" in text


def test_what_was_cut_off_is_compared_as_what_there_is(sandbox: Sandbox) -> None:
    _record(sandbox)
    whole = (sandbox.folder / "a.trace").read_bytes()
    (sandbox.folder / "cut.trace").write_bytes(whole[: len(whole) * 19 // 20])
    for sides in (("cut.trace", "a.trace"), ("a.trace", "cut.trace")):
        done = sandbox.orrery("compare", *sides)
        assert done.code == 1
        assert done.out.startswith("cut.trace is not complete: the calls of ")
        assert "times as long" not in done.out.splitlines()[0]
    assert json.loads(sandbox.orrery("compare", "cut.trace", "a.trace", "--json").out)["verdict"] == "unknown"


def test_repeats_of_which_the_last_was_interrupted_are_compared_and_the_exit_code_says_so(sandbox: Sandbox) -> None:
    assert sandbox.run(2, "hello", options=("--repeat", "3")).code == 0
    record = json.loads((sandbox.folder / "run.json").read_text())
    ended = {**record, "end": "interrupted", "cause": "interrupted", "repeats_s": record["repeats_s"][:2]}
    (sandbox.folder / "cut.json").write_text(json.dumps(ended))
    for files in (("run.json", "cut.json"), ("run.json", "run.json", "vs", "cut.json", "cut.json")):
        compared = sandbox.orrery("compare", *files)
        assert compared.code == 1, compared.err
        assert "mean per rank" in compared.out  # what is known is there
    assert sandbox.orrery("compare", "run.json", "run.json").code == 0


def test_profiles_of_tau_go_with_traces(sandbox: Sandbox) -> None:
    _record(sandbox)
    for name in ("a", "b"):
        assert sandbox.orrery("profile", f"{name}.trace", "-o", f"{name}.tau").code == 0
    of_traces = json.loads(sandbox.orrery("compare", "a.trace", "b.trace", "--json").out)
    for first, second in (("a.tau", "b.tau"), ("a.trace", "b.tau")):
        found = json.loads(sandbox.orrery("compare", first, second, "--json").out)
        receives = [
            next(row for row in comparison["routines"] if row["names"] == ["MPI_Recv"])
            for comparison in (found, of_traces)
        ]
        for key in ("first_calls", "second_calls", "first_s", "second_s"):
            assert receives[0][key] == pytest.approx(receives[1][key], rel=1e-3)
        assert found["where"]["routine"] == of_traces["where"]["routine"]


def test_selectors_by_the_command(sandbox: Sandbox) -> None:
    command = ["compare", "selectors", "openmpi-4.1", "mpich-4.0", "-n", "8", "-s", "8,64KiB", "--collective", "allreduce",
               "--collective", "bcast"]  # fmt: skip
    found = json.loads(sandbox.orrery(*command, "--json").out)
    assert [(call["collective"], call["bytes"]) for call in found["calls"]] == [
        ("allreduce", 8), ("allreduce", 65536), ("bcast", 8), ("bcast", 65536)
    ]  # fmt: skip
    for call in found["calls"]:
        if call["first"] == call["second"]:
            assert call["ratio"] == 1
    assert found["sentence"] in sandbox.orrery(*command).out.splitlines()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["compare", "graphene", "qcg", "--per-rank"], "is for runs; graphene is a platform"),
        (["compare", "openmpi-4.1", "mpich-4.0"], "is a selector: orrery compare selectors openmpi-4.1 mpich-4.0"),
        (["compare", "openmpi-4.1", "mpich-4.0", "-n", "4"], "-n: now `orrery compare selectors A B`"),
        (["compare", "selectors", "graphene", "openmpi-4.1"], "graphene is a platform: orrery compare graphene"),
        (["compare", "openmpi-4.1"], "expected two"),
    ],
)
def test_options_that_do_not_act_are_refused(sandbox: Sandbox, command: list[str], said: str) -> None:
    done = sandbox.orrery(*command)
    assert done.code == 2
    assert said in done.err


def test_replays_of_schedules_name_routines(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.goal").write_text(
        "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n"
    )
    assert sandbox.orrery("replay", "a.goal", "-o", "a.trace").code == 0
    done = sandbox.orrery("compare", "a.trace", "a.trace")
    assert done.code == 0, done.err
    assert "MPI_Isend" in done.out


def test_a_schedule_is_no_run(sandbox: Sandbox) -> None:
    (sandbox.folder / "a.goal").write_text("num_ranks 1\nrank 0 {\na: calc 1\n}\n")
    done = sandbox.orrery("compare", "a.goal", "a.goal")
    assert done.code == 2
    assert "a.goal" in done.err
    assert "Traceback" not in done.err


def test_sends_to_nobody_are_counted_once(sandbox: Sandbox) -> None:
    """Ranks at the edges of the grid send to MPI_PROC_NULL, which a trace only counts, and to others, which are operations."""
    assert sandbox.run(4, "heat2d", "64", "5", options=("-o", "heat.trace")).code == 0
    found = sample_of_trace(sandbox.folder / "heat.trace", "heat")
    assert sum(row.calls for row in found.rows if (row.rank, row.routine) == (0, "MPI_Isend")) == 20
    for rank in range(found.ranks):
        assert sum(row.time_s for row in found.rows if row.rank == rank) == pytest.approx(found.rank_s[rank])


def test_calls_of_a_trace_say_for_whom_they_waited(sandbox: Sandbox) -> None:
    _record(sandbox)
    found = sample_of_trace(sandbox.folder / "b.trace", "b")
    for rank in range(found.ranks):
        own_s = sum(row.time_s for row in found.rows if row.rank == rank)
        assert own_s == pytest.approx(found.rank_s[rank])
    behind = {(wait.rank, wait.by, wait.cause, wait.place) for wait in found.waits}
    assert (0, 2, "late sender", "MPI_Send") in behind
