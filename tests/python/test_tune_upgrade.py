# SPDX-License-Identifier: BSD-3-Clause
"""What another release changes: which calls, what that gains or loses, and the cliffs of both releases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import timed, with_barrier
from orrery.errors import InputError
from orrery.evidence.expectation import reach_of_ratio
from orrery.evidence.residuals import CallResidual, evidence
from orrery.published import as_json
from orrery.report.upgraded import text
from orrery.tune.cliffs import STEEP, Jump, jumps_of_calls, jumps_of_program
from orrery.tune.turns import CallTime, CallTimer, PlacedCall
from orrery.tune.upgrade import Change, Upgrade, UpgradeQuestion, sides, upgrade
from orrery.tune.uses import CallUse, RecordedCalls, uses_of_calls

EVIDENCE = Path(__file__).parents[1] / "evidence" / "2026-11-25-12h-openmpi"
OPENMPI = "openmpi-4.1:openmpi-5.0"


@contextmanager
def _turns(pair: str = OPENMPI, platform: str = "graphene", mapping: str = "node") -> Iterator[CallTimer]:
    turns = CallTimer(Laboratory(platform, None, mapping, said=False), sides(pair))
    with turns.open():
        yield turns


def _asked(pair: str, kinds: list[str], ranks: str, sizes: str, mapping: str = "node") -> Upgrade:
    with _turns(pair, mapping=mapping) as turns:
        return upgrade(UpgradeQuestion(uses=uses_of_calls(kinds, ranks, sizes, turns)), turns)


# What changes


def test_the_same_release_changes_nothing_and_has_its_cliffs_twice() -> None:
    found = _asked("openmpi-4.1:openmpi-4.1", ["allreduce", "allgather"], "9", "4:64KiB")
    assert found.changes == []
    assert found.run_s is None  # no program
    assert found.cliffs
    assert all(cliff.releases == ("openmpi-4.1", "openmpi-4.1") for cliff in found.cliffs)
    assert "choose the same algorithms in all of 30 calls" in text(found)


def test_han_is_new_where_nodes_have_several_ranks_and_only_there() -> None:
    """Open MPI 5.0 prefers its component han, which needs several nodes with several ranks (docs/design/selectors.md)."""
    kinds = ["bcast", "reduce", "allreduce", "allgather", "alltoall"]
    alone = _asked(OPENMPI, kinds, "8", "8,64KiB", "node")
    assert alone.changes == []
    shared = _asked(OPENMPI, kinds, "8", "8,64KiB", "ppr:2")
    assert {(change.collective, change.second) for change in shared.changes} == {
        (kind, "han") for kind in kinds if kind != "alltoall"
    }
    inside = _asked(OPENMPI, kinds, "4", "8,64KiB", "slot")  # one node of four cores
    assert inside.changes == []


def test_alltoallv_is_what_changes_everywhere() -> None:
    found = _asked(OPENMPI, ["alltoallv", "alltoall"], "8", "64")
    assert [(change.first, change.second) for change in found.changes] == [("basic_linear_even_empty", "basic_linear")]


def test_equal_names_are_no_change_unless_their_parts_differ() -> None:
    """Open MPI's allgatherv `default` is a gather and a broadcast, which han takes in 5.0."""
    with _turns(mapping="slot") as turns:
        parts = turns.placed(Call("allgatherv", 64, 16))
        assert [turns.choice(side, parts).name for side in (0, 1)] == ["gather_bcast"] * 2
        assert not turns.alike(parts)
        assert turns.alike(turns.placed(Call("alltoall", 64, 16)))


def test_what_sends_the_same_messages_is_timed_once() -> None:
    with _turns() as turns:
        call = turns.placed(Call("bcast", 64, 8))
        assert turns.begin(0, call) is turns.begin(1, call)
    with _turns(mapping="slot") as turns:
        call = turns.placed(Call("bcast", 64, 8))
        assert turns.begin(0, call) is not turns.begin(1, call)


