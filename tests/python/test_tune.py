# SPDX-License-Identifier: BSD-3-Clause
"""Tuning: what is simulated, how few rules are made of it, what is measured, and what the command says."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import exp, inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import Sandbox, until
from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.real import RealLibrary
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import TimedLoop, timed, with_barrier
from orrery.errors import InputError
from orrery.evidence.statement import Statement
from orrery.real_mpi.compiled import build
from orrery.rules import MOST_BYTES
from orrery.tune.beliefs import Beliefs, Knowledge
from orrery.tune.check import CheckResult
from orrery.tune.choose import ChoiceCriteria, rules_of
from orrery.tune.compress import compress
from orrery.tune.forced import forced
from orrery.tune.library import LIBRARIES, AlgorithmVariant, Library, library, library_of
from orrery.tune.measuring import LoopSample, run_loops, times_of
from orrery.tune.offers import offers_of
from orrery.tune.program import TunedProgram, as_they_arrive
from orrery.tune.rounds import GainInterval, Rounds
from orrery.tune.rules import RuleRow, variant_of
from orrery.tune.search import CellTimes, Loop, SearchScope, search
from orrery.tune.session import TuningSettings, cases_of, tune
from orrery.tune.settings import TuningRequest
from orrery.tune.unsure import batch, exhaustive
from real_mpis import MPIS, tool

OPENMPI = library("openmpi-4.1")


def _cell(size: int, times: dict[str, float], *, kind: str = "bcast", ranks: int = 8) -> CellTimes:
    """`own` is the library's own choice, which settings cannot name here."""
    variants = {name: AlgorithmVariant(name=name, ours=name) for name in times if name != "own"}
    return CellTimes(case=LoopCase(kind, ranks, size), default="own", times=times, variants=variants)


def _chosen(variant: AlgorithmVariant | None) -> str:
    return "own" if variant is None else variant.ours


def _names(rows: Sequence[RuleRow], cell: CellTimes) -> str:
    return _chosen(variant_of(rows, *cell.case))


def _choosing(
    cells: Sequence[CellTimes], measured: Mapping[Loop, Rounds] | None = None, **choosing: object
) -> ChoiceCriteria:
    beliefs = Beliefs(cells, Knowledge(measured or {}, Statement("good", "undisturbed", 0.0, ((inf, 0.05),))))
    return ChoiceCriteria(beliefs=beliefs, **choosing)  # type: ignore[arg-type]


def _rules(
    cells: Sequence[CellTimes], measured: Mapping[Loop, Rounds] | None = None, **choosing: object
) -> tuple[RuleRow, ...]:
    return rules_of(cells, _choosing(cells, measured, **choosing))


def _loop(cell: CellTimes, name: str) -> Loop:
    return Loop(*cell.case, name)


def test_a_bend_in_the_sizes_becomes_one_rule() -> None:
    cells = [_cell(1 << n, {"own": 10.0, "tree": 5.0 if n < 6 else 20.0}) for n in range(3, 12)]
    rows = _rules(cells)
    assert [_names(rows, cell) for cell in cells] == ["tree"] * 3 + ["own"] * 6
    (row,) = rows
    assert [band.variant is None for band in row.bands] == [True, False, True]
    assert row.bands[1].bytes_from == 8
    assert 32 <= row.bands[1].bytes_to < 64


def test_noise_keeps_the_librarys_own_choice() -> None:
    assert _rules([_cell(1 << n, {"own": 10.0, "tree": 9.7}) for n in range(8)]) == ()
    assert _rules([_cell(1 << n, {"own": 10.0, "tree": 9.7}) for n in range(8)], least_gain=0.01) != ()


