# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark: loops that are simulated, the same by a real program, what follows from them, and advice for a program."""

from __future__ import annotations

import csv
import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from harness import ORRERY, Sandbox, until
from orrery import _core
from orrery.benchmark.advice import UsedCall, measured_advice, simulated_advice, uses_of
from orrery.benchmark.cases import COLLECTIVES, TESTS, LoopCase, cases
from orrery.benchmark.kept import LoopStore
from orrery.benchmark.results import BenchmarkResults, rows_of
from orrery.benchmark.settings import BenchmarkRequest
from orrery.benchmark.simulated import simulate
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import WINDOW, TimedLoop, both_ways, one_way, ping_pong, timed, with_barrier
from orrery.collective.versus import sends_of
from orrery.errors import InputError
from page_files import parts_of
from skips import needs

HYBRID = """
name = "two-way"
[[cluster]]
name = "two-way"
nodes = 8
cores = 1
bandwidth_bytes_per_s = "100MB/s"
latency_s = "5us"
memory_bandwidth_bytes_per_s = "1GB/s"
memory_latency_s = "1us"
[[network.between_nodes]]
end_bytes = 65536
protocol = "asynchronous"
send_overhead_s = "2us"
recv_overhead_s = "3us"
[[network.between_nodes]]
protocol = "synchronous"
latency_factor = 3
[[network.inside_node]]
protocol = "asynchronous"
"""


@pytest.fixture
def two_way(tmp_path: Path) -> str:
    """Nodes with overheads and a rendezvous."""
    (tmp_path / "two-way.toml").write_text(HYBRID)
    return str(tmp_path / "two-way.toml")


def _mean(platform: str, bodies: list[list[tuple[str, int, int, int]]]) -> float:
    with Laboratory(platform, None, "node", said=False).open() as laboratory:
        return timed(bodies, laboratory, _core.Selector()).mean_s


def test_a_ping_pong_is_two_messages(plain: str) -> None:
    assert _mean(plain, ping_pong(1000)) == pytest.approx(2 * 2e-6)  # 1 us and 1,000 bytes at 1 GB/s, there and back


def test_a_window_of_messages_fills_the_link(plain: str) -> None:
    # 64 messages share the link: 1 us and 64,000 bytes at 1 GB/s; then 4 bytes come back in 1.004 us.
    assert _mean(plain, one_way(1000)) == pytest.approx(1e-6 + 64e-6 + 1.004e-6)


def test_both_directions_do_not_share_it(plain: str) -> None:
    # Rank 1 is already in its next turn while its answer is on its way, and the answer waits for its share of the link.
    assert _mean(plain, both_ways(1000)) == pytest.approx(1e-6 + 64e-6 + 1.004e-6, rel=0.01)


def test_pairs_have_links_of_their_own(plain: str) -> None:
    case = LoopCase("message-rate", 8, 1000)
    assert case.pairs == 4
    mean_s = _mean(plain, case.bodies)
    assert mean_s == pytest.approx(_mean(plain, one_way(1000)))
    row = rows_of([(case, TimedLoop(20, mean_s, 0.0))], {})[0]
    assert row.rate_messages_per_s == pytest.approx(4 * WINDOW / mean_s)
    assert row.rate_bytes_per_s == pytest.approx(4 * WINDOW * 1000 / mean_s)


def test_the_barrier_after_a_collective_is_in_its_loop(plain: str) -> None:
    (call,) = [LoopCase("bcast", 2, 1000).call]
    # The broadcast is there after 2 us; the barrier's message from the root is there by then, that of the other one 1 us later.
    assert _mean(plain, with_barrier(call)) == pytest.approx(3e-6)
    assert _mean(plain, with_barrier(LoopCase("barrier", 4, 0).call)) == pytest.approx(2e-6)  # two rounds


def test_a_loop_is_as_long_as_its_mean_is_sure_or_as_there_may_be_turns() -> None:
    assert TimedLoop.of([1.0, 1.0, 1.0]).sure
    assert not TimedLoop.of([1.0, 2.0, 1.0, 2.0]).sure
    assert TimedLoop.of([1.0, 2.0]).half_width_s == pytest.approx(1.96 * 0.5**0.5 / 2**0.5)


