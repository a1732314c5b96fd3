# SPDX-License-Identifier: BSD-3-Clause
"""Computation without what disturbed its measurement (--compute steady): in runs, in traces, and in their replays."""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import PROGRAMS, Sandbox
from orrery import _core

_KIND = {name: number for number, name in enumerate(_core.operation_kinds())}
_SITES = 2
"""Number of the table of call sites."""
_RANKS, _STEPS, _UNIT_S = 32, 120, 100e-6

Work = Callable[[int, int, random.Random], float]
"""Units of a rank in a step."""

WORK: dict[str, Work] = {
    "equal": lambda _rank, _step, _draw: 1.0,
    "triangular": lambda rank, _step, _draw: 2 * (rank + 1) / _RANKS,
    "drifting": lambda _rank, step, _draw: 1 + 2 * step / _STEPS,
    "alternating": lambda _rank, step, _draw: 3.0 if step % 2 else 1.0,
    "tenth": lambda _rank, step, _draw: 10.0 if step % 10 == 9 else 1.0,
    "slow": lambda rank, _step, _draw: 2.0 if rank == 5 else 1.0,
    "doubling": lambda _rank, step, _draw: 1.0 if step < _STEPS // 2 else 2.0,
    "drawn": lambda _rank, _step, draw: draw.uniform(0.5, 1.5),
}


def _measured(work: float, draw: random.Random) -> float:
    """What a quiet host makes of it: 3 % more or less, and now and then an interruption."""
    measured = work * math.exp(draw.gauss(0, 0.03))
    return measured + (draw.expovariate(5) if draw.random() < 0.015 else 0)


def _trace(path: Path, work: Work, steps: int = _STEPS) -> float:
    """Write a trace of that work, with an allreduce after each step. Returns the time of its computation without noise."""
    draw = random.Random(1)  # noqa: S311  no secret
    units = [[work(rank, step, draw) for rank in range(_RANKS)] for step in range(steps)]
    writer = _core.TraceWriter(str(path), _RANKS)
    writer.names(_SITES, 1, ["program+0x10", "program+0x20"])
    for rank in range(_RANKS):
        for step in range(steps):
            writer.operation(
                rank, _KIND["collective"], flags=3, collective="allreduce", tag=step, bytes=8, element=8, site=1,
                compute_s=round(_measured(units[step][rank], draw) * _UNIT_S, 9),
            )  # fmt: skip
        writer.operation(rank, _KIND["finalize"], flags=2, site=2)
        writer.end(rank)
    writer.close()
    return sum(map(max, units)) * _UNIT_S


@pytest.mark.parametrize("name", WORK)
def test_a_replay_charges_the_work_and_not_the_noise(sandbox: Sandbox, name: str) -> None:
    """On a network without costs simulated time is that of the slowest rank in each step."""
    exact_s = _trace(sandbox.folder / "it.trace", WORK[name])
    steady = sandbox.replayed("it.trace", "--ideal", "--compute", "steady")
    raw = sandbox.replayed("it.trace", "--ideal", "--compute", "raw")
    assert steady["simulated_s"] == pytest.approx(exact_s, rel=0.05)
    assert raw["simulated_s"] > steady["simulated_s"]
    assert raw["steady"] == {**steady["steady"], "charged": False}
    assert steady["steady"]["regions"] == 2  # the first comes from nowhere
    assert steady["steady"]["samples"] == _RANKS * _STEPS


def _multigrid(_rank: int, step: int, _draw: random.Random) -> float:
    """Six grids, down and up, an eighth of the work on the next one; a cycle takes 24 exchanges of three faces."""
    stage = (step + 1) // 3 % 24
    grid = stage // 2 if stage < 12 else (23 - stage) // 2
    return 0.02 + (20 * 8.0**-grid if (step + 1) % 3 == 0 else 0)