def test_few_rules_cost_at_most_two_per_cent() -> None:
    """The quickest changes from size to size between two that are alike: one of them is enough."""
    cells = [_cell(1 << n, {"own": 10.0, "a": 5.0 if n % 2 else 5.1, "b": 5.1 if n % 2 else 5.0}) for n in range(3, 20)]
    (row,) = _rules(cells)
    assert len([band for band in row.bands if band.variant is not None]) == 1


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(1.0, 20.0), min_size=1), min_size=1, max_size=12))
def test_rules_cover_all_sizes_once_and_regret_little(times: list[dict[str, float]]) -> None:
    cells = [_cell(4 << n, {"own": 10.0, **more}) for n, more in enumerate(times)]
    rows = _rules(cells)
    for row in rows:
        assert row.bands[0].bytes_from == 0
        assert row.bands[-1].bytes_to == MOST_BYTES
        assert all(after.bytes_from == before.bytes_to + 1 for before, after in pairwise(row.bands))
        assert all(before.variant != after.variant for before, after in pairwise(row.bands))
    chosen = [cell.times[_names(rows, cell)] for cell in cells]
    least = [min(cell.times.values()) for cell in cells]
    regret = sum(time_s / best - 1 for time_s, best in zip(chosen, least, strict=True)) / len(cells)
    assert regret <= 0.02 + 0.05  # few rules, and what is not worth one


def test_weights_decide_where_few_rules_must() -> None:
    cells = [_cell(64, {"own": 10.0, "a": 1.0}), _cell(128, {"own": 10.0, "a": 10.5})]
    heavy = {cells[0].case: 0.0001, cells[1].case: 1.9999}
    assert _names(compress(cells, _choosing(cells).time_s, weights=heavy), cells[0]) == "own"
    assert _names(_rules(cells), cells[0]) == "a"


def test_equal_rows_of_neighbouring_ranks_are_one_and_remember_their_counts() -> None:
    cells = [_cell(64, {"own": 10.0, "a": 1.0}, ranks=ranks) for ranks in (4, 8, 16)]
    (row,) = _rules(cells)
    assert (row.ranks_from, row.ranks_to, row.counts) == (4, 16, (4, 8, 16))


def test_what_was_measured_counts_in_every_round() -> None:
    cell = _cell(64, {"own": 10.0, "b": 2.0})
    own, b = _loop(cell, "own"), _loop(cell, "b")
    assert _names(_rules([cell], {own: Rounds({0: 4.0}), b: Rounds({0: 2.0})}), cell) == "b"
    assert _rules([cell], {own: Rounds({0: 4.0}), b: Rounds({0: 5.0})}) == ()
    assert _rules([cell], {own: Rounds({0: 4.0, 1: 4.0}), b: Rounds({0: 2.0, 1: 4.1})}) == ()
    assert _rules([cell], own_only=frozenset([cell.case])) == ()


def test_what_is_far_quicker_is_chosen_without_a_measurement() -> None:
    """A measurement of another algorithm does not take it out; what is only a little quicker is too uncertain."""
    cell = _cell(65536, {"own": 10.0, "far": 1.0, "near": 9.0, "slow": 12.0})
    measured = {_loop(cell, "own"): Rounds({0: 10.1}), _loop(cell, "slow"): Rounds({0: 12.0})}
    assert _names(_rules([cell], measured), cell) == "far"
    close = _cell(4, {"own": 10.0, "near": 9.0})
    assert _names(_rules([close]), close) == "near"
    assert _names(_rules([cell, close], measured), close) == "own"


def test_an_algorithm_that_disappoints_is_mistrusted_at_other_sizes() -> None:
    cells = [_cell(size, {"own": 10.0, "a": 5.0, "b": 6.0}) for size in (16384, 32768)]
    assert [_names(_rules(cells), cell) for cell in cells] == ["a", "a"]
    measured = {_loop(cells[0], name): Rounds({0: time_s}) for name, time_s in (("own", 10.0), ("a", 15.0), ("b", 6.0))}
    beliefs = _choosing(cells, measured).beliefs
    there, elsewhere = (beliefs.of(cell) for cell in cells)
    assert (exp(there.mean("a")), there.spread("own", "a")) == pytest.approx((15.0, 0.0))
    assert 7.0 < exp(elsewhere.mean("a")) < 15.0
    assert exp(elsewhere.mean("b")) == pytest.approx(6.0, rel=0.2)
    assert elsewhere.spread("own", "b") < _choosing(cells).beliefs.of(cells[1]).spread("own", "b")
    assert [_names(_rules(cells, measured), cell) for cell in cells] == ["b", "b"]


