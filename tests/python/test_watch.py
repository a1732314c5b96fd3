# SPDX-License-Identifier: BSD-3-Clause
"""`orrery watch` on the real MPIs that are installed, and what it makes of boards whose content is known."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.real_mpi.compiled import build_wrappers
from orrery.real_mpi.starter import mpicc_of
from orrery.watch.board import COLLECTIVES, RECEIVES, SENDS, WORLD, Board, BoardCell, CallTimes
from orrery.watch.compared import compared_collectives, compared_messages, exchanges_of
from orrery.watch.expectation import Expectation
from orrery.watch.joined import KINDS, JoinedWait, Presence, collectives_of, traffic_of, waits_in
from orrery.watch.placed import placed
from orrery.watch.session import guessed_selector
from orrery.watch.slow import late_ranks, slow_links, waiting_of
from real_mpis import MPIS, RANKS, RealMpi
from skips import needs

KEPT = Path(__file__).parents[2] / "build" / "watch"
"""Compiling the library takes seconds; what it was compiled from is part of its name."""
POOR = Path(__file__).parents[1] / "evidence" / "2026-11-25-12h-openmpi" / "platform.toml"
"""A platform whose calibration is poor."""
TURNS = 60
"""Turns of tests/programs/watched.c."""
ALLREDUCE = KINDS.index("allreduce")


@pytest.fixture(params=MPIS)
def real(request: pytest.FixtureRequest, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> RealMpi:
    mpi = RealMpi(request.param, sandbox)
    sandbox.environment["XDG_CACHE_HOME"] = str(KEPT)
    monkeypatch.setenv("XDG_CACHE_HOME", str(KEPT))
    build_wrappers("watch", mpicc_of([mpi.mpirun]))
    return mpi


def classes(report: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Collectives by kind and ranks."""
    return {(row["kind"], row["ranks"]): row for row in report["collectives"]}


def test_each_class_of_calls_has_its_count_its_time_and_what_is_expected(real: RealMpi) -> None:
    ended, report = real.watch(real.program("watched.c"), options=("-p", "graphene", "--map", "slot"))
    assert ended.code == 0, ended.err
    assert (report["ranks"], report["missing"], report["cut_off"], report["placed"]) == (RANKS, [], [], "map")
    # In each turn an allreduce, a broadcast, a send, a receive and an alltoallv; MPI_Init, Finalize and one MPI_Comm_split besides.
    assert report["calls"] == RANKS * (5 * TURNS + 3)
    found = classes(report)
    assert set(found) == {("allreduce", RANKS), ("bcast", RANKS), ("alltoallv", RANKS)}
    assert {key[0]: (row["calls"], row["bytes"]) for key, row in found.items() if key[0] != "alltoallv"} == {
        "allreduce": (TURNS, 8),
        "bcast": (TURNS, 20000),
    }
    assert found["alltoallv", RANKS]["left_out"] == "its blocks differ"
    assert found["alltoallv", RANKS]["compared"]["expected_s"] is None
    # The expected time is that of `orrery collective`, on the platform's first node, which has as many cores.
    for kind, size in (("allreduce", 8), ("bcast", 20000)):
        call = Call(kind, size, RANKS)
        laboratory = Laboratory("graphene", None, "slot", said=False)
        chosen = laboratory.chosen(_core.Selector(report["selector"], "", [], None), call)
        row = found[kind, RANKS]
        assert row["compared"]["expected_s"] == pytest.approx(laboratory.time(call, chosen))
        assert row["algorithm"] == chosen.name
        assert row["compared"]["measured_s"] > 0
        assert 0 < row["time_s"] <= report["run_s"]
    assert found["bcast", RANKS]["root"] == 0
    assert f"orrery: {RANKS} ranks on 1 host" in ended.err
    assert "graphene" in ended.err


def test_the_selector_is_that_of_the_library(real: RealMpi) -> None:
    _, report = real.watch(real.program("watched.c"), ranks=2)
    assert report["guessed"]
    assert report["selector"].startswith(real.name)
    _, report = real.watch(real.program("watched.c"), ranks=2, options=("--selector", "openmpi-1.6"))
    assert (report["selector"], report["guessed"]) == ("openmpi-1.6", False)