@pytest.mark.parametrize(
    ("test", "sends"), [("bcast", 3), ("allreduce", 6), ("alltoall", 12), ("scan", 0), ("barrier", 0)]
)
def test_sends_are_counted_as_the_thesis_does(test: str, sends: int) -> None:
    assert sends_of(test, 4) == sends


def test_collectives_stand_beside_sends_and_barriers_are_taken_off() -> None:
    rows = rows_of(
        [
            (LoopCase("latency", 4, 8), TimedLoop(20, 20e-6, 0.0)),
            (LoopCase("bcast", 4, 8), TimedLoop(20, 40e-6, 0.0)),
            (LoopCase("bcast", 4, 64), TimedLoop(20, 50e-6, 0.0)),
            (LoopCase("barrier", 4, 0), TimedLoop(20, 15e-6, 0.0)),
        ],
        {},
    )
    bcast = {row.case.bytes: row for row in rows if row.case.test == "bcast"}
    assert bcast[8].sends_s == pytest.approx(3 * 10e-6)
    assert bcast[8].side == "H"
    assert bcast[8].without_barrier_s == pytest.approx(25e-6)
    assert bcast[64].side is None  # its latency was not timed
    assert rows[0].latency_s == pytest.approx(10e-6)
    assert [scenario.words for scenario in BenchmarkResults(where="x", facts={}, rows=rows).scenarios] == [
        "always higher"
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((["bcats"], "4", "8"), 'did you mean "bcast"'),
        ((["bcast"], "1", "8"), "needs two ranks"),
        ((["reduce"], "4", "6"), "numbers of 4 bytes"),
    ],
)
def test_what_cannot_be_timed_is_refused(arguments: tuple[list[str], str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        cases(*arguments)


def test_what_is_kept_is_not_timed_again_and_a_cut_line_is_none(tmp_path: Path) -> None:
    kept = LoopStore(tmp_path / "kept.csv", "abc", LoopCase)
    kept.begin()
    kept.add(LoopCase("bcast", 4, 8), TimedLoop(20, 1e-5, 1e-7))
    with kept.file.open("a") as file:
        file.write("bcast,4,16,2")
    kept.begin()
    assert kept.read() == {LoopCase("bcast", 4, 8): TimedLoop(20, 1e-5, 1e-7)}
    with pytest.raises(InputError, match="of another platform, command or number of repetitions"):
        LoopStore(kept.file, "other", LoopCase).begin()
    (tmp_path / "mine.csv").write_text("mine\n")
    with pytest.raises(InputError, match="is not a file that"):
        LoopStore(tmp_path / "mine.csv", "abc", LoopCase).begin()
    kept.file.write_text(kept.file.read_text().replace(",20,", ",twenty,").replace("bcast,4,16,2", "") + "\n")
    with pytest.raises(InputError, match="line 3"):
        kept.read()


def test_a_simulation_goes_on_from_what_is_kept(two_way: str, tmp_path: Path) -> None:
    file = tmp_path / "kept.csv"
    request = BenchmarkRequest(tests=["latency", "bcast"], sizes="8,64", platform=two_way, repetitions=20, keep=file)
    whole = simulate(request)
    lines = file.read_text().splitlines(keepends=True)
    assert len(lines) == 2 + 4
    file.write_text("".join(lines[:-1]))
    again = simulate(request)
    assert again.rows == whole.rows
    assert file.read_text().splitlines(keepends=True) == lines
    with pytest.raises(InputError, match="begun of another platform"):
        simulate(replace(request, platform="default"))


def _csv(sandbox: Sandbox, name: str) -> dict[tuple[str, int], float]:
    with (sandbox.folder / name).open(newline="") as file:
        return {(row["test"], int(row["bytes"])): float(row["time_s"]) for row in csv.DictReader(file)}


def test_the_program_of_real_clusters_takes_the_times_of_the_simulated_loops(sandbox: Sandbox) -> None:
    """The C program runs on Orrery's own MPI, which is as real for it as any: both ways must agree."""
    (sandbox.folder / "two-way.toml").write_text(HYBRID)
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.built / "cache")
    options = ["-n", "4", "-s", "8,4KiB,128KiB", "--repetitions", "20", *TESTS]
    simulated = sandbox.orrery("benchmark", "--platform", "two-way.toml", "-o", "simulated.csv", *options)
    assert simulated.code == 0, simulated.err
    prefix = sandbox.orrery("prefix").out.strip()
    mpirun = f"{ORRERY} run -n {{n}} --platform two-way.toml --map node --compute none"
    measured = sandbox.orrery(
        "benchmark", "--mpirun", mpirun, "--mpicc", f"{prefix}/bin/mpicc", "--budget", "50s", "-o", "real.csv", *options
    )
    assert measured.code == 0, measured.err
    expected, found = _csv(sandbox, "simulated.csv"), _csv(sandbox, "real.csv")
    assert expected.keys() == found.keys()
    # The program makes a broadcast and a barrier after each four turns here, and the first of the next four starts afresh.
    far = {
        case: (found[case], time_s)
        for case, time_s in expected.items()
        if found[case] != pytest.approx(time_s, rel=0.2)
    }
    assert far == {}


@pytest.mark.parametrize("mpi", [pytest.param(name, marks=needs(name)) for name in ("openmpi", "mpich")])
def test_a_real_mpi_is_timed_and_the_same_command_goes_on(sandbox: Sandbox, mpi: str) -> None:
    sandbox.environment |= {
        "XDG_CACHE_HOME": str(sandbox.built / "cache"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    more = " --oversubscribe" if mpi == "openmpi" else ""
    line = ["benchmark", "latency", "bcast", "barrier", "-n", "2", "-s", "8,1KiB", "--repetitions", "20", "--budget", "20s",
            "--mpirun", f"mpirun.{mpi}{more} -np {{n}}", "--keep", "times.csv"]  # fmt: skip
    first = sandbox.orrery(*line, "--report", "it.html")
    assert first.code == 0, first.err
    assert "# Latency: half of a ping-pong between ranks 0 and 1, 2 ranks" in first.out
    assert "timing 5 loops on 2 ranks" in first.err
    again = sandbox.orrery(*line)
    assert again.code == 0, again.err
    assert again.out == first.out  # nothing was timed again
    assert "timing" not in again.err
    assert "bcast, 2 ranks" in parts_of(sandbox.folder / "it.html")


def test_tables_are_those_of_osu(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "benchmark", "latency", "one-way", "bcast", "-n", "4", "-s", "8,1KiB", "-p", "graphene", "--map", "node"
    )
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    at = lines.index("# Latency: half of a ping-pong between ranks 0 and 1, 4 ranks")
    assert lines[at + 1].split() == ["#", "Size", "Latency", "(us)", "+/-", "%", "Iterations"]
    assert lines[at + 2].split()[0] == "8"
    assert any(line.startswith("# Size") and "Bandwidth (MB/s)" in line for line in lines)
    at = lines.index("# MPI_Bcast and MPI_Barrier, 4 ranks")
    assert "3 sends(us)" in lines[at + 1]
    assert "# bcast           4 ranks  higher, crossover at 1024 B, then lower" in ended.out


def test_results_are_written_as_their_ending_says(sandbox: Sandbox) -> None:
    ended = sandbox.orrery(
        "benchmark", "latency", "bcast", "barrier", "-n", "4", "-s", "8:64", "-p", "graphene", "-o", "it.csv", "-o",
        "it.json", "--report", "it.html", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    found = json.loads((sandbox.folder / "it.json").read_text())
    assert json.loads(ended.out) == found
    assert [row["test"] for row in found["rows"]] == ["latency"] * 4 + ["bcast"] * 4 + ["barrier"]
    assert all(row["without_barrier_s"] > 0 for row in found["rows"] if row["test"] == "bcast")
    assert (sandbox.folder / "it.csv").read_text().startswith(",".join(found["rows"][0]))
    parts = parts_of(sandbox.folder / "it.html")
    assert {"Collectives beside the sends that would do the same", "bcast, 4 ranks", "All loops"} <= parts.keys()
    assert sandbox.orrery("benchmark", "latency", "-s", "8", "-o", "it.csv").code == 0  # its own file is replaced


def test_a_program_is_told_which_calls_would_take_less(sandbox: Sandbox) -> None:
    workload = 'ranks = 8\n[[phase]]\nkind = "bcast"\nbytes = "64KiB"\nrepeat = 5\n[[phase]]\nkind = "barrier"\n'
    (sandbox.folder / "it.toml").write_text(workload)
    assert sandbox.orrery("replay", "it.toml", "-o", "it.trace", "-p", "graphene", "--map", "node").code == 0
    line = ["benchmark", "latency", "-s", "8", "-p", "graphene", "--for", "it.trace", "--coll", "bcast=linear"]
    ended = sandbox.orrery(*line, "--json", "--report", "it.html")
    assert ended.code == 0, ended.err
    advice = json.loads(ended.out)["advice"]
    best = advice[0]
    assert (best["used"]["kind"], best["used"]["bytes"], best["used"]["calls"]) == ("bcast", 65536, 5)
    assert best["algorithm"] == "linear"
    assert best["better"] == best["other"] != ""  # some tree takes less than seven sends from the root
    assert best["gain_s"] == pytest.approx(5 * (best["time_s"] - best["other_s"]))
    assert "Advice for it.trace" in parts_of(sandbox.folder / "it.html")
    told = sandbox.orrery(*line).out
    assert f"by {best['other']}" in told
    assert told == sandbox.orrery(*line, "--map", "node").out  # ranks are where the trace had them
    assert told != sandbox.orrery(*line, "--map", "slot").out


def test_advice_for_a_trace_that_was_cut_off_says_so_first(sandbox: Sandbox) -> None:
    assert sandbox.run(8, "long_collectives", options=("-o", "it.trace", "--compute", "none")).code == 0
    whole = (sandbox.folder / "it.trace").read_bytes()
    (sandbox.folder / "some.trace").write_bytes(whole[:-10])
    (sandbox.folder / "few.trace").write_bytes(whole[: len(whole) // 2])
    line = ["benchmark", "--quick", "-n", "8", "--for"]
    some, few = sandbox.orrery(*line, "some.trace"), sandbox.orrery(*line, "few.trace")
    assert some.err.startswith("orrery: no advice: calls that are lost: the index is missing or damaged")
    assert few.code == 2
    assert few.err.endswith(
        "are alike (the index is missing or damaged: the file was cut off, or is still being written)\n"
    )


def test_calls_of_communicators_beside_each_other_are_not_summed(sandbox: Sandbox) -> None:
    """Four rows reduce three times each, and four columns gather three times: each rank makes three calls of both kinds."""
    run = sandbox.run(16, "rows_and_columns", options=("-o", "it.trace", "--platform", "graphene", "--compute", "none"))
    assert run.code == 0, run.err
    uses, left_out = uses_of(sandbox.folder / "it.trace")
    calls = {use.kind: (use.ranks, use.calls) for use in uses}
    assert calls == {"allreduce": (4, 3), "allgather": (4, 3), "bcast": (16, 3)}
    assert [reason.partition(",")[0] for reason in left_out] == ["communicators that are made"]


def test_advice_from_measured_times_is_interpolated() -> None:
    times = {"latency": (20e-6, 200e-6), "bcast": (50e-6, 180e-6)}
    rows = rows_of(
        [
            (LoopCase(test, 4, size), TimedLoop(9, t, 0.0))
            for test, both in times.items()
            for size, t in zip((8, 800), both, strict=True)
        ],
        {},
    )
    results = BenchmarkResults(where="x", facts={}, rows=rows)
    small, middle, large = measured_advice(
        [UsedCall(kind="bcast", ranks=4, bytes=size, calls=10) for size in (8, 80, 8000)], results
    )
    assert small.better == "sends"
    assert small.gain_s == pytest.approx(10 * (50e-6 - 3 * 10e-6))
    assert middle.time_s == pytest.approx((50e-6 * 180e-6) ** 0.5)  # half-way on logarithmic scales
    assert large.time_s is None
    assert large.better == ""


def test_a_trace_without_collectives_is_refused(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text('ranks = 4\n[[phase]]\nkind = "compute"\ncompute_s = "1ms"\n')
    assert sandbox.orrery("replay", "it.toml", "-o", "it.trace").code == 0
    ended = sandbox.orrery("benchmark", "--quick", "--for", "it.trace")
    assert ended.code == 2
    assert "has no blocking collective calls" in ended.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--mpirun", "mpirun -np {n}", "--selector", "openmpi-1.3"], "--selector: acts not with --mpirun"),
        (["--mpicc", "mpicc"], "--mpicc: acts only with --mpirun"),
        (["--mpirun", "mpirun -np 4"], "says nowhere how many ranks"),
        (["--mpirun", "no-such-launcher -n {n}", "--mpicc", "no-such-mpicc"], "no-such-mpicc"),
        (["-p", "nowhere"], "nowhere"),
        (["-o", "it.txt"], ".json, .csv"),
    ],
)
def test_what_would_be_ignored_or_cannot_be_used_is_refused(sandbox: Sandbox, line: list[str], said: str) -> None:
    ended = sandbox.orrery("benchmark", "latency", "-s", "8", *line)
    assert ended.code == 2
    assert said in ended.err


def test_every_collective_of_the_suite_is_one_that_can_be_simulated() -> None:
    with Laboratory("default", None, "node", said=False).open() as laboratory:
        for test in COLLECTIVES:
            size = 0 if test == "barrier" else 64
            found = timed(LoopCase(test, 4, size).bodies, laboratory, _core.Selector("openmpi-1.3"), most_turns=4)
            assert found.mean_s > 0, test


def test_steps_that_there_are_not_are_refused() -> None:
    with Laboratory("default", None, "node", said=False).open() as laboratory:
        with pytest.raises(InputError, match='no step "jump"'):
            laboratory.turns([[("jump", 0, 0, 1)]], 1, _core.Selector())
        with pytest.raises(InputError, match="wait for each other for ever"):
            laboratory.turns([[("recv", 1, 8, 1)], []], 1, _core.Selector())


def test_advice_of_a_simulation_needs_no_loops() -> None:
    with Laboratory("graphene", None, "node", said=False).open() as laboratory:
        (advice,) = simulated_advice(
            [UsedCall(kind="alltoall", ranks=4, bytes=8, calls=3)], laboratory, _core.Selector()
        )
    assert advice.time_s is not None
    assert advice.sends_s is not None
    assert advice.sends_s > advice.time_s  # twelve messages, one after the other


def _interrupted(sandbox: Sandbox, line: list[str], kept: str) -> None:
    """Ctrl-C once some loops are kept: what is there is shown, and the same command goes on from it."""
    process = sandbox.start(*line)
    file = sandbox.folder / kept
    until(lambda: file.exists() and file.read_text().count("\n") >= 4, process)
    process.send_signal(signal.SIGINT)
    ended = sandbox.finish(process)
    assert ended.code == 130, ended.err
    assert "the same command goes on from there" in ended.err
    there = file.read_text().splitlines()[2:]
    assert there
    assert "# Latency" in ended.out


def test_ctrl_c_shows_what_is_simulated_by_then(sandbox: Sandbox) -> None:
    line = ["benchmark", "latency", "alltoall", "-n", "64", "-p", "graphene", "--keep", "kept.csv", "-s", "4:64KiB"]
    _interrupted(sandbox, line, "kept.csv")


@needs("mpich")
def test_ctrl_c_shows_what_is_measured_by_then(sandbox: Sandbox) -> None:
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.built / "cache")
    line = ["benchmark", "latency", "bcast", "-n", "2", "-s", "4:1MiB", "--repetitions", "1000000", "--budget", "40s",
            "--mpirun", "mpirun.mpich -n {n}", "--keep", "kept.csv"]  # fmt: skip
    _interrupted(sandbox, line, "kept.csv")