def test_numbers_between_those_that_were_tuned_have_rules_of_their_own() -> None:
    """`a` is for powers of two: simulated on 6 ranks, it is slower there."""
    cells = [
        _cell(64, {"own": 10.0, "a": 1.0, "b": 5.0} if ranks != 6 else {"own": 10.0, "a": 30.0, "b": 5.0}, ranks=ranks)
        for ranks in (4, 6, 8)
    ]
    rows = rules_of(cells, _choosing(cells, between=frozenset([6])))
    assert [(row.ranks_from, row.ranks_to, row.counts) for row in rows] == [(4, 4, (4,)), (5, 7, (5,)), (8, 8, (8,))]
    assert [_chosen(variant_of(rows, "bcast", ranks, 64)) for ranks in range(4, 9)] == ["a", "b", "b", "b", "a"]
    alike = [_cell(64, {"own": 10.0, "a": 1.0}, ranks=ranks) for ranks in (4, 6, 8)]
    (row,) = rules_of(alike, _choosing(alike, between=frozenset([6])))
    assert (row.ranks_from, row.ranks_to, row.counts) == (4, 8, (4, 5, 8))


def test_a_tuning_gives_numbers_in_between_the_rules_of_their_middle() -> None:
    """5 and 7 ranks have the rule of 6, which is simulated, and not that of 4."""
    cases = cases_of(["bcast"], [4, 8], [1024, 65536], OPENMPI)
    tuned = tune(
        TuningSettings(request=TuningRequest(platform="graphene"), library=OPENMPI, cases=cases), _quiet, _quiet
    ).tuned
    by_ranks = [[_chosen(tuned.variant("bcast", ranks, size)) for size in (1024, 65536)] for ranks in (4, 5, 6, 7, 8)]
    assert by_ranks[1] == by_ranks[2] == by_ranks[3] != by_ranks[0]


def _quiet(*_: object) -> None:
    pass


@pytest.mark.parametrize(
    ("first", "second", "own", "limit"),
    [
        ("a", "own", lambda size: "x" if size < 600 else "y", 599),
        ("own", "a", lambda size: "x" if size < 200 else "y", 199),
        ("a", "own", lambda _: "x", 256),
        ("a", "b", lambda size: "x" if size < 600 else "y", 256),
    ],
    ids=["rule-own", "own-rule", "own-is-the-same", "two-rules"],
)
def test_a_rule_ends_where_the_librarys_own_choice_changes(
    first: str, second: str, own: Callable[[int], str], limit: int
) -> None:
    cells = [
        _cell(size, {"own": 5.0, "a": 9.0, "b": 9.0} | {best: 1.0}) for size, best in ((64, first), (1024, second))
    ]
    rows = rules_of(cells, _choosing(cells), lambda case: own(case.bytes))
    assert [_chosen(variant_of(rows, "bcast", 8, size)) for size in (64, limit)] == [first, first]
    assert [_chosen(variant_of(rows, "bcast", 8, size)) for size in (limit + 1, 1024)] == [second, second]


def test_gains_are_of_rounds_that_both_have() -> None:
    gain = GainInterval.of(Rounds({0: 2.0, 1: 4.0, 2: 8.0}), Rounds({0: 1.0, 1: 2.0, 2: 4.0}))
    assert (gain.gain, gain.low, gain.high) == pytest.approx((2.0, 2.0, 2.0))
    assert gain.holds
    noisy = GainInterval.of(Rounds({0: 2.0, 1: 1.0}), Rounds({0: 1.0, 1: 1.0}))
    assert noisy.low < 1 < noisy.high
    assert not noisy.holds
    assert not GainInterval.of(Rounds({0: 2.0}), Rounds({0: 1.0})).holds
    checked = CheckResult(cells={LoopCase("bcast", 2, 8): gain, LoopCase("bcast", 2, 16): noisy})
    assert checked.fell == {LoopCase("bcast", 2, 16)}


def _batch(
    cells: Sequence[CellTimes], limit: int, measured: Mapping[Loop, Rounds] | None = None
) -> list[tuple[int, str]]:
    wanted = batch(cells, _choosing(cells, measured), limit)
    return [(loop.case.bytes, "own" if loop.variant is None else loop.variant.ours) for loop in wanted]