def test_a_rank_that_computes_longer_is_named(real: RealMpi) -> None:
    ended, report = real.watch(real.program("watched.c"), "late", ranks=2)
    assert ended.code == 0, ended.err
    late = [finding for finding in report["findings"] if finding["what"] == "rank"]
    assert [finding["names"] for finding in late] == [["1"]], report["waiting"]
    assert "it computes longer" in late[0]["words"]
    # Rank 1 computes 60 times for 50 ms at least; a tenth of that is left for when rank 0 comes to its next call.
    longest = report["waiting"][0]
    assert (longest["rank"], longest["late"]) == (0, 1)
    assert 2.7 <= longest["seconds"] <= report["run_s"]
    assert f"slow: {late[0]['words']}" in ended.err


def test_what_a_killed_rank_did_until_then_is_there(real: RealMpi) -> None:
    ended, report = real.watch(real.program("watched.c"), "killed", ranks=2)
    assert ended.code not in (0, 1, 2)
    assert report["exit_code"] == ended.code
    assert report["cut_off"] in ([0, 1], [1])
    # Turns 0 to 40 on both ranks.
    assert classes(report)["allreduce", 2]["calls"] == 41
    assert "did not come to MPI_Finalize" in ended.err
    assert not list(real.sandbox.folder.glob("orrery-watch.*"))


@needs("gfortran")
@pytest.mark.parametrize("module", [(), ("-DF08",)], ids=["mpi", "mpi_f08"])
def test_fortran_programs_get_what_they_get_without(real: RealMpi, module: tuple[str, ...]) -> None:
    program = real.program("deployed.F90", "mpifort", ("-w", "-fallow-argument-mismatch", *module))
    ended, report = real.watch(program, ranks=3)
    assert (ended.code, [line for line in ended.out.splitlines() if line == "ok"]) == (0, ["ok"]), ended.err
    found = classes(report)
    assert [found[kind, 3]["calls"] for kind in ("allreduce", "allgather", "bcast")] == [1, 1, 1]
    assert found["allreduce", 3]["bytes"] == 800


def test_what_no_class_has_is_said(real: RealMpi) -> None:
    ended, report = real.watch(real.program("watched.c"), "any")
    left = {entry["what"]: entry["calls"] for entry in report["left_out"]}
    assert left["non-blocking and persistent collectives"] == RANKS * TURNS
    assert left["communicators made"] == RANKS
    # All messages: receives of any tag hide which message is which.
    assert left["messages to ranks that receive any tag, or what a probe has found"] == RANKS * TURNS * 2
    assert "left out: 240 non-blocking and persistent collectives" in ended.err
    # Each half has a communicator of its own.
    assert classes(report)["allgather", 2]["communicators"] == 2


def test_of_very_many_collectives_some_are_observed_and_stand_for_the_others(real: RealMpi) -> None:
    ended, report = real.watch(real.program("watched.c"), "often", ranks=2)
    assert ended.code == 0, ended.err
    found = classes(report)["allreduce", 2]
    # The first 16,384 collectives are counted, of the others one in 64: some 216 of 13,796, give or take 2 times 15.
    assert found["calls"] == pytest.approx(TURNS + 30000, rel=0.07)
    assert found["calls"] != TURNS + 30000
    # Both ranks observe the same ones. How many of these begin at once depends on what else the machine does.
    assert 24 <= found["timed"] <= 48
    assert 0 < found["compared"]["samples"] <= found["timed"]
    assert 0 < found["time_s"] < report["run_s"]


def test_messages_are_compared_where_their_receivers_wait(real: RealMpi) -> None:
    _, report = real.watch(real.program("watched.c"), "several")
    assert report["messages"]
    for message in report["messages"]:
        assert message["way"].startswith("within a node")
        assert message["compared"]["ratio"] > 0