def test_a_cycle_that_comes_to_all_its_grids_by_the_same_calls_keeps_its_work(sandbox: Sandbox) -> None:
    exact_s = _trace(sandbox.folder / "it.trace", _multigrid, 20 * 72)
    record = sandbox.replayed("it.trace", "--ideal", "--compute", "steady")
    assert record["simulated_s"] == pytest.approx(exact_s, rel=0.1)
    assert record["steady"]["removed_s"] < 0.01 * record["steady"]["measured_s"]
    assert not any("removed as this host's noise" in caution for caution in record["cautions"])


def test_much_that_was_removed_is_a_caution(sandbox: Sandbox) -> None:
    writer = _core.TraceWriter(str(sandbox.folder / "it.trace"), 1)
    writer.names(_SITES, 1, ["program+0x10"])
    for step in range(100):
        writer.operation(0, _KIND["compute"], flags=2, site=1, compute_s=10e-3 if step == 60 else 1e-4)
    writer.operation(0, _KIND["finalize"], flags=2)
    writer.end(0)
    writer.close()
    said = "50% of the computation was removed as this host's noise"
    assert said in sandbox.orrery("replay", "it.trace", "--ideal", "--compute", "steady").out
    assert said not in sandbox.orrery("replay", "it.trace", "--ideal", "--compute", "raw").out


def test_a_trace_that_no_simulation_recorded_is_replayed_as_measured_by_default(sandbox: Sandbox) -> None:
    _trace(sandbox.folder / "it.trace", WORK["equal"])
    assert sandbox.replayed("it.trace", "--ideal")["steady"]["charged"] is False


def test_a_trace_without_call_sites_cannot_be_made_steady(sandbox: Sandbox) -> None:
    writer = _core.TraceWriter(str(sandbox.folder / "bare.trace"), 1)
    writer.operation(0, _KIND["finalize"], flags=2, compute_s=1e-3)
    writer.end(0)
    writer.close()
    ended = sandbox.replay("bare.trace", "--compute", "steady")
    assert ended.code == 2
    assert "does not say from where the program called" in ended.err
    assert "orrery capture --callsites" in ended.err


def test_instructions_and_page_faults_are_in_the_trace_and_count(sandbox: Sandbox) -> None:
    """The second half takes three times as long, by as many instructions: the work is the same, and the host is slow."""
    writer = _core.TraceWriter(str(sandbox.folder / "it.trace"), 1)
    writer.names(_SITES, 1, ["program+0x10"])
    for step in range(40):
        slow = step in (25, 26, 27)
        writer.operation(
            0, _KIND["compute"], flags=2, site=1, compute_s=3e-4 if slow else 1e-4, instructions=200_000,
            faults=5_000 if step == 30 else 0,
        )  # fmt: skip
    writer.operation(0, _KIND["finalize"], flags=2)
    writer.end(0)
    writer.close()
    record = sandbox.replayed("it.trace", "--ideal", "--compute", "steady")
    assert record["simulated_s"] == pytest.approx(40 * 1e-4, rel=0.02)
    assert record["steady"]["with_instructions"] == 40
    assert record["steady"]["outliers"] == 3


def test_a_trace_keeps_what_part_of_its_time_a_region_takes_with_warm_caches(sandbox: Sandbox) -> None:
    writer = _core.TraceWriter(str(sandbox.folder / "it.trace"), 1)
    writer.names(_SITES, 1, ["program+0x10"])
    for step in range(40):
        writer.operation(
            0, _KIND["compute"], flags=2, site=1, compute_s=1e-4, warm=250 if step == 20 else 0,
        )  # fmt: skip
    writer.operation(0, _KIND["finalize"], flags=2)
    writer.end(0)
    writer.close()
    record = sandbox.replayed("it.trace", "--ideal", "--compute", "steady")
    assert record["simulated_s"] == pytest.approx(25e-4, rel=0.02)
    assert record["steady"]["cold_caches_s"] == pytest.approx(15e-4, rel=0.02)
    assert sandbox.replayed("it.trace", "--ideal", "--compute", "raw")["simulated_s"] == pytest.approx(40e-4, rel=1e-6)


