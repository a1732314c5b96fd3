# SPDX-License-Identifier: BSD-3-Clause
"""Platforms of SimGrid's have its latencies, rates and sharing after the import.

The numbers are those of SimGrid 4.1, by a program of its interface s4u: `Host::route_to` of pairs that were drawn, for
latency and the least bandwidth of the links; and the ends of simultaneous messages of 1 GB (`Mailbox::put`, with
--cfg=network/model:raw) on the platform with all latencies 0, where SimGrid gives flows equal parts of a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from orrery.platform import core
from orrery.platform.load import load
from orrery.platform.simgrid.convert import convert
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from simgrid_platforms import FILES

BYTES = 1_000_000_000
GOAL = f"""num_ranks 2
rank 0 {{
l1: send {BYTES}b to 1 tag 1
}}
rank 1 {{
l1: recv {BYTES}b from 0 tag 1
}}
"""
LATENCY = re.compile(r'\b(lat|latency|bb_lat)="[^"]*us"')


@dataclass(frozen=True)
class Measured:
    """What SimGrid says of a platform."""

    routes: list[tuple[str, str, float, float]]
    """From, to, latency in seconds, bandwidth in bytes per second."""
    flows: list[tuple[str, str, float]]
    """From, to, end in seconds."""


MEASURED = {
    "fat-tree": Measured(
        [("n2", "n7", 4e-05, 1e+09), ("n5", "n2", 4e-05, 1e+09), ("n2", "n5", 4e-05, 1e+09), ("n6", "n3", 4e-05, 1e+09)],
        [("n4", "n2", 2), ("n5", "n4", 3), ("n7", "n6", 2), ("n1", "n5", 1), ("n7", "n0", 2), ("n0", "n6", 2), ("n5", "n7", 3), ("n5", "n1", 3)],
    ),
    "fat-tree whose nodes have two leaves": Measured(
        [("n6", "n5", 4e-05, 1e+09), ("n4", "n0", 4e-05, 1e+09), ("n1", "n5", 4e-05, 1e+09), ("n3", "n2", 2e-05, 1e+09)],
        [("n6", "n1", 3), ("n7", "n2", 2), ("n5", "n2", 2), ("n6", "n7", 1.5), ("n5", "n0", 2), ("n4", "n1", 3), ("n5", "n1", 3), ("n7", "n3", 1)],
    ),
    "fat-tree with parallel cables": Measured(
        [("n6", "n5", 2e-05, 1e+09), ("n4", "n7", 2e-05, 1e+09), ("n3", "n6", 4e-05, 1e+09), ("n3", "n7", 4e-05, 1e+09)],
        [("n1", "n2", 2), ("n4", "n0", 1), ("n0", "n3", 2), ("n3", "n5", 2), ("n5", "n1", 2), ("n6", "n1", 2), ("n1", "n6", 2), ("n0", "n5", 2)],
    ),
    "fat-tree with two cables to each node": Measured(
        [("n0", "n5", 4e-05, 1e+09), ("n6", "n7", 2e-05, 1e+09), ("n5", "n6", 2e-05, 1e+09), ("n3", "n6", 4e-05, 1e+09)],
        [("n7", "n1", 2), ("n4", "n6", 1), ("n5", "n4", 1), ("n6", "n2", 1), ("n7", "n5", 2), ("n4", "n5", 1), ("n2", "n3", 1), ("n3", "n5", 2)],
    ),
    "fat-tree of three levels": Measured(
        [("n6", "n7", 2e-05, 1e+09), ("n7", "n2", 6e-05, 1e+09), ("n4", "n1", 6e-05, 1e+09), ("n0", "n4", 6e-05, 1e+09)],
        [("n0", "n7", 2), ("n2", "n3", 1), ("n1", "n0", 1), ("n0", "n5", 2), ("n7", "n6", 1), ("n5", "n7", 2), ("n3", "n2", 1), ("n5", "n4", 2)],
    ),
    "fat-tree with limiters": Measured(
        [("n4", "n2", 4e-05, 1e+09), ("n6", "n1", 4e-05, 1e+09), ("n5", "n6", 2e-05, 1e+09), ("n2", "n5", 4e-05, 1e+09)],
        [("n4", "n6", 4.66666667), ("n6", "n5", 4.66666667), ("n6", "n3", 4.66666667), ("n7", "n5", 4.66666667), ("n0", "n4", 4.66666667), ("n3", "n0", 1.27272727), ("n7", "n6", 4.66666667), ("n3", "n5", 4.66666667)],
    ),
    "torus": Measured(
        [("n5", "n0", 2e-05, 1e+09), ("n7", "n9", 3e-05, 1e+09), ("n5", "n4", 1e-05, 1e+09), ("n0", "n6", 3e-05, 1e+09)],
        [("n6", "n5", 1), ("n3", "n1", 1), ("n0", "n11", 1), ("n8", "n11", 1), ("n9", "n2", 1), ("n10", "n11", 1), ("n5", "n9", 1), ("n10", "n0", 2), ("n1", "n3", 1), ("n7", "n2", 1), ("n9", "n1", 1), ("n10", "n5", 2)],
    ),
    "torus with limiters": Measured(
        [("n10", "n2", 1e-05, 1e+09), ("n4", "n3", 2e-05, 1e+09), ("n6", "n0", 3e-05, 1e+09), ("n3", "n1", 2e-05, 1e+09)],
        [("n5", "n11", 3.33333333), ("n9", "n2", 2.66666667), ("n7", "n5", 3.33333333), ("n9", "n3", 2.66666667), ("n1", "n9", 2.66666667), ("n5", "n2", 3.33333333), ("n1", "n8", 2.22222222), ("n3", "n5", 3.33333333), ("n1", "n10", 2.66666667), ("n7", "n10", 2.66666667), ("n9", "n8", 2.66666667), ("n5", "n4", 3.33333333)],
    ),
    "torus of shared cables": Measured(
        [("n10", "n11", 1e-05, 1e+09), ("n6", "n7", 1e-05, 1e+09), ("n8", "n11", 3e-05, 1e+09), ("n3", "n8", 2e-05, 1e+09)],
        [("n5", "n3", 4), ("n8", "n0", 3), ("n4", "n5", 4), ("n4", "n1", 4), ("n9", "n2", 3), ("n9", "n1", 3), ("n0", "n5", 2), ("n0", "n2", 1.33333333), ("n7", "n6", 3), ("n6", "n3", 3), ("n11", "n9", 1), ("n0", "n4", 4)],
    ),
    "dragonfly": Measured(
        [("n6", "n11", 4e-05, 1e+09), ("n28", "n23", 5e-05, 1e+09), ("n32", "n26", 3e-05, 1e+09), ("n30", "n22", 6e-05, 1e+09)],
        [("n28", "n0", 3), ("n19", "n33", 2), ("n13", "n27", 2), ("n23", "n8", 3), ("n24", "n5", 3), ("n19", "n8", 3), ("n13", "n19", 2), ("n7", "n9", 1), ("n32", "n2", 3), ("n23", "n2", 3), ("n3", "n35", 1), ("n30", "n17", 1)],
    ),
    "dragonfly with limiters": Measured(
        [("n1", "n35", 6e-05, 1e+09), ("n18", "n23", 4e-05, 1e+09), ("n4", "n3", 3e-05, 1e+09), ("n2", "n24", 4e-05, 1e+09)],
        [("n6", "n20", 2), ("n14", "n9", 2), ("n32", "n25", 2), ("n25", "n33", 4), ("n14", "n30", 4), ("n27", "n28", 4), ("n17", "n22", 1.33333333), ("n31", "n11", 2), ("n16", "n35", 4), ("n30", "n26", 4), ("n28", "n20", 4), ("n7", "n5", 1)],
    ),
    "cluster": Measured(
        [("n5", "n2", 2e-05, 1e+09), ("n1", "n3", 2e-05, 1e+09), ("n5", "n0", 2e-05, 1e+09), ("n4", "n2", 2e-05, 1e+09)],
        [("n4", "n3", 2), ("n2", "n4", 3), ("n2", "n5", 3), ("n4", "n5", 2), ("n2", "n1", 3), ("n0", "n2", 1)],
    ),
    "cluster with gaps": Measured(
        [("n9", "n7", 2.5e-05, 1e+09), ("n2", "n7", 2.5e-05, 1e+09), ("n0", "n2", 2.5e-05, 1e+09), ("n9", "n10", 2.5e-05, 1e+09)],
        [("n0", "n9", 3), ("n7", "n2", 3), ("n1", "n9", 3), ("n10", "n1", 3), ("n9", "n0", 3), ("n10", "n7", 3)],
    ),
    "cluster with limiters": Measured(
        [("n2", "n5", 2e-05, 1e+09), ("n5", "n3", 2e-05, 1e+09), ("n0", "n3", 2e-05, 1e+09), ("n2", "n4", 2e-05, 1e+09)],
        [("n3", "n5", 2.66666667), ("n3", "n4", 2.66666667), ("n0", "n2", 2), ("n0", "n4", 2), ("n1", "n3", 2.66666667), ("n2", "n3", 2.66666667)],
    ),
    "cluster with slow limiters": Measured(
        [("n2", "n4", 2e-05, 700000000), ("n3", "n5", 2e-05, 700000000), ("n2", "n0", 2e-05, 700000000), ("n5", "n2", 2e-05, 700000000)],
        [("n2", "n3", 5.71428571), ("n2", "n5", 5.71428571), ("n4", "n3", 1.9047619), ("n0", "n5", 1.9047619), ("n2", "n1", 5.71428571), ("n4", "n2", 5.71428571)],
    ),
    "cluster of shared links": Measured(
        [("n3", "n0", 2e-05, 1e+09), ("n3", "n2", 2e-05, 1e+09), ("n1", "n5", 2e-05, 1e+09), ("n4", "n3", 2e-05, 1e+09)],
        [("n0", "n3", 1.33333333), ("n1", "n4", 4), ("n2", "n4", 4), ("n4", "n1", 4), ("n2", "n1", 2), ("n4", "n0", 4)],
    ),
    "cluster of FATPIPE links": Measured(
        [("n2", "n0", 2e-05, 1e+09), ("n3", "n2", 2e-05, 1e+09), ("n4", "n5", 2e-05, 1e+09), ("n5", "n4", 2e-05, 1e+09)],
        [("n1", "n5", 2.66666667), ("n4", "n0", 4), ("n0", "n5", 4), ("n0", "n3", 4), ("n2", "n5", 2.66666667), ("n3", "n0", 4)],
    ),
    "cluster with a FATPIPE backbone": Measured(
        [("n0", "n3", 2e-05, 500000000), ("n4", "n0", 2e-05, 500000000), ("n1", "n5", 2e-05, 500000000), ("n3", "n4", 2e-05, 500000000)],
        [("n3", "n1", 2), ("n2", "n0", 2), ("n0", "n2", 2), ("n5", "n1", 2), ("n5", "n3", 2), ("n2", "n4", 2)],
    ),
    "ring, Floyd": Measured(
        [("a", "f", 1e-05, 1e+09), ("c", "e", 2e-05, 1e+09), ("b", "f", 2e-05, 1e+09), ("b", "a", 1e-05, 1e+09)],
        [("f", "a", 1.33333333), ("d", "a", 4), ("e", "f", 1), ("c", "a", 4), ("f", "c", 4), ("d", "b", 4)],
    ),
    "ring, Dijkstra": Measured(
        [("c", "d", 1e-05, 1e+09), ("b", "d", 2e-05, 1e+09), ("b", "f", 2e-05, 1e+09), ("c", "f", 3e-05, 1e+09)],
        [("e", "b", 3), ("a", "e", 3), ("a", "b", 3), ("b", "c", 1.5), ("c", "a", 3), ("e", "a", 3)],
    ),
    "ring, listed the other way round": Measured(
        [("c", "a", 2e-05, 1e+09), ("a", "c", 2e-05, 1e+09), ("c", "b", 1e-05, 1e+09), ("f", "a", 1e-05, 1e+09)],
        [("d", "e", 1), ("b", "f", 3), ("d", "c", 2), ("b", "d", 2), ("e", "a", 3), ("b", "e", 3)],
    ),
    "grid, Floyd": Measured(
        [("f", "i", 1e-05, 1e+09), ("c", "a", 2e-05, 1e+09), ("b", "f", 2e-05, 1e+09), ("h", "e", 1e-05, 1e+09)],
        [("d", "g", 4), ("b", "d", 4), ("d", "a", 4), ("b", "e", 1), ("g", "f", 4), ("f", "a", 4), ("c", "g", 4), ("f", "c", 1.33333333), ("b", "g", 4)],
    ),
    "grid, DijkstraCache": Measured(
        [("c", "a", 2e-05, 1e+09), ("h", "f", 2e-05, 1e+09), ("c", "b", 1e-05, 1e+09), ("b", "h", 2e-05, 1e+09)],
        [("b", "e", 1), ("i", "f", 2), ("g", "f", 4), ("b", "g", 4), ("h", "g", 1), ("e", "g", 4), ("f", "g", 4), ("d", "b", 1.33333333), ("i", "b", 2)],
    ),
    "zones": Measured(
        [("hb", "hc", 1.2e-05, 1e+09), ("o", "ha", 3e-06, 2e+09), ("hc", "ha", 1.2e-05, 1e+09), ("hb", "ha", 1.2e-05, 1e+09)],
        [("ha", "o", 0.666666667), ("ha", "hc", 2), ("hc", "o", 2), ("hc", "hb", 1)],
    ),
    "zones, Floyd": Measured(
        [("ha", "o", 3e-06, 2e+09), ("ha", "hb", 1.2e-05, 1e+09), ("hc", "hb", 1.2e-05, 1e+09), ("o", "ha", 3e-06, 2e+09)],
        [("hc", "ha", 3), ("ha", "hc", 3), ("hb", "hc", 3), ("o", "hb", 3)],
    ),
    "zones with a bypass": Measured(
        [("hb", "hc", 1.2e-05, 1e+09), ("hb", "o", 1.3e-05, 1e+09), ("hb", "ha", 1.2e-05, 1e+09), ("ha", "hc", 1.2e-05, 1e+09)],
        [("o", "ha", 1), ("o", "hb", 1), ("hc", "o", 1), ("hc", "hb", 1)],
    ),
    "gateways that are hosts": Measured(
        [("l", "j", 2e-05, 1e+09), ("l", "k", 1e-05, 1e+09), ("k", "l", 1e-05, 1e+09), ("k", "j", 3e-05, 1e+09)],
        [("k", "i", 4), ("j", "l", 4), ("j", "k", 4), ("l", "i", 4)],
    ),
    "a torus beside a zone": Measured(
        [("n3", "n0", 1e-05, 1e+09), ("n1", "o", 1.2e-05, 1e+09), ("n5", "n0", 2e-05, 1e+09), ("n0", "n5", 2e-05, 1e+09)],
        [("n1", "ha", 4), ("n0", "n1", 1), ("o", "n1", 4), ("n2", "n4", 1.33333333), ("n1", "n2", 1), ("ha", "n0", 4), ("n2", "n0", 1), ("n2", "o", 4)],
    ),
    "cabinets": Measured(
        [("s", "n1", 1.8e-05, 1e+09), ("n3", "n2", 2.5e-05, 1e+09), ("s", "n3", 1.8e-05, 1e+09), ("s", "n2", 1.8e-05, 1e+09)],
        [("n2", "n4", 3.33333333), ("n4", "s", 3.33333333), ("s", "n4", 3.33333333), ("n4", "n1", 3.33333333), ("n2", "n3", 3.33333333)],
    ),
    "peers": Measured(
        [("p1", "p2", 0.00171421356, 1.5e+09), ("p4", "p2", 0.0026, 1.5e+09), ("p2", "p4", 0.0026, 1.5e+09), ("p2", "p1", 0.00171421356, 1e+09)],
        [("p1", "p4", 1.33333333), ("p1", "p3", 1.33333333), ("p3", "p1", 1), ("p4", "p3", 0.666666667)],
    ),
}  # fmt: skip


def _imported(folder: Path, xml: str) -> Path:
    (folder / "theirs.xml").write_text(xml, encoding="utf-8")
    ours = folder / "ours.toml"
    ours.write_text(convert(folder / "theirs.xml", "ours", None).toml, encoding="utf-8")
    return ours


def test_every_platform_here_was_measured() -> None:
    assert MEASURED.keys() == FILES.keys()


@pytest.mark.parametrize("name", MEASURED)
def test_routes_have_the_latency_and_the_bandwidth_of_simgrid(tmp_path: Path, name: str) -> None:
    hardware = core.build(load(str(_imported(tmp_path, FILES[name]))).model_dump())
    number = {host.name: index for index, host in enumerate(hardware.hosts)}
    for source, target, latency_s, rate in MEASURED[name].routes:
        route = hardware.route(number[source], number[target])
        assert route.latency_s == pytest.approx(latency_s), (source, target)
        assert route.bandwidth_bytes_per_s == pytest.approx(rate), (source, target)


@pytest.mark.parametrize("name", MEASURED)
def test_flows_share_links_as_in_simgrid(tmp_path: Path, name: str) -> None:
    near = re.sub(r'coordinates="[^"]*"', 'coordinates="0 0 0"', LATENCY.sub(r'\1="0us"', FILES[name]))
    flows = MEASURED[name].flows
    (tmp_path / "hosts").write_text("".join(f"{source}\n{target}\n" for source, target, _ in flows), encoding="utf-8")
    traces = [tmp_path / f"{number}.goal" for number in range(len(flows))]
    for trace in traces:
        trace.write_text(GOAL, encoding="utf-8")
    platform = str(_imported(tmp_path, near))
    record = replay(ReplaySettings(traces=traces, platform=platform, mapping=f"file:{tmp_path / 'hosts'}"))
    ends = [job["end_s"] for job in record.jobs]
    assert ends == pytest.approx([end for _, _, end in flows], rel=1e-6)