def test_a_poor_platform_and_another_model_with_force(real: RealMpi) -> None:
    options = ("-p", str(POOR), "--force", "--model", "fluid")
    ended, report = real.watch(real.program("watched.c"), ranks=2, options=options)
    assert (ended.code, report["model"], report["placed"]) == (0, "fluid", "order")
    # It is not known how far times of that model are off.
    assert {row["compared"]["verdict"] for row in report["collectives"]} == {""}


def test_lines_while_it_runs_and_a_file_at_the_end(real: RealMpi) -> None:
    options = ("--every", "0.3", "-o", "it.json")
    ended, report = real.watch(real.program("watched.c"), "late", ranks=2, options=options)
    lines = [line for line in ended.err.splitlines() if "% of the time in MPI" in line]
    assert len(lines) >= 2, ended.err
    written = json.loads((real.sandbox.folder / "it.json").read_text())
    assert written == report


def test_nothing_that_is_not_ours_is_overwritten(real: RealMpi) -> None:
    mine = real.sandbox.folder / "mine.json"
    mine.write_text("mine")
    ended, _ = real.watch("true", options=("-o", "mine.json"))
    assert (ended.code, mine.read_text()) == (2, "mine")
    ended, _ = real.watch(real.program("watched.c"), ranks=2, options=("-o", "mine.json", "--overwrite"))
    assert (ended.code, json.loads(mine.read_text())["ranks"]) == (0, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-p", "no-such"), "no-such"),
        (("--selector", "no-such"), 'no selector is named "no-such"'),
        (("--map", "no-such"), '--map "no-such"'),
        (("--model", "no-such"), "no-such"),
        (("--selector-rules", "no-such"), "no-such"),
        (("-p", "poor.toml"), "its calibration is poor"),
        (("-o", "-"), "standard output is the program's"),
    ],
)
def test_what_cannot_be_used_is_refused_before_the_program_runs(
    sandbox: Sandbox, options: tuple[str, ...], words: str
) -> None:
    shutil.copy(POOR, sandbox.folder / "poor.toml")
    ended = sandbox.orrery("watch", *options, "--", "touch", "it-ran")
    assert ended.code == 2
    assert words in ended.err
    assert not (sandbox.folder / "it-ran").exists()


def test_a_program_of_another_mpi_is_told_so(real: RealMpi) -> None:
    ended = real.sandbox.orrery("watch", "--mpicc", real.compiler("mpicc"), "--", "true")
    assert ended.code == 1
    assert "no rank was watched" in ended.err


@pytest.mark.parametrize(
    ("library", "selector"),
    [
        ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "openmpi-4.1"),
        ("Open MPI v5.0.8, package: x", "openmpi-5.0"),
        ("Open MPI v1.6.5, package: x", "openmpi-1.6"),
        ("MPICH Version:\t4.0.2", "mpich-4.0"),
        ("MPICH Version:      5.0.0", "mpich-5.0"),
        ("Another MPI 1.0", "default"),
    ],
)
def test_the_selector_is_guessed_from_what_the_library_says(library: str, selector: str) -> None:
    assert guessed_selector(library) == selector


def board(rank: int, cells: list[BoardCell], *, ranks: int, mpi_s: float = 0.5) -> Board:
    return Board(
        rank=rank,
        ranks=ranks,
        finalized=True,
        threads=False,
        now_s=1.0,
        calls=100,
        mpi_s=mpi_s,
        cores=1,
        left=[0] * 8,
        host=f"n{rank}",
        library="",
        cells=cells,
    )


def cell(
    what: int, peer: int, samples: list[CallTimes], *, collective: int = 0, ranks: int = 0, calls: int = 0
) -> BoardCell:
    calls = calls or len(samples)
    return BoardCell(
        what=what,
        collective=collective,
        flags=1,
        bucket=0,
        comm=WORLD,
        ranks=ranks,
        peer=peer,
        tag=0,
        stride=1,
        element=8,
        extent=0,
        calls=calls,
        bytes=sum(sample.bytes for sample in samples) // len(samples) * calls,
        time_s=sum(sample.end_s - sample.begin_s for sample in samples),
        samples=dict(enumerate(samples)),
    )