def test_what_may_be_quicker_is_measured_first_and_never_too_much() -> None:
    close = _cell(65536, {"own": 1.0, "a": 0.95, "b": 8.0})
    clear = _cell(131072, {"own": 1.0, "a": 0.01})
    assert _batch([clear, close], 2) == [(65536, "own"), (65536, "a")]
    everything = _batch([clear, close], 100)
    assert len(everything) <= exhaustive([clear, close]) == 5
    assert (65536, "b") not in everything
    known = {_loop(close, name): Rounds({0: time_s}) for name, time_s in (("own", 1.0), ("a", 0.9))}
    assert _batch([close], 100, known) == []


def test_close_ones_are_measured_even_if_all_are_far_from_the_librarys_own_choice() -> None:
    cell = _cell(65536, {"own": 10.0, "a": 1.0, "b": 1.02, "c": 9.5})
    wanted = [name for _, name in _batch([cell], 100)]
    assert {"a", "b"} <= set(wanted)
    assert "c" not in wanted


def test_algorithms_that_send_the_same_are_measured_one_at_a_time() -> None:
    cell = _cell(1024, {"own": 1.0, "a": 0.95, "b": 0.95})
    assert len(_batch([cell], 100)) == 2


def test_time_in_a_program_decides_what_is_measured() -> None:
    cells = [_cell(size, {"own": 1.0, "a": 0.95}) for size in (65536, 131072)]
    weights = {cells[0].case: 0.0, cells[1].case: 2.0}
    wanted = batch(cells, _choosing(cells, weights=weights), 100)
    assert {loop.case.bytes for loop in wanted} == {131072}


def test_times_are_without_the_barrier_of_the_same_round(tmp_path: Path) -> None:
    kept = LoopStore(tmp_path / "kept.csv", "x", LoopSample)
    kept.begin()
    case = LoopCase("bcast", 4, 64)
    for number, (barrier, turn) in enumerate([(1.0, 3.0), (2.0, 6.0)]):
        kept.add(LoopSample("barrier", 4, 0, "", number), TimedLoop(10, barrier, 0.0))
        kept.add(LoopSample(*case, "hierarchical(levels=site+node,inner=ring)", number), TimedLoop(10, turn, 0.0))
    found = times_of(kept, {case: "linear", LoopCase("barrier", 4, 0): "bruck"})
    assert found[Loop(*case, "hierarchical(levels=site+node,inner=ring)")].times == {0: 2.0, 1: 4.0}
    assert found[Loop("barrier", 4, 0, "bruck")].median_s == 1.5


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_variant_is_one_that_the_selector_can_be_told(name: str) -> None:
    own = library(name)
    for kind in own.kinds:
        call = LoopCase(kind, 8, 4096)
        if kind not in ("alltoallv", "allgatherv"):
            whole = call.call.core(0, _core.Places.of_nodes(list(range(8))))
            variants = own.variants(whole, kind, 4096, [1024])
            assert variants, kind
            for variant in variants:
                chosen = _core.Selector(name, f"{kind}={variant.ours}").choose(whole)
                assert chosen.name == variant.ours
                assert forced(own, kind, variant)


def test_a_release_has_its_own_algorithms() -> None:
    whole = LoopCase("allgather", 8, 64).call.core(0)
    names = {
        release: {variant.name for variant in library(release).variants(whole, "allgather", 64, [])}
        for release in LIBRARIES
    }
    assert names["openmpi-5.0"] - names["openmpi-4.1"] == {"sparbit"}
    assert names["mpich-4.0"] < names["mpich-5.0"]
    with pytest.raises(InputError, match=r"there are: openmpi-4\.1"):
        library("lam")


def test_what_is_found_is_the_loop_without_its_barrier() -> None:
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        (found,) = search([LoopCase("bcast", 8, 4096)], SearchScope(library=OPENMPI), laboratory)
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        selector = _core.Selector("openmpi-4.1", "bcast=pipeline:segment=1KiB")
        turn = timed(with_barrier(found.case.call), laboratory, selector, warm=2).mean_s
        fence = timed(with_barrier(LoopCase("barrier", 8, 0).call), laboratory, selector, warm=2).mean_s
    assert found.times["pipeline:segment=1KiB"] == pytest.approx(turn - fence, rel=1e-3)
    assert found.default == "binary_tree"
    assert found.times[found.best] == min(found.times.values())