def test_a_call_takes_a_turn_less_its_barrier() -> None:
    with _turns("mpich-4.0:mpich-5.0") as turns:
        call = Call("allreduce", 4096, 12, type_size=4)
        begun = turns.begin(0, turns.placed(call))
        selector = _core.Selector("mpich-4.0", "barrier=dissemination")
        whole, fence = (
            timed(with_barrier(measured), turns.laboratory, selector, warm=1, first_turns=4, most_turns=100).mean_s
            for measured in (call, Call("barrier", 0, 12))
        )
        assert begun.result().time_s == pytest.approx(whole - fence, rel=1e-12)


def test_of_two_times_the_noise_and_the_evidence_decide() -> None:
    use = CallUse(placed=PlacedCall(Call("bcast", 64, 8), tuple(range(8))), calls=10)

    def change(first: float, second: float, half: float = 0.0, reach: float | None = 0.2) -> Change:
        return Change.of(use, ("a", "b"), (CallTime(first, half), CallTime(second, half)), reach)

    assert change(1.0, 1.019).verdict == "no difference"
    assert change(1.0, 1.019).run_s == 0
    assert change(1.0, 1.1).verdict == "not sure"  # real times may be in the ratio 1.1 e^-0.2 < 1
    assert change(1.0, 1.3).verdict == "loss"  # 1.3 e^-0.2 > 1
    assert change(1.0, 0.8).verdict == "gain"
    assert change(1.0, 1.1, reach=None).verdict == "loss"
    assert change(1.0, 1.1, half=0.08).verdict == "no difference"  # the loops themselves differ by that much
    loss = change(1.0, 1.3)
    assert (loss.low_s, loss.high_s) == pytest.approx((1.3 * exp(-0.2) - 1, 1.3 * exp(0.2) - 1))
    assert loss.run_s == pytest.approx(10 * 0.3)


def test_errors_of_two_calls_of_an_hour_are_as_far_apart_as_if_they_were_independent() -> None:
    """The interval of a ratio has about 90 % inside, on pairs of collectives of the same hour, size and ranks."""
    known = evidence()
    cells: dict[tuple[int, int, int], list[CallResidual]] = {}
    for call in known.calls:
        cells.setdefault((call.hour, call.ranks, call.bytes), []).append(call)
    pairs = [pair for row in cells.values() for pair in combinations(row, 2)]
    assert len(pairs) > 4000
    reach = cache(
        lambda hour, kind, ranks, size: reach_of_ratio(kind, ranks, size, statement=known.hours[hour].statement)
    )
    inside = 0
    for call, other in pairs:
        reaches = [reach(each.hour, each.kind, each.ranks, each.bytes) for each in (call, other)]
        inside += abs(call.residual - other.residual) <= sqrt((reaches[0] ** 2 + reaches[1] ** 2) / 2)
    assert 0.9 <= inside / len(pairs) <= 0.96


# Cliffs


def _at(jumps: list[Jump], side: int, along: str, **equal: int) -> list[int]:
    found = []
    for jump in jumps:
        call = jump.after.call
        if (
            jump.side == side
            and jump.along == along
            and all(getattr(call, name) == value for name, value in equal.items())
        ):
            found.append(call.size if along == "bytes" else call.ranks)
    return found


def test_jumps_are_found_to_the_byte_where_the_library_has_its_limits() -> None:
    """coll_tuned_decision_fixed.c of Open MPI 4.1: an allreduce of 16 ranks changes at 4,096 bytes (the segmented ring below 64
    leaves so few elements to recursive doubling, which is also above), a broadcast of 16 at 4,096 and 1 MiB, an allgather of 64 at 512
    and 65,536."""
    with _turns() as turns:
        jumps = jumps_of_calls(turns, [turns.placed(Call("allreduce", size, 16, type_size=4)) for size in (4, 1 << 20)])
        assert _at(jumps, 0, "bytes", ranks=16) == _at(jumps, 1, "bytes", ranks=16) == [4096]
        assert {jump.after.call.size - jump.before.call.size for jump in jumps if jump.along == "bytes"} == {4}
        jumps = jumps_of_calls(turns, [turns.placed(Call("bcast", size, 16)) for size in (4, 1 << 20)])
        assert _at(jumps, 0, "bytes", ranks=16) == [4096, 1 << 20]
        jumps = jumps_of_calls(turns, [turns.placed(Call("allgather", size, 64)) for size in (4, 1 << 20)])
        assert _at(jumps, 0, "bytes", ranks=64) == [512, 65536]


