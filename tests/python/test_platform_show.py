# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery platform show` says besides the values of the file: what messages take, and what does not fit together."""

from __future__ import annotations

import json

import pytest

from harness import Sandbox

_PLATFORM = """
name = "two"
source = "made for a test"
model = "hybrid"

[[cluster]]
name = "c"
nodes = 3
cores = 4
bandwidth_bytes_per_s = "1GB/s"
latency_s = "2us"
memory_bandwidth_bytes_per_s = "{memory}"
memory_latency_s = "1us"

[network]
between_nodes = [{{ protocol = "asynchronous", send_overhead_s = "3us", recv_overhead_s = "4us" }}]
inside_node = [{{ protocol = "asynchronous" }}]
"""


def _file(sandbox: Sandbox, memory: str = "8GB/s") -> str:
    (sandbox.folder / "p.toml").write_text(_PLATFORM.format(memory=memory))
    return "p.toml"


def test_half_of_a_ping_pong_is_what_the_model_says(sandbox: Sandbox) -> None:
    """Between nodes two links of 2 us, the receiver's overhead and the bytes at 1 GB/s, while the sender has its own; inside 1 us and 8 GB/s."""
    found = json.loads(sandbox.orrery("platform", "show", _file(sandbox), "--json").out)["ping_pong"]
    assert [(pair["where"], pair["first"], pair["second"]) for pair in found] == [
        ("inside a node", "c-1", "c-1"), ("to the next", "c-1", "c-2"), ("to the last", "c-1", "c-3"),
    ]  # fmt: skip
    for number, size in enumerate((1, 8192, 1 << 20)):
        assert found[0]["seconds"][number] == pytest.approx(1e-6 + size / 8e9, rel=1e-6)
        for pair in found[1:]:
            assert pair["seconds"][number] == pytest.approx(8e-6 + size / 1e9, rel=1e-6)
    shown = sandbox.orrery("platform", "show", "p.toml").out
    (line,) = (line.split() for line in shown.splitlines() if "to the next" in line)
    assert line == ["to", "the", "next", "8.001", "us", "16.19", "us", "1.057", "ms", "c-1", "c-2"]


def test_memory_that_is_slower_than_the_network_is_told(sandbox: Sandbox) -> None:
    assert "caution" not in sandbox.orrery("platform", "show", _file(sandbox)).out
    shown = sandbox.orrery("platform", "show", _file(sandbox, "500MB/s")).out
    assert "500 MB/s (4 Gbit/s), 1 us, shared by the 4 cores of a node" in shown
    assert "memory is slower than the network, 1 GB/s (8 Gbit/s): give what all cores of a node reach together" in shown


def test_noise_of_nodes_is_told_or_that_nobody_measured_it(sandbox: Sandbox) -> None:
    assert (
        "noise       none simulated on the nodes: not measured"
        in sandbox.orrery("platform", "show", _file(sandbox)).out
    )
    with (sandbox.folder / "p.toml").open("a") as file:
        file.write(
            "\n[[node.noise]]\nevery_s = 1e-3\ntakes_s = 4e-6\n\n[[node.noise]]\nevery_s = 0.1\ntakes_s = 1e-4\n"
        )
    shown = sandbox.orrery("platform", "show", "p.toml").out
    assert "0.50% of a processor's time: 4 us in every 1 ms, 100 us in every 100 ms" in shown