def ring(slow: dict[tuple[int, int], float], ranks: int = 5, size: int = 10**6) -> dict[int, Board]:
    """Each rank sends a megabyte to all others, one after the other; links of `slow` take so many times as long as expected."""
    expectation = on_graphene(ranks)
    cells: dict[int, list[BoardCell]] = {rank: [] for rank in range(ranks)}
    for source in range(ranks):
        for target in range(ranks):
            if source == target:
                continue
            time_s = expectation.message(size, source, target) * slow.get((source, target), 1.0)
            starts = [10.0 * turn + 2 * source + 0.3 * target for turn in range(6)]
            sent = [CallTimes(at, at, at + time_s, size, 1) for at in starts]
            # The receiver waits from a little earlier on.
            received = [CallTimes(at - 0.01, at - 0.01, at + time_s, size, 1) for at in starts]
            cells[source].append(cell(SENDS, target, sent))
            cells[target].append(cell(RECEIVES, source, received))
    return {rank: board(rank, cells[rank], ranks=ranks) for rank in range(ranks)}


def on_graphene(ranks: int) -> Expectation:
    laboratory = Laboratory("graphene", None, "node", said=False)
    names = [f"n{rank}" for rank in range(ranks)]
    return Expectation(
        laboratory, _core.Selector("default", "", [], None), placed(names, laboratory.hardware, None), names
    )


def named(boards: dict[int, Board]) -> list[tuple[str, list[str]]]:
    expectation = on_graphene(len(boards))
    return [
        (finding.what, finding.names)
        for finding in slow_links(exchanges_of(traffic_of(boards), expectation), expectation)
    ]


def test_a_ring_that_is_as_fast_as_expected_has_ratio_1_and_no_finding() -> None:
    boards = ring({})
    expectation = on_graphene(5)
    (found,) = compared_messages(exchanges_of(traffic_of(boards), expectation), expectation)
    assert (found.way, found.pairs, found.messages) == ("between nodes", 20, 120)
    assert found.compared.ratio == pytest.approx(1.0)
    assert found.compared.verdict == "as expected"
    assert named(boards) == []


@pytest.mark.parametrize(
    ("slow", "finding"),
    [
        ({(1, 2): 3.0}, ("link", ["n1", "n2"])),
        ({(1, other): 3.0 for other in (0, 2, 3, 4)}, ("from", ["n1"])),
        ({(other, 3): 3.0 for other in (0, 1, 2, 4)}, ("into", ["n3"])),
        ({pair: 3.0 for other in (0, 1, 2, 4) for pair in ((other, 3), (3, other))}, ("node", ["n3"])),
    ],
)
def test_a_slow_link_or_node_is_named_and_nothing_else(
    slow: dict[tuple[int, int], float], finding: tuple[str, list[str]]
) -> None:
    assert named(ring(slow)) == [finding]


def test_two_slow_links_are_both_named() -> None:
    assert sorted(named(ring({(1, 2): 3.0, (4, 0): 5.0}))) == [("link", ["n1", "n2"]), ("link", ["n4", "n0"])]


def test_where_all_messages_are_slow_the_platform_is_in_doubt_and_no_node() -> None:
    everywhere = {(source, target): 4.0 for source in range(5) for target in range(5)}
    assert named(ring(everywhere)) == [("messages", [])]


def test_messages_that_were_on_their_way_before_their_receivers_waited_are_not_compared() -> None:
    boards = ring({})
    for board in boards.values():
        for each in board.cells:
            if each.what == RECEIVES:  # half a second late, when all has arrived
                for number, sample in list(each.samples.items()):
                    late = sample.begin_s + 0.5
                    each.samples[number] = CallTimes(late, late, late + 1e-6, sample.bytes, 1)
    assert exchanges_of(traffic_of(boards), on_graphene(5)) == []


def collectives(late_s: float, calls: int = 200) -> dict[int, Board]:
    """Twenty samples of an allreduce of 4 ranks that takes 1 ms from when rank 2 comes, which it does later."""
    boards = {}
    for rank in range(4):
        begins = [turn + (late_s if rank == 2 else 0.0) for turn in range(20)]
        samples = [CallTimes(at, at, turn + late_s + 1e-3, 8, 1) for turn, at in enumerate(begins)]
        allreduce = cell(COLLECTIVES, 0, samples, collective=ALLREDUCE, ranks=4, calls=calls)
        boards[rank] = board(rank, [allreduce], ranks=4, mpi_s=0.1 if rank == 2 else 0.8)
    return boards