def test_jumps_along_ranks_are_found_for_every_number() -> None:
    """An allreduce of 1 KiB changes at 64 and 128 ranks and in between not; recursive doubling of an allgather needs a power of two."""
    with _turns() as turns:
        jumps = jumps_of_calls(turns, [turns.placed(Call("allreduce", 1024, 130, type_size=4))])
        ladder = _at(jumps, 0, "ranks", size=1024)
        assert [ranks for ranks in ladder if ranks > 32] == [64, 128]
        assert not _at(jumps, 0, "bytes")
        jumps = jumps_of_calls(turns, [turns.placed(Call("allgather", 64, 40))])
        assert {16, 17, 32, 33} <= set(_at(jumps, 0, "ranks", size=64))
        assert 20 not in _at(jumps, 0, "ranks", size=64)


def test_a_cliff_has_both_times_and_what_the_other_algorithm_would_take() -> None:
    """Recursive doubling sends the whole vector in each round, Rabenseifner's algorithm twice in all: below 4,096 bytes Open MPI has
    the first on 16 ranks, however long it takes where four ranks share a link."""
    found = _asked("openmpi-4.1:openmpi-5.0", ["allreduce"], "16", "2KiB,8KiB", "slot")
    (cliff,) = [cliff for cliff in found.cliffs if cliff.along == "bytes" and cliff.releases == ("openmpi-4.1",)]
    assert (cliff.before.bytes, cliff.after.bytes) == (4092, 4096)
    assert (cliff.before.algorithm, cliff.after.algorithm) == ("recursive_doubling", "rabenseifner")
    assert cliff.slow is cliff.before
    assert cliff.factor > STEEP
    assert cliff.other_s is not None
    assert cliff.other_s == pytest.approx(cliff.after.time_s, rel=0.05)  # a number less is no other time
    with _turns(mapping="slot") as turns:
        slow = turns.begin(0, turns.placed(Call("allreduce", 4092, 16, type_size=4)))
        assert slow.result().time_s == cliff.before.time_s


def test_no_cliff_is_blamed_on_the_first_message_that_leaves_a_node() -> None:
    """From 4 to 5 ranks a second node comes in, and all times grow; MPICH has binomial trees on both sides."""
    found = _asked("mpich-4.0:mpich-5.0", ["bcast", "gather", "scatter"], "6", "64", "slot")
    assert [cliff for cliff in found.cliffs if cliff.after.ranks == 5] == []


# A program


def _program(sandbox: Sandbox, phases: str, ranks: int = 16) -> str:
    (sandbox.folder / "it.toml").write_text(f"ranks = {ranks}\n{phases}")
    ended = sandbox.orrery("replay", "it.toml", "-o", "it.trace", "-p", "graphene")
    assert ended.code == 0, ended.err
    return "it.trace"


def _phase(kind: str, size: str, repeat: int) -> str:
    return f'[[phase]]\nkind = "{kind}"\nbytes = "{size}"\nrepeat = {repeat}\n'


