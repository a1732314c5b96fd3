# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of nodes that share processors, from the platform file to the simulated times."""

from __future__ import annotations

import json

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.platform.load import load

_PLATFORM = """name = "containers"
description = "four nodes on one machine"
source = "made up"
model = "hybrid"
[[cluster]]
name = "c"
nodes = 4
cores = 1
bandwidth_bytes_per_s = 1e6
latency_s = 1e-6
memory_bandwidth_bytes_per_s = 1e9
memory_latency_s = 1e-7
{processors}
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
"""

# Each computes for a second.
_GOAL = "num_ranks 4\n" + "".join(f"rank {rank} {{\nc: calc 1000000000\n}}\n" for rank in range(4))


@pytest.mark.parametrize(
    ("processors", "seconds"),
    [
        ("", 1),
        ("[transport.connections]\n[node.processors]\ncount = 2", 2),
        ("[transport.connections]\n[node.processors]\ncount = 1\nslice_s = 0.01", 4),
    ],
)
def test_ranks_compute_in_turns_on_processors_that_they_share(
    sandbox: Sandbox, processors: str, seconds: float
) -> None:
    platform, goal, record = (sandbox.folder / name for name in ("c.toml", "c.goal", "record.json"))
    platform.write_text(_PLATFORM.format(processors=processors))
    goal.write_text(_GOAL)
    arguments = ("--platform", str(platform), "--map", "node", "-o", str(record))
    ended = sandbox.finish(sandbox.start("replay", str(goal), *arguments))
    assert ended.code == 0, ended.err
    assert json.loads(record.read_text())["simulated_s"] == pytest.approx(seconds)


def test_a_slice_of_no_time_is_a_mistake(sandbox: Sandbox) -> None:
    platform = sandbox.folder / "c.toml"
    platform.write_text(
        _PLATFORM.format(processors="[transport.connections]\n[node.processors]\ncount = 1\nslice_s = 0")
    )
    with pytest.raises(InputError, match="slice_s"):
        load(str(platform))


def test_what_nodes_add_acts_in_runs_of_programs_too(sandbox: Sandbox) -> None:
    platform = sandbox.folder / "c.toml"

    def simulated_s(processors: str) -> float:
        platform.write_text(_PLATFORM.format(processors=processors))
        run = sandbox.run(4, "wildcard", options=("-p", str(platform), "--map", "node", "--compute", "none"))
        assert run.code == 0, run.err
        return float(run.record["simulated_s"])

    work = "[transport.connections]\n[node.processors]\ncount = 1\nsend_work_s = 1.0"
    assert simulated_s(work) > simulated_s("") + 1