def test_a_trace_keeps_that_a_region_takes_the_same_time_each_time(sandbox: Sandbox) -> None:
    """Above 1,000 the part is that of the usual time, for each sample of that kind of work."""
    writer = _core.TraceWriter(str(sandbox.folder / "it.trace"), 1)
    writer.names(_SITES, 1, ["program+0x10"])
    for step in range(64):
        writer.operation(
            0, _KIND["compute"], flags=2, site=1, compute_s=(0.9 if step % 2 else 1.1) * 1e-4, warm=1_500 if step == 32 else 0,
        )  # fmt: skip
    writer.operation(0, _KIND["finalize"], flags=2)
    writer.end(0)
    writer.close()
    record = sandbox.replayed("it.trace", "--ideal", "--compute", "steady")
    assert record["simulated_s"] == pytest.approx((32 + 32 * 0.5) * 1e-4, rel=0.02)
    sandbox.orrery("trace", "slice", "it.trace", "-o", "same.trace")
    assert sandbox.replayed("same.trace", "--ideal", "--compute", "steady")["simulated_s"] == record["simulated_s"]


def test_ranks_that_are_copied_for_warm_caches_compute_once_and_keep_no_child(sandbox: Sandbox) -> None:
    """The program counts its steps, and the bytes that it writes in them, and waits for any child that it may have."""
    ended = sandbox.run(12, "counted_steps", "40")
    assert ended.code == 0, ended.err
    assert ended.out.count("40 steps, 40 lines, no child") == 12


@pytest.mark.parametrize("kind", [*WORK, "groups"])
def test_a_run_charges_the_work_as_it_is(sandbox: Sandbox, kind: str) -> None:
    """Known work, stated in time of the processor, takes that long; an allreduce of 12 ranks comes besides.

    Drawn work comes out 3 to 4 % short: a rank's first samples are taken for noise of one kind.
    """
    ended = sandbox.run(12, "known_work", kind, "120", "2", "200")
    assert ended.code == 0, ended.err
    found = re.search(r"([\d.]+) us a step, of ([\d.]+) units", ended.out)
    assert found is not None, ended.out
    assert float(found[1]) / (200 * float(found[2])) == pytest.approx(1, abs=0.08)


def test_a_rank_that_works_twice_as_long_stays_slow(sandbox: Sandbox) -> None:
    """Ranks share what is measured with warm caches: work that differs is not evened out.

    It is stated in time of the processor, so that no host makes the one longer than the other.
    """
    unit = "100"
    ended = sandbox.run(12, "known_work", "slow", "120", "2", unit)
    assert ended.code == 0, ended.err
    found = re.search(r"slowest +rank (\d+) computes (\d+)% longer than the average", ended.err)
    assert found is not None, ended.err
    assert found[1] == "4"
    assert int(found[2]) > 70
    alike = sandbox.run(12, "known_work", "equal", "120", "1", unit).record["simulated_s"]
    assert 1.8 < ended.record["simulated_s"] / alike < 2.1


def test_work_of_several_kinds_between_calls_from_one_place_is_kept(sandbox: Sandbox) -> None:
    """What is measured with warm caches of one kind says nothing of the others. The work takes as long with cold ones."""
    ended = sandbox.run(12, "one_place", "150", options=("-o", "it.trace"))
    assert ended.code == 0, ended.err
    steady = ended.record["steady"]
    assert steady["cold_caches_s"] < 0.3 * steady["measured_s"]
    assert steady["cold_caches_s"] + steady["removed_s"] < 0.5 * steady["measured_s"]