def test_algorithms_that_need_commuting_operations_are_left_out_where_that_is_asked() -> None:
    laboratory = Laboratory("graphene", None, "node", said=False)
    with laboratory.open():
        plain, safe = (
            search(
                [LoopCase("allreduce", 8, 65536)], SearchScope(library=OPENMPI, any_operation=any_operation), laboratory
            )[0]
            for any_operation in (False, True)
        )
    names = [{variant.name for variant in found.variants.values()} for found in (plain, safe)]
    assert names[0] - names[1] == {"ring", "segmented_ring"}
    assert names[1]


def test_a_search_goes_on_from_what_was_kept(tmp_path: Path) -> None:
    cases = [LoopCase("allgather", 4, 1024)]
    kept = LoopStore(tmp_path / "kept.csv", "x", Loop)
    kept.begin()
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        (first,) = search(cases, SearchScope(library=OPENMPI), laboratory, kept)
    lines = kept.file.read_text().splitlines()
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        (again,) = search(cases, SearchScope(library=OPENMPI, budget_s=0.0), laboratory, kept)
    assert again == first
    assert kept.file.read_text().splitlines() == lines


def test_other_algorithms_are_offered_only_where_none_of_the_librarys_comes_near() -> None:
    near = CellTimes(
        case=LoopCase("bcast", 8, 64), default="own", times={"own": 1.0}, variants={}, others={"double_tree": 0.95}
    )
    far = CellTimes(
        case=LoopCase("bcast", 8, 1 << 20), default="own", times={"own": 1.0}, variants={}, others={"double_tree": 0.5}
    )
    offers = offers_of([near, far], {near.case: "own", far.case: "own"})
    assert offers.gains == {far.case: 2.0}
    assert 'algorithm = "double_tree"' in offers.file()


def test_offers_are_rules_of_deploy(tmp_path: Path) -> None:
    from orrery.deploy.rules import read_rules

    cell = CellTimes(
        case=LoopCase("allreduce", 8, 4096), default="ring", times={"ring": 1.0}, variants={}, others={"swing": 0.5}
    )
    (tmp_path / "deploy.toml").write_text(offers_of([cell], {cell.case: "ring"}).file(["parts are typical"]))
    assert "# caution: parts are typical\n" in (tmp_path / "deploy.toml").read_text()
    (rule,) = read_rules(tmp_path / "deploy.toml")
    assert (rule.collective, rule.min_ranks, rule.algorithm) == ("allreduce", 8, "swing")
    assert rule.min_bytes <= 4096 <= rule.max_bytes


def test_cases_are_refused_that_settings_cannot_serve() -> None:
    assert cases_of(["barrier", "bcast"], [2], [4, 8], OPENMPI) == [
        LoopCase("barrier", 2, 0),
        LoopCase("bcast", 2, 4),
        LoopCase("bcast", 2, 8),
    ]
    with pytest.raises(InputError, match="no choice of algorithms"):
        cases_of(["gather"], [2], [4], Library("mpich-4.0", "mpich"))
    with pytest.raises(InputError, match="-s 6: allreduce reduces numbers of 4 bytes"):
        cases_of(["allreduce"], [2], [6], OPENMPI)


@pytest.mark.parametrize("name", MPIS)
def test_a_launcher_says_which_library_it_starts(name: str) -> None:
    found = library_of(f"{tool('mpirun', name)} -n {{n}}")
    assert found.name.startswith(name)


def test_a_launcher_that_says_nothing_needs_the_librarys_name() -> None:
    with pytest.raises(InputError, match="does not say which MPI it belongs to; name the library"):
        library_of("srun -n {n}")


@pytest.fixture
def traced(sandbox: Sandbox) -> Path:
    """The trace of a program of ten long allreduces and three broadcasts on 8 ranks."""
    program = sandbox.program("long_collectives")
    ended = sandbox.run(8, program, options=("-o", "it.trace", "-p", "graphene", "--map", "node", "--compute", "none"))
    assert ended.code == 0, ended.err
    return sandbox.folder / "it.trace"