def _tuned(sandbox: Sandbox, *line: str) -> dict[str, Any]:
    ended = sandbox.orrery("tune", "upgrade", OPENMPI, "-p", "graphene", *line, "--json")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def test_the_sum_of_a_program_is_calls_times_differences(sandbox: Sandbox) -> None:
    trace = _program(
        sandbox, _phase("allreduce", "8KiB", 30) + _phase("bcast", "64KiB", 7) + _phase("alltoall", "64", 5)
    )
    found = _tuned(sandbox, "--for", trace)
    calls = {change["collective"]: change for change in found["changes"]}
    assert {kind: change["calls"] for kind, change in calls.items()} == {"allreduce": 30, "bcast": 7}
    assert found["compared"] == 3
    assert found["run_s"] == pytest.approx(sum(change["calls"] * change["difference_s"] for change in calls.values()))
    assert found["run_low_s"] < found["run_s"] < found["run_high_s"]
    assert calls["allreduce"]["verdict"] == "loss"
    assert [change["run_s"] for change in found["changes"]] == sorted(
        (change["run_s"] for change in found["changes"]), key=lambda s: -abs(s)
    )


def test_what_a_program_gains_or_loses_is_what_its_replays_say(sandbox: Sandbox) -> None:
    """IS of class A on 16 ranks, recorded on a real cluster: most of the change is in its eleven allreduces."""
    trace = str(EVIDENCE / "is.A.16.trace.xz")
    found = _tuned(sandbox, "--for", trace, "--map", "slot")
    times = []
    for release in OPENMPI.split(":"):
        ended = sandbox.orrery("replay", trace, "-p", "graphene", "--selector", release, "--json")
        assert ended.code == 0, ended.err
        times.append(json.loads(ended.out)["simulated_s"])
    assert found["run_s"] == pytest.approx(times[1] - times[0], rel=0.15)
    assert any("alltoallv whose blocks differ in size" in caution for caution in found["cautions"])


def test_a_program_is_told_how_near_it_is_to_a_cliff(sandbox: Sandbox) -> None:
    trace = _program(sandbox, _phase("allreduce", "4120", 11))
    found = _tuned(sandbox, "--for", trace)
    (cliff,) = [cliff for cliff in found["cliffs"] if cliff["along"] == "bytes"]
    assert cliff["releases"] == ["openmpi-4.1"]
    assert cliff["before"]["bytes"] < 4096 <= cliff["after"]["bytes"]
    near = cliff["program"]
    assert (near["calls"], near["bytes"], near["on_the_slow_side"]) == (11, 4120, False)
    assert near["distance"] == 4120 - cliff["before"]["bytes"]
    assert near["at_stake_s"] == pytest.approx(11 * (cliff["before"]["time_s"] - cliff["after"]["time_s"]))
    ended = sandbox.orrery("tune", "upgrade", OPENMPI, "-p", "graphene", "--for", trace)
    assert f"on the quick side by {near['distance']} B" in ended.out


def test_around_a_program_are_one_rank_fewer_and_one_more() -> None:
    with _turns() as turns:
        use = CallUse(placed=turns.placed(Call("allgather", 64, 16)), calls=3)
        found = jumps_of_program(turns, [use])
        assert sorted({(jump.before.call.ranks, jump.after.call.ranks) for jump in found if jump.along == "ranks"}) == [
            (15, 16),
            (16, 17),
        ]
        assert all(jump.use is use for jump in found)
        elsewhere = CallUse(placed=PlacedCall(use.placed.call, tuple(range(20, 36))), calls=3)
        assert [jump for jump in jumps_of_program(turns, [elsewhere]) if jump.along == "ranks"] == []