def test_the_summary_says_what_was_taken_out(sandbox: Sandbox) -> None:
    _trace(sandbox.folder / "it.trace", WORK["equal"])
    said = sandbox.orrery("replay", "it.trace", "--ideal", "--compute", "steady").out
    assert re.search(r"^regions +2, \S+ .s of all ranks, \d+% repeated$", said, re.MULTILINE)
    assert re.search(r"^host noise +\S+ .s \(\d+%\) evened out, \S+ .s \(\d+%\) removed$", said, re.MULTILINE)
    assert max(len(line) for line in said.splitlines() if line.startswith(("regions", "host noise"))) <= 100
    said = sandbox.orrery("replay", "it.trace", "--ideal", "--compute", "raw").out
    assert re.search(r"^host noise +\S+ .s \(\d+%\), charged \(--compute steady filters it\)$", said, re.MULTILINE)


def _verdict(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition('<p class="verdict ')[2].partition("</p>")[0]


def test_a_page_tells_the_noise_of_this_host_from_the_imbalance_of_the_program(sandbox: Sandbox) -> None:
    """Noise makes all ranks wait for all; with a slow rank they wait for that one, and the noise is told besides."""
    for name, whom in {
        "equal": "none is slow throughout.",
        "slow": "of all waiting is for rank 5.",
    }.items():
        exact_s = _trace(sandbox.folder / "it.trace", WORK[name])
        page = sandbox.folder / f"{name}.html"
        raw = sandbox.replayed("it.trace", "--ideal", "--compute", "raw", "--report", str(page))
        share = 1 - exact_s / raw["simulated_s"]
        said = _verdict(page)
        found = re.search(r"Noise of this host is (\d+)% of the time: with --compute steady it is", said)
        assert found is not None, said
        assert int(found[1]) / 100 == pytest.approx(share, abs=0.06)
        assert whom in said
        steady = sandbox.folder / f"{name}-steady.html"
        sandbox.replayed("it.trace", "--ideal", "--compute", "steady", "--report", str(steady))
        assert "Noise of this host" not in _verdict(steady)


@pytest.mark.parametrize("form", ["ti", "goal"])
def test_formats_without_regions_get_computation_as_the_run_charged_it(sandbox: Sandbox, form: str) -> None:
    exact_s = _trace(sandbox.folder / "it.trace", WORK["equal"])
    for charge in ("steady", "raw"):
        recorded = sandbox.replayed("it.trace", "--ideal", "--compute", charge, "-o", f"{charge}.trace")
        converted = sandbox.orrery("trace", "convert", f"{charge}.trace", "-o", f"{charge}.{form}")
        assert "computation" not in converted.err
        again = sandbox.replayed(f"{charge}.{form}", "--ideal")
        assert again["simulated_s"] == pytest.approx(recorded["simulated_s"], rel=1e-3)
        assert again["simulated_s"] == pytest.approx(exact_s, rel=0.05) or charge == "raw"


def test_a_run_knows_its_regions_and_its_replay_takes_the_same_time(sandbox: Sandbox) -> None:
    """Between the calls of a step of halo.c are ten regions, that of the first call of the next step included."""
    ended = sandbox.orrery("run", "-n", "4", "-o", "run.json", "-o", "it.trace", sandbox.program("halo"), "64", "30")
    assert ended.code == 0, ended.err
    steady = ended.record["steady"]
    assert steady["regions"] >= 10
    assert steady["repeated_regions"] >= 10
    assert steady["samples"] > 4 * 30 * 5
    assert 0 < steady["repeated_s"] <= steady["measured_s"]
    again = sandbox.replayed("it.trace")
    assert again["simulated_s"] == ended.record["simulated_s"]
    assert again["steady"] == steady
    raw = sandbox.replay("it.trace", "--compute", "raw")
    assert raw.record["steady"] == {**steady, "charged": False}
    assert "computation raw, recorded with steady" in raw.err


def test_a_call_site_has_one_number_in_all_ranks_wherever_the_program_was_loaded(sandbox: Sandbox) -> None:
    """Ranks that are started afresh have their modules at other addresses each."""
    ended = sandbox.orrery("run", "-n", "3", "--launch", "exec", "-o", "it.trace", sandbox.program("halo"), "16", "5")
    assert ended.code == 0, ended.err
    file = _core.TraceFile(str(sandbox.folder / "it.trace"))
    site = 18  # in a tuple of TraceReader.read
    sites = [
        {operation[site] for operation in _core.TraceReader(file, rank).read(10_000) if len(operation) > site}
        for rank in range(3)
    ]
    assert sites[0] == sites[1] == sites[2]
    assert len([text for text in sites[0] if "halo+0x" in text]) >= 10
    assert set(file.sites.values()) >= sites[0] - {""}


def test_lines_of_python_are_call_sites_of_their_own(sandbox: Sandbox) -> None:
    """Its MPI module has one place for each function. A line that makes two calls has two sites; of functions that are made
    again and again, lines are known of the first ones.
    """
    pytest.importorskip("mpi4py")
    program = PROGRAMS / "lines.py"
    ended = sandbox.orrery("run", "-n", "2", "-o", "it.trace", sys.executable, str(program))
    assert ended.code == 0, ended.err
    file = _core.TraceFile(str(sandbox.folder / "it.trace"))
    sites = [
        {operation[18] for operation in _core.TraceReader(file, rank).read(10_000) if len(operation) > 18}
        for rank in range(2)
    ]
    assert sites[0] == sites[1]
    lines = program.read_text().splitlines()
    calls = [number for number, line in enumerate(lines, 1) if "Allreduce" in line or "Barrier" in line]
    assert {f"{program}:{number}" for number in calls} <= sites[0]
    broadcast = next(number for number, line in enumerate(lines, 1) if "bcast" in line)
    assert list(file.sites.values()).count(f"{program}:{broadcast}") == 2
    assert any("MPI." in text and "+0x" in text for text in sites[0])


def test_raw_is_what_was_measured_and_cpu_is_another_word_for_it(sandbox: Sandbox) -> None:
    for word in ("raw", "cpu"):
        ended = sandbox.run(2, "halo", "16", "5", options=("--compute", word))
        assert ended.record["steady"]["charged"] is False
        assert ended.record["compute"] == "raw"


def test_a_word_that_is_no_way_to_charge_computation_is_refused(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "halo", options=("--compute", "fast"))
    assert ended.code == 2
    assert "expected steady, raw, none, or a factor above 0" in ended.err


def test_declared_computation_is_charged_to_the_last_bit(sandbox: Sandbox) -> None:
    """Rank 3 declares 40 s; measured computation comes besides."""
    ended = sandbox.run(4, "declared", "10")
    assert 40 < ended.record["simulated_s"] < 40.5


@pytest.mark.parametrize(
    ("said", "cure"),
    [
        ("0.5", "; a factor on recorded computation is --compute-scale 0.5"),
        ("none", "--compute-scale 0\n"),
        ("fast", "raw\n"),
    ],
)
def test_what_a_run_takes_as_computation_a_replay_refuses_with_its_own_word(
    sandbox: Sandbox, said: str, cure: str
) -> None:
    _trace(sandbox.folder / "it.trace", WORK["equal"])
    ended = sandbox.replay("it.trace", "--compute", said)
    assert ended.code == 2
    assert f'--compute "{said}": expected steady or raw' in ended.err
    assert cure in ended.err


def test_the_summary_says_what_computation_is_outside_of_regions(sandbox: Sandbox) -> None:
    writer = _core.TraceWriter(str(sandbox.folder / "it.trace"), 1)
    writer.names(_SITES, 1, ["program+0x10"])
    for step in range(20):
        writer.operation(0, _KIND["compute"], flags=2, site=step % 2, compute_s=1e-4)
    writer.operation(0, _KIND["finalize"], flags=2)
    writer.end(0)
    writer.close()
    said = sandbox.orrery("replay", "it.trace", "--ideal", "--compute", "steady").out
    assert re.search(r"^regions .*% repeated; 1 ms outside of them, as it is$", said, re.MULTILINE)