@pytest.mark.parametrize("name", ["openmpi-4.1", "mpich-5.0"])
def test_a_program_is_tuned_by_what_its_replay_gains(traced: Path, name: str) -> None:
    of = library(name)
    program = TunedProgram.of(traced, of, platform="graphene", mapping="node")
    assert program.calls == {LoopCase("allreduce", 8, 65536): 10, LoopCase("bcast", 8, 32768): 3}
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        found = search(list(program.calls), SearchScope(library=of), laboratory)
    arrived = as_they_arrive(found, program, of)
    (allreduce,) = [cell for cell in arrived if cell.case.test == "allreduce"]
    assert len(allreduce.times) <= 5
    rows = rules_of(arrived, _choosing(arrived))
    from orrery.tune.rules import RulesOrigin, TunedRules

    tuned = TunedRules(library=of, rows=rows, made=RulesOrigin(orrery="", platform="", mapping=""))
    own_s, tuned_s = program.time_s(None), program.time_s(tuned)
    saved = sum(
        program.calls[cell.case] * (cell.default_s - cell.times[_name(tuned.variant(*cell.case), cell)])
        for cell in arrived
    )
    assert tuned_s < own_s
    assert own_s - tuned_s == pytest.approx(saved, rel=0.25)


def test_ranks_of_a_program_are_where_its_trace_had_them(traced: Path, sandbox: Sandbox) -> None:
    line = ["tune", "--library", "openmpi-4.1", "-p", "graphene", "--for", str(traced), "--no-own", "--json"]
    asked = {where: json.loads(sandbox.orrery(*line, *where.split()).out)["mapping"] for where in ("", "--map slot")}
    assert asked == {"": "node", "--map slot": "slot"}


def _name(variant: AlgorithmVariant | None, cell: CellTimes) -> str:
    return cell.default if variant is None else variant.ours


def test_the_command_explains_itself(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "tune", "bcast", "allreduce", "--library", "openmpi-4.1", "-p", "graphene", "-n", "8", "-s", "64KiB", "--no-own"
    )
    assert ended.code == 0, ended.err
    assert "library    openmpi-4.1" in ended.out
    assert "bcast        8 ranks          64 KiB" in ended.out
    assert "times as fast in the geometric mean" in ended.out


def test_the_same_command_gives_the_same_json(sandbox: Sandbox) -> None:
    words = ("tune", "alltoall", "--library", "mpich-5.0", "-p", "graphene", "-n", "8", "-s", "1KiB:16KiB", "--json")
    first, again = sandbox.orrery(*words), sandbox.orrery(*words)
    assert first.code == 0, first.err
    assert first.out == again.out
    shown = json.loads(first.out)
    assert [cell["bytes"] for cell in shown["cells"]] == [1024, 2048, 4096, 8192, 16384]
    assert all(cell["chosen_s"] <= 1.1 * cell["default_s"] for cell in shown["cells"])
    assert shown["regret"] <= 0.02 + 0.05


def test_cautions_are_the_same_on_the_terminal_and_in_all_files(sandbox: Sandbox) -> None:
    words = ("tune", "alltoall", "--library", "openmpi-5.0", "-p", "graphene", "-n", "8", "-s", "1KiB", "-o", "rules")
    ended = sandbox.orrery(*words)
    assert ended.code == 0, ended.err
    shown = [line.removeprefix("caution").strip() for line in ended.out.splitlines() if line.startswith("caution")]
    assert any("typical, not measured" in caution for caution in shown), ended.out
    about = json.loads((sandbox.folder / "rules" / "tuned.json").read_text())
    assert about["cautions"] == shown
    written = [path for path in (sandbox.folder / "rules").iterdir() if path.suffix != ".json"]
    assert sandbox.folder / "rules" / "mca-params.conf" in written
    for path in written:
        lines = path.read_text().splitlines()
        assert [line.removeprefix("# caution: ") for line in lines if line.startswith("# caution: ")] == shown, path