def test_communicators_are_told_apart_by_the_nodes_of_their_ranks(sandbox: Sandbox) -> None:
    """Four rows of four ranks, each on its node, and four columns with a rank on each node; broadcasts have three roots."""
    ended = sandbox.run(16, "rows_and_columns", options=("-o", "it.trace", "-p", "graphene", "--compute", "none"))
    assert ended.code == 0, ended.err
    program = RecordedCalls.of(sandbox.folder / "it.trace")
    assert program.mapping == "slot"
    with _turns(mapping="slot") as turns:
        uses, cautions = program.uses(turns.laboratory)
    found = {use.placed.call.kind: (len(set(use.placed.where)), use.calls, use.communicators) for use in uses}
    assert found == {"allreduce": (1, 3, 4), "allgather": (4, 3, 4), "bcast": (4, 3, 1)}
    ranks = {use.placed.call.kind: use.placed.call.ranks for use in uses}
    assert ranks == {"allreduce": 4, "allgather": 4, "bcast": 16}
    assert len(cautions) == 1
    assert "communicators that are made" in cautions[0]
    with _turns(mapping="node") as turns:
        uses, cautions = program.uses(turns.laboratory)
    assert cautions[1] == "mapping node, recorded with slot"
    nodes = {use.placed.call.kind: len(set(use.placed.where)) for use in uses}
    assert nodes == {"allreduce": 4, "allgather": 4, "bcast": 16}


def test_a_users_operation_is_compared_as_the_releases_choose_for_it() -> None:
    """Open MPI reduces in order where an operation does not commute; a loop has MPI's own and must be told the algorithm."""
    with _turns("openmpi-4.1:mpich-4.0") as turns:
        call = Call("reduce", 4096, 16, type_size=8, operation="not-commutative")
        placed, plain = turns.placed(call), turns.placed(Call("reduce", 4096, 16, type_size=8))
        assert turns.choice(0, placed).name == "in_order_binary" != turns.choice(0, plain).name
        assert turns.serves(0, placed)
        first, usual = turns.begin(0, placed), turns.begin(0, plain)
        assert first.result().time_s != usual.result().time_s


# The command


def test_it_is_said_printed_and_written(sandbox: Sandbox) -> None:
    line = ["tune", "upgrade", OPENMPI, "bcast", "-n", "8", "-s", "8,64KiB", "-p", "graphene", "--map", "slot"]
    ended = sandbox.orrery(*line, "-o", "it.json", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found == json.loads((sandbox.folder / "it.json").read_text())
    assert [(change["bytes"], change["second"]) for change in found["changes"]] == [(8, "han"), (65536, "han")]
    assert found["run_s"] is None
    assert all(cliff["program"] is None for cliff in found["cliffs"])
    printed = sandbox.orrery(*line)
    assert "From openmpi-4.1 to openmpi-5.0 on graphene" in printed.out
    assert "Calls that change" in printed.out
    assert "Cliffs of openmpi-4.1 and openmpi-5.0" in printed.out


def test_the_seed_draws_the_noise_of_a_platform_that_has_any(sandbox: Sandbox) -> None:
    platform = str(EVIDENCE.parent / "2026-11-22-openmpi" / "platform.toml")
    line = ["tune", "upgrade", "openmpi-4.1:mpich-4.0", "bcast", "-n", "8", "-s", "64KiB", "-p", platform, "--json"]
    times = []
    for seed in ("1", "1", "2"):
        ended = sandbox.orrery(*line, "--seed", seed)
        assert ended.code == 0, ended.err
        times.append([(change["first_s"], change["second_s"]) for change in json.loads(ended.out)["changes"]])
    assert times[0] == times[1] != times[2]


def test_files_of_rules_are_releases_too(sandbox: Sandbox) -> None:
    rules = "1\n7\n1\n8\n1\n0 1 0 0\n"  # a broadcast of 8 ranks and more is linear
    (sandbox.folder / "mine.conf").write_text(rules)
    ended = sandbox.orrery("tune", "upgrade", "openmpi-4.1:mine.conf", "bcast", "-n", "8", "-s", "8", "--json")
    assert ended.code == 0, ended.err
    (change,) = json.loads(ended.out)["changes"]
    assert change["second"] == "linear"


def test_rules_of_a_release_that_are_not_obeyed_as_they_are_written_are_told(sandbox: Sandbox) -> None:
    unknown = '{"collectives": {"bcast": [{"rules": [{"alg": "no_such"}, {"alg": "pipeline"}]}]}}'
    (sandbox.folder / "mine.json").write_text(unknown)
    ended = sandbox.orrery("tune", "upgrade", "openmpi-5.0:mine.json", "bcast", "-n", "8", "-s", "8", "--json")
    assert ended.code == 0, ended.err
    (said,) = [caution for caution in json.loads(ended.out)["cautions"] if "no_such" in caution]
    assert "the rule is ignored, as Open MPI does" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["openmpi-4.1"], "expected two releases"),
        (["openmpi-4.1:openmpi-5.1"], 'did you mean "openmpi-5.0"?'),
        ([OPENMPI, "bcats"], 'did you mean "bcast"?'),
        ([OPENMPI, "-s", "6", "allreduce"], "numbers of 4 bytes"),
        ([OPENMPI, "-n", "1"], "needs two ranks"),
        ([OPENMPI, "--for", "it.trace", "-n", "8"], "--ranks: chooses nothing with --for"),
        ([OPENMPI, "--overwrite"], "--overwrite: acts only with -o"),
        ([OPENMPI, "--library", "openmpi-4.1"], "No such option: --library"),
        ([OPENMPI, "--for", "nothing.trace"], "nothing.trace"),
        ([OPENMPI, "-p", "nowhere"], "nowhere"),
        ([OPENMPI, "-o", "it.csv"], ".json"),
    ],
)
def test_what_cannot_be_asked_is_refused(sandbox: Sandbox, line: list[str], said: str) -> None:
    ended = sandbox.orrery("tune", "upgrade", *line)
    assert ended.code == 2
    assert said in ended.err


