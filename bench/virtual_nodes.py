#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What each key of virtual nodes does, one at a time: the tables of docs/lab/network.md, "Virtual nodes".

    bench/virtual_nodes.py

Replays small time-independent traces on the built-in platform futuregrid-virtual with other values of one key, and prints what
comes out beside what the equation of the key says (docs/design/virtual-nodes.md).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import orrery as o

BASE = o.Platform.load("futuregrid-virtual").with_values(
    {"cluster.virtual.per_host": 4, "cluster.virtual.host_cores": 4, "node.hypervisor.wake_delay_s": 0.0}
)
FLOPS = 1e9
SEEDS = range(8)


def replayed(lines: Iterable[str], values: Mapping[str, object], seed: int = 1) -> float:
    """Simulated seconds of a trace, one rank on each machine."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "it.ti"
        trace.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        platform = BASE.with_values(values) if values else BASE
        result = o.replay(
            trace, platform=platform, mapping="node", flops_per_s=FLOPS, seed=seed, force=True, progress=False
        )
    return float(result.simulated_s)


def median(lines: list[str], values: Mapping[str, object]) -> float:
    """Over seeds: when hosts begin their slices, and delays, are drawn."""
    times = sorted(replayed(lines, values, seed) for seed in SEEDS)
    return (times[3] + times[4]) / 2


def computing(ranks: int, seconds: float) -> list[str]:
    """All ranks compute."""
    return [f"{rank} compute {seconds * FLOPS:.0f}" for rank in range(ranks)]


def ping_pong(partner: int, rounds: int, size: int = 1) -> list[str]:
    """Rank 0 and its partner; other ranks compute a little, so that there are as many."""
    there = [f"0 send {partner} 0 {size}", f"0 recv {partner} 0 {size}"] * rounds
    back = [f"{partner} recv 0 0 {size}", f"{partner} send 0 0 {size}"] * rounds
    others = [f"{rank} compute 1" for rank in range(8) if rank not in (0, partner)]
    return there + back + others


def pairs(count: int, size: int) -> list[str]:
    """So many machines of the first host send to machines of the second one."""
    lines = []
    for pair in range(4):
        busy = pair < count
        lines.append(f"{pair} send {pair + 4} 0 {size}" if busy else f"{pair} compute 1")
        lines.append(f"{pair + 4} recv {pair} 0 {size}" if busy else f"{pair + 4} compute 1")
    return lines


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print it as Markdown."""
    names = list(head)
    print("|" + "|".join(f" {name} " for name in names) + "|")
    print("|" + "---|" * len(names))
    for row in rows:
        print("|" + "|".join(f" {cell} " for cell in row) + "|")
    print()


def of_steal() -> None:
    """Computation of 10 s of four machines of a host."""
    rows = []
    for cores, share in ((4, 0.0), (4, 0.1), (3, 0.0), (2, 0.0), (1, 0.0), (2, 0.1)):
        values = {"cluster.virtual.host_cores": cores, "node.hypervisor.steal_share": share}
        if share:
            values["node.hypervisor.steal_s"] = 0.001
        time = median(computing(8, 10.0), values)
        rows.append([f"{cores}", f"{share:g}", f"{time:.2f}", f"{10 / ((1 - share) * min(1, cores / 4)):.2f}"])
    table(("cores for 4", "steal_share", "10 s of computation take, s", "10 / ((1 - s) min(1, P / n))"), rows)


def of_ping_pong() -> None:
    """Half of a round trip of a byte, mean over 2,000."""
    rounds, rows = 2000, []
    cases: list[tuple[str, dict[str, object]]] = [
        ("nothing", {}),
        ("latency_s 50 us", {"cluster.virtual.latency_s": 50e-6}),
        ("wake_delay_s 50 us", {"node.hypervisor.wake_delay_s": 50e-6}),
        ("steal_share 0.1, steal_s 1 ms", {"node.hypervisor.steal_share": 0.1, "node.hypervisor.steal_s": 0.001}),
        ("host_cores 2, slice_s 30 ms", {"cluster.virtual.host_cores": 2}),
        ("host_cores 2, slice_s 1 ms", {"cluster.virtual.host_cores": 2, "node.hypervisor.slice_s": 0.001}),
    ]
    for name, values in cases:
        halves = [median(ping_pong(partner, rounds), values) / rounds / 2 for partner in (1, 4)]
        rows.append([name, *(f"{half * 1e6:.0f}" for half in halves)])
    table(("changed", "in a host, us", "between hosts, us"), rows)


def of_uplink() -> None:
    """Pairs between the same two hosts, alone and together, 8 MiB each."""
    size, rows = 8 << 20, []
    alone = replayed(pairs(1, size), {})
    for count in (1, 2, 3, 4):
        time = replayed(pairs(count, size), {})
        rows.append([f"{count}", f"{time * 1e3:.1f}", f"{time / alone:.2f}", f"{max(1.0, count * 700 / 940):.2f}"])
    table(("pairs", "ms", "over one pair", "max(1, pairs * 700 / 940)"), rows)


def of_physical() -> None:
    """A ping-pong on the physical nodes and on the virtual ones, as the platforms are."""
    rows = []
    for size in (1, 1024, 16384, 65536, 1 << 20):
        times = []
        for name in ("futuregrid-physical", "futuregrid-virtual"):
            with tempfile.TemporaryDirectory() as folder:
                trace = Path(folder) / "it.ti"
                lines = [line for line in ping_pong(1, 100, size) if line[0] in "01"]
                trace.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                seconds = o.replay(trace, platform=name, mapping="node", seed=1, progress=False).simulated_s
                times.append(float(seconds) / 200)
        rows.append([f"{size:,}", *(f"{time * 1e6:.0f}" for time in times), f"{times[1] / times[0]:.2f}"])
    table(("bytes", "physical, us", "virtual, us", "V / P"), rows)


def main() -> None:
    """Print all tables."""
    of_steal()
    of_ping_pong()
    of_uplink()
    of_physical()


if __name__ == "__main__":
    main()
