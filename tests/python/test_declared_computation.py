# SPDX-License-Identifier: BSD-3-Clause
"""orrery.h: computation that a program declares, from its source to simulated times; and the header elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness import HUNG_S, ORRERY, Sandbox

_NONE = ("--compute", "none")


def _record(sandbox: Sandbox, *arguments: str, options: tuple[str, ...] = _NONE, ranks: int = 4) -> dict[str, Any]:
    ended = sandbox.run(ranks, "declared", *arguments, options=options)
    assert ended.code == 0, ended.err
    return ended.record


def _include() -> Path:
    done = subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True)
    return Path(done.stdout.strip()) / "include"


def test_declared_computation_takes_simulated_time_and_the_same_to_the_last_bit_in_each_run(sandbox: Sandbox) -> None:
    """Rank 3 declares 40 s; what follows is a barrier of microseconds."""
    ended = sandbox.run(4, "declared", "10", options=_NONE)
    assert ended.out == "took 10.000000\n"
    assert 40 < ended.record["simulated_s"] < 40.001
    assert ended.record["wall_s"] < 10  # none of it was done
    assert _record(sandbox, "10")["simulated_s"] == ended.record["simulated_s"]


def test_declared_computation_is_computation_in_the_profile(sandbox: Sandbox) -> None:
    profile = _record(sandbox, "10")["profile"]["summed"]
    application = next(row for row in profile if row["name"] == ".application")
    assert application["exclusive_s"] == pytest.approx(10 + 20 + 30 + 40, rel=1e-6)


def test_what_was_really_computed_counts_besides(sandbox: Sandbox) -> None:
    assert 40 < _record(sandbox, "10", options=())["simulated_s"] < 40.5


def test_a_factor_on_what_is_measured_leaves_what_is_declared(sandbox: Sandbox) -> None:
    assert 40 < _record(sandbox, "10", options=("--compute", "3"))["simulated_s"] < 40.5


def test_a_processor_of_twice_the_speed_takes_half_the_time(sandbox: Sandbox) -> None:
    platform = sandbox.folder / "fast.toml"
    platform.write_text(_PLATFORM + "speed = 2\n" + _NETWORK)
    options = ("-p", str(platform), "--map", "node", *_NONE)
    assert _record(sandbox, "10", options=options)["simulated_s"] == pytest.approx(20, rel=1e-4)


def test_declared_computation_is_in_the_trace_and_in_its_replay(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "4", "--compute", "3", "-o", "it.trace", sandbox.program("declared"), "10")
    assert ended.code == 0, ended.err
    replayed = sandbox.replayed("it.trace")["simulated_s"]
    assert 40 < replayed < 40.5
    assert sandbox.replayed("it.trace", "--compute-scale", "6")["simulated_s"] == pytest.approx(2 * replayed, rel=1e-3)


def test_ranks_that_share_processors_compute_in_turns_what_they_declare(sandbox: Sandbox) -> None:
    """On two processors 10 + 20 + 30 + 40 s take 50 s at least; on one each 40 s."""
    platform = sandbox.folder / "containers.toml"
    platform.write_text(
        _PLATFORM + _NETWORK + "[transport.connections]\n[node.processors]\ncount = 2\nslice_s = 0.01\n"
    )
    options = ("-p", str(platform), "--map", "node", *_NONE)
    assert _record(sandbox, "10", options=options)["simulated_s"] == pytest.approx(55, abs=5)


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf"])
def test_computation_that_cannot_be_ends_the_run_with_its_reason(sandbox: Sandbox, seconds: str) -> None:
    ended = sandbox.run(2, "declared", "1", seconds, options=_NONE)
    assert ended.code == 1
    assert f"ORRERY_COMPUTE({seconds}): expected seconds, finite and not negative" in ended.record["cause"]


def test_started_without_orrery_the_program_declares_nothing(sandbox: Sandbox) -> None:
    done = subprocess.run(
        [sandbox.program("declared"), "10"], capture_output=True, text=True, timeout=HUNG_S, check=True
    )
    assert done.stdout == "took 0.00" + done.stdout.strip()[9:] + "\n"


_ELSEWHERE = """#include "orrery.h"
#include <stdio.h>
int main(void) {
  ORRERY_COMPUTE(1e9);
  puts("nothing");
  return 0;
}
"""


@pytest.mark.parametrize(
    "compiler",
    [
        ("cc", "-std=c99", "-pedantic"),
        ("cc", "-O2", "-no-pie", "-fno-pie"),
        ("cc", "-static"),
        ("c++", "-xc++", "-std=c++11", "-pedantic"),
    ],
)
def test_without_orrery_the_header_is_empty(sandbox: Sandbox, compiler: tuple[str, ...]) -> None:
    """With no library at all, and in the folder of another MPI's headers."""
    source, program = sandbox.folder / "elsewhere.c", sandbox.folder / "elsewhere"
    shutil.copy(_include() / "orrery.h", sandbox.folder)
    source.write_text(_ELSEWHERE)
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", source, "-o", program], check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "nothing\n"


_PLATFORM = """name = "made-up"
description = "four nodes"
source = "made up"
model = "hybrid"
[[cluster]]
name = "c"
nodes = 4
cores = 1
bandwidth_bytes_per_s = 1e9
latency_s = 1e-6
memory_bandwidth_bytes_per_s = 1e9
memory_latency_s = 1e-7
"""
_NETWORK = """[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
"""