def test_a_program_without_collectives_is_refused(sandbox: Sandbox) -> None:
    trace = _program(sandbox, '[[phase]]\nkind = "compute"\ncompute_s = "1ms"\n', 4)
    ended = sandbox.orrery("tune", "upgrade", OPENMPI, "--for", trace)
    assert ended.code == 2
    assert "has no blocking collective calls" in ended.err


def test_releases_are_names_or_files(tmp_path: Path) -> None:
    (tmp_path / "mine.conf").write_text("")
    first, second = sides(f"mpich-4.0:{tmp_path / 'mine.conf'}")
    assert (first.selector, second.rules) == ("mpich-4.0", tmp_path / "mine.conf")
    with pytest.raises(InputError, match="no selector or file of rules"):
        sides("mpich-4.0:mpich-9")


def test_ctrl_c_shows_what_is_there_by_then(sandbox: Sandbox) -> None:
    line = [
        "tune",
        "upgrade",
        "openmpi-4.1:mpich-4.0",
        "bcast",
        "alltoall",
        "-n",
        "8,1024",
        "-s",
        "8KiB:256KiB",
        "-p",
        "graphene",
    ]
    process = sandbox.start_on_terminal(*line)
    process.until(
        r"([3-9]\d|\d\d\d)/\d\d\d"
    )  # 30 calls among few ranks take milliseconds, all-to-alls among 1,024 minutes
    process.interrupt()
    ended = process.finish()
    assert ended.code == 130, ended.err
    assert "calls and jumps were not timed; ask for fewer at once" in ended.err
    assert re.search(r"24 of 24 calls run another algorithm, \d+ of them timed: ", ended.out)
    assert "interrupted:" in ended.out
    assert "Calls that change" in ended.out


def test_what_is_missing_is_counted() -> None:
    """Ctrl-C in the middle: what is there stays, and the rest is counted."""
    with _turns(mapping="slot") as turns:
        question = UpgradeQuestion(uses=uses_of_calls(["bcast"], "8", "8,64,512", turns))
        totals = []

        def interrupt(done: int, total: int) -> None:
            totals.append(total)
            if len(totals) > 1 and done == total - 2:
                raise KeyboardInterrupt

        found = upgrade(question, turns, interrupt)
    assert found.missing == 2
    assert 1 <= len(found.changes) <= 3
    assert found.cliffs
    assert as_json(found)["missing"] == 2