def test_the_time_of_a_collective_begins_when_its_last_rank_comes() -> None:
    (found,) = compared_collectives(collectives_of(collectives(0.25), {}), None)
    assert found.compared.measured_s == pytest.approx(1e-3)
    assert found.apart_s == pytest.approx(0.25)
    assert (found.last, found.last_share) == (2, 1.0)


def test_ranks_wait_for_the_late_one_in_all_calls_and_not_only_in_those_with_times() -> None:
    boards = collectives(0.001)
    waiting = waiting_of(collectives_of(boards, {}), traffic_of(boards))
    assert {(wait.rank, wait.late) for wait in waiting} == {(0, 2), (1, 2), (3, 2)}
    # 200 calls, of which 20 have times.
    assert all(wait.seconds == pytest.approx(0.2) for wait in waiting)
    (found,) = late_ranks(waiting, boards, run_s=1.0)
    assert (found.what, found.names) == ("rank", ["2"])
    assert "it computes longer" in found.words


def test_who_waits_for_whom_follows_the_direction_of_a_collective() -> None:
    moment = {0: Presence(2.0, 5.0), 1: Presence(1.0, 5.0), 2: Presence(4.0, 5.0), 3: Presence(0.0, 3.0)}
    # Rank 3 left before rank 2 came, so it waited for rank 0.
    assert list(waits_in("allreduce", -1, moment)) == [
        JoinedWait(0, 2, 2.0),
        JoinedWait(1, 2, 3.0),
        JoinedWait(3, 0, 2.0),
    ]
    assert list(waits_in("bcast", 1, moment)) == [JoinedWait(3, 1, 1.0)]
    assert list(waits_in("reduce", 1, moment)) == [JoinedWait(1, 2, 3.0)]


def test_ranks_are_placed_by_the_names_of_their_hosts() -> None:
    hardware = Laboratory("graphene", None, "slot", said=False).hardware
    last = hardware.hosts[-1].name
    found = placed([last, f"{hardware.hosts[1].name}.some.domain"], hardware, None)
    assert (found.host_of_rank, found.how) == ([len(hardware.hosts) - 1, 1], "names")
    found = placed(["b", "a", "b"], hardware, None)
    assert (found.host_of_rank, found.how) == ([0, 1, 0], "order")
    with pytest.raises(InputError, match="platform"):
        placed([f"x{number}" for number in range(len(hardware.hosts) + 1)], hardware, None)


def test_the_sizes_that_boards_are_read_with_are_those_of_the_library() -> None:
    from orrery.watch import board as reading

    text = (Path(__file__).parents[2] / "src" / "measure" / "watch" / "watch.h").read_text()
    assert "ORRERY_SAMPLES = 48" in text
    assert "ORRERY_CELL_BYTES = 2048" in text
    assert reading._CELL.itemsize == 2048
    assert len(reading.LEFT) == text.split("enum orrery_left {")[1].split("ORRERY_LEFT_REASONS")[0].count(
        "ORRERY_LEFT_"
    )
    assert os.sysconf("SC_PAGESIZE") <= reading._HEAD_BYTES


def test_a_rule_that_is_not_obeyed_as_it_is_written_is_told(real: RealMpi) -> None:
    unknown = '{"collectives": {"allreduce": [{"rules": [{"alg": "no_such"}, {"alg": "ring"}]}]}}'
    (real.sandbox.folder / "rules.json").write_text(unknown)
    options = ("--selector", "openmpi-5.0", "--selector-rules", "rules.json")
    ended, report = real.watch(real.program("watched.c"), ranks=2, options=options)
    assert ended.code == 0, ended.err
    (said,) = [caution for caution in report["cautions"] if "no_such" in caution]
    assert "the rule is ignored, as Open MPI does" in said
    assert said in ended.err
