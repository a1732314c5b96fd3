# SPDX-License-Identifier: BSD-3-Clause
"""Starting a job takes the simulated time that `[launch]` says."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from harness import Sandbox
from orrery.run.prefix import prefix
from orrery.trace.usage import read_usage

# Messages take no time worth mentioning beside the seconds of [launch].
_PLATFORM = """
name = "launched"
[[cluster]]
name = "c"
nodes = 8
cores = 2
bandwidth_bytes_per_s = "10GB/s"
latency_s = 0
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = 0
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
"""
_LAUNCH = """
[launch]
connection_s = 2
connection_work_s = 0.25
fork_s = 0.125
load_s = 0.5
init_s = 1
"""
_LONGEST = 2 + 3 * 0.25 + 2 * 0.125 + 0.5 + 1
"""Until all ranks of four nodes have left MPI_Init: mpiexec forks the proxy of its node, opens three connections one after the
other, and the last proxy forks its rank."""


@pytest.fixture(name="launched")
def _launched(sandbox: Sandbox) -> Sandbox:
    (sandbox.folder / "launched.toml").write_text(_PLATFORM + _LAUNCH, encoding="utf-8")
    (sandbox.folder / "without.toml").write_text(_PLATFORM, encoding="utf-8")
    return sandbox


_ALONE = ("--compute", "none", "--map", "node")


def _init_s(record: dict[str, Any]) -> list[float]:
    """Seconds in MPI_Init, by rank."""
    rows = [row for row in record["profile"]["per_rank"] if row["name"] == "MPI_Init()"]
    assert all(row["calls"] == 1 for row in rows)
    return [row["exclusive_s"] for row in sorted(rows, key=lambda row: row["rank"])]


def test_simulated_time_includes_the_launch_and_the_summary_says_how_much(launched: Sandbox) -> None:
    ended = launched.run(4, "ring", "3", options=(*_ALONE, "-p", "launched.toml"))
    without = launched.run(4, "ring", "3", options=(*_ALONE, "-p", "without.toml")).record
    assert ended.code == 0, ended.err
    assert ended.record["launched_s"] == pytest.approx(_LONGEST, abs=1e-6)
    assert ended.record["simulated_s"] == pytest.approx(_LONGEST + without["simulated_s"], abs=1e-6)
    assert "launch          4.5" in ended.err
    assert without["launched_s"] == 0


def test_each_rank_has_its_own_time_in_mpi_init(launched: Sandbox) -> None:
    record = launched.run(4, "ring", "3", options=(*_ALONE, "-p", "launched.toml")).record
    # Rank 0 is there after two forks (its proxy, itself) and 0.5 s; the others when their connections are.
    entered = [2 * 0.125 + 0.5, *(2 + 0.125 + turn * 0.25 + 0.125 + 0.5 for turn in (1, 2, 3))]
    assert _init_s(record) == pytest.approx([_LONGEST - at for at in entered], abs=1e-6)


def test_without_launch_mpi_init_is_at_time_0(launched: Sandbox) -> None:
    record = launched.run(2, "ring", "3", options=(*_ALONE, "-p", "without.toml")).record
    assert sum(_init_s(record)) == 0


def test_a_program_reads_clocks_that_have_gone_on_since_the_launch(launched: Sandbox) -> None:
    source = launched.folder / "clock.c"
    source.write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { MPI_Init(&c, &v);"
        ' printf("%.3f\\n", MPI_Wtime()); MPI_Finalize(); }\n'
    )
    subprocess.run([prefix() / "bin" / "mpicc", source, "-o", launched.folder / "clock"], check=True)
    times = [
        float(launched.orrery("run", "-n", "1", "--compute", "none", "-p", platform, "./clock").out)
        for platform in ("without.toml", "launched.toml")
    ]
    assert times[1] - times[0] == pytest.approx(2 * 0.125 + 0.5 + 1, abs=2e-3)


@pytest.mark.parametrize(
    ("launcher", "seconds"),
    [
        ("manager", 2 + 0.125 + 0.5 + 1),  # all proxies begin after 2 s
        # mpiexec, node 1, node 2, node 3, node 4 in a chain: three connections one behind the other
        ("ssh:1", 0.125 + 3 * (0.25 + 2) + 0.125 + 0.5 + 1),
        ("ssh", _LONGEST),
    ],
)
def test_a_launcher_is_chosen_for_a_run(launched: Sandbox, launcher: str, seconds: float) -> None:
    record = launched.run(4, "ring", "3", options=(*_ALONE, "-p", "launched.toml", "--launcher", launcher)).record
    assert record["launched_s"] == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("platform", "launcher", "said"),
    [
        ("without.toml", "ssh", "does not say what it takes to start a job"),
        ("launched.toml", "telnet", "expected ssh, ssh:FANOUT, manager or manager:FANOUT"),
        ("launched.toml", "ssh:0", "expected ssh"),
    ],
)
def test_a_launcher_that_cannot_act_is_refused(launched: Sandbox, platform: str, launcher: str, said: str) -> None:
    ended = launched.run(2, "ring", "3", options=("-p", platform, "--launcher", launcher))
    assert ended.code == 2
    assert said in ended.err


def test_a_replay_launches_as_the_run_did_or_as_it_is_told(launched: Sandbox) -> None:
    options = (*_ALONE, "-p", "launched.toml", "--launcher", "ssh:1", "-o", "it.trace")
    run = launched.run(4, "ring", "3", options=options).record
    assert launched.replayed("it.trace")["simulated_s"] == run["simulated_s"]
    again = launched.replayed("it.trace", "--launcher", "manager")
    assert again["launched_s"] == pytest.approx(2 + 0.125 + 0.5 + 1, abs=1e-6)
    assert launched.replayed("it.trace", "-p", "without.toml")["launched_s"] == 0


def test_jobs_of_one_replay_are_launched_each_by_itself(launched: Sandbox) -> None:
    launched.run(2, "ring", "3", options=(*_ALONE, "-p", "launched.toml", "-o", "it.trace"))
    alone = launched.replayed("it.trace")
    both = launched.replayed("it.trace", "it.trace")
    assert both["launched_s"] == pytest.approx(alone["launched_s"], abs=1e-6)
    assert len(_init_s(both)) == 4


def test_mpiexec_starts_by_the_launcher_that_it_is_told(launched: Sandbox) -> None:
    words = ["-n", "4", "--compute", "none", "-ppn", "1", "-o", "run.json", launched.program("ring"), "3"]
    for options, seconds in (
        (["-launcher", "slurm"], 3.625),
        (["-rmk", "pbs"], 3.625),
        (["-launcher", "ssh", "-rmk", "pbs"], _LONGEST),
        (["-branch-count", "1"], 0.125 + 3 * 2.25 + 0.125 + 1.5),
    ):
        ended = launched.orrery("mpiexec", "-p", "launched.toml", *options, "--overwrite", *words)
        assert ended.code == 0, ended.err
        assert "ignored" not in ended.err
        assert ended.record["launched_s"] == pytest.approx(seconds, abs=1e-6)


def test_the_platforms_of_futuregrid_say_what_launching_takes(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "ring", "3", options=("--compute", "none", "-p", "futuregrid-virtual", "--map", "node"))
    # Three connections of 12 ms work each, and 174 ms until the last proxy begins; messages are milliseconds.
    assert ended.record["launched_s"] == pytest.approx(3 * 0.012 + 0.174, abs=5e-3)


def test_a_trace_has_the_launch_as_mpi_init_and_so_has_what_is_made_of_it(launched: Sandbox) -> None:
    record = launched.run(4, "hello", options=("--platform", "launched.toml", *_ALONE, "-o", "it.trace")).record
    again = launched.replayed("it.trace", "-o", "again.trace")
    assert again["simulated_s"] == record["simulated_s"]
    assert _init_s(again) == pytest.approx(_init_s(record))
    for name in ("it.trace", "again.trace"):
        rows = {row.name: row for row in read_usage(launched.folder / name).profile.summed}
        assert rows["MPI_Init()"].calls == 4
        assert rows["MPI_Init()"].exclusive_s == pytest.approx(sum(_init_s(record)))
        assert rows[".application"].exclusive_s == pytest.approx(
            0, abs=1e-9
        )  # ranks compute nothing, and begin in MPI_Init