def test_a_program_can_be_named_with_its_ranks(sandbox: Sandbox, traced: Path) -> None:
    words = ("tune", "--library", "openmpi-4.1", "-p", "graphene", "--map", "node", "--for")
    by_trace = sandbox.orrery(*words, str(traced), "--json")
    by_program = sandbox.orrery(*words, sandbox.program("long_collectives"), "-n", "8", "--json")
    assert (by_trace.code, by_program.code) == (0, 0), by_trace.err + by_program.err
    of_trace, of_program = json.loads(by_trace.out), json.loads(by_program.out)
    assert of_trace["rules"] == of_program["rules"]
    assert of_trace["program_tuned_s"] < of_trace["program_s"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "--library: which MPI is to be tuned"),
        (["--library", "openmpi-4"], "there are: openmpi-4.1"),
        (["--library", "openmpi-4.1", "-n", "1"], "a message needs two ranks"),
        (["--library", "openmpi-4.1", "--check"], "--check: acts only with --mpirun"),
        (["--library", "openmpi-4.1", "--rounds", "2"], "--rounds: acts only with --mpirun"),
        (["--library", "openmpi-4.1", "--for", "it.trace", "-s", "8"], "-s"),
        (["--library", "openmpi-4.1", "--for", "it.trace"], "it.trace"),
        (["neighbor_allgather", "--library", "openmpi-4.1"], "no choice of algorithms"),
        (["--library", "openmpi-4.1", "--keep", "/dev/null"], "expected a folder"),
        (["--library", "mpich-5.0", "--any-operation"], "not obeyed for a program's own operations"),
    ],
)
def test_what_cannot_be_is_refused_with_a_cure(sandbox: Sandbox, words: list[str], complaint: str) -> None:
    ended = sandbox.orrery("tune", *words)
    assert ended.code == 2
    assert complaint in ended.err


def test_ctrl_c_keeps_what_is_there(sandbox: Sandbox) -> None:
    words = ("tune", "--library", "openmpi-5.0", "-p", "graphene", "-n", "64", "-s", "4:1MiB", "--keep", "kept")
    process = sandbox.start(*words)
    kept = sandbox.folder / "kept" / "simulated.csv"
    until(lambda: kept.exists() and len(kept.read_text().splitlines()) >= 40, process)
    process.send_signal(signal.SIGINT)
    ended = sandbox.finish(process)
    assert ended.code == 130
    assert "the same command goes on from there" in ended.err or "nothing" in ended.err
    assert len(kept.read_text().splitlines()) >= 40


def test_a_budget_leaves_the_rest_to_the_library(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "tune", "--library", "openmpi-5.0", "-p", "graphene", "-n", "8,64", "-s", "4:1MiB", "--budget", "3s", "--json"
    )
    shown = json.loads(ended.out)
    assert ended.code == 130
    assert shown["missing"]
    assert {rule["collective"] for rule in shown["rules"]} <= {cell["collective"] for cell in shown["cells"]}


@pytest.mark.parametrize("name", MPIS)
def test_a_real_library_is_measured_where_the_simulation_is_unsure(sandbox: Sandbox, name: str) -> None:
    more = "--oversubscribe" if name == "openmpi" else ""
    sandbox.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    mpirun = f"{tool('mpirun', name)} {more} -n {{n}}"
    words = ("tune", "allgather", "-p", "graphene", "-n", "2", "-s", "1KiB,64KiB", "--mpirun", mpirun, "--rounds", "2")
    more_words = ("--mpicc", str(tool("mpicc", name)), "--check", "--program", "true")
    ended = sandbox.orrery(*words, "--share", "0.5", *more_words, "--keep", "kept", "--json")
    assert ended.code == 0, ended.err
    shown = json.loads(ended.out)
    assert shown["library"].startswith(name)
    assert 0 < shown["measurements"] <= 0.5 * shown["exhaustive"]
    assert any(cell["measured_default_s"] for cell in shown["cells"])
    for gain in shown["checked"]:
        assert gain["low"] <= gain["gain"] <= gain["high"]
    again = sandbox.orrery(*words, "--share", "0.5", "--keep", "kept", "--json", "-o", "tuned", "--no-see")
    assert json.loads(again.out)["measurements"] == shown["measurements"]
    assert "measuring" not in again.err


@pytest.mark.parametrize("name", MPIS)
def test_long_loops_leave_time_for_all_others(
    name: str, tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for variable, value in {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "XDG_CACHE_HOME": str(built),
    }.items():
        monkeypatch.setenv(variable, value)
    more = "--oversubscribe" if name == "openmpi" else ""
    real = RealLibrary(mpirun=f"{tool('mpirun', name)} {more} -n {{n}}", mpicc=str(tool("mpicc", name)))
    cases = [LoopCase("alltoall", 4, 1 << 20), *(LoopCase("bcast", 4, 1 << n) for n in range(2, 8))]
    program = build("suite", real.mpicc, said=lambda _text: None)
    assert set(run_loops(program, {case: case for case in cases}, {}, real, loop_s=1e-6)) == set(cases)
