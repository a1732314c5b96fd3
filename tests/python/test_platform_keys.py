# SPDX-License-Identifier: BSD-3-Clause
"""Each key of a platform file acts, or is refused: with another value, simulated times or what is shown are others."""

from __future__ import annotations

import copy
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.selector import selector_named
from orrery.errors import InputError
from orrery.platform import schema, toml_writer
from orrery.platform.load import load
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.report.platform import describe

HERE = Path(__file__).parent

_WORKLOAD = """
ranks = 8
steps = 2
[[phase]]
kind = "halo"
dimensions = 2
bytes = "70KiB"
compute_s = "20us"
imbalance = 0.2
[[phase]]
kind = "random"
messages = 20
bytes = 900
least_bytes = 100
[[phase]]
kind = "reduce"
bytes = "64KiB"
[[phase]]
kind = "alltoall"
bytes = "300KiB"
"""

_LINK = {"bandwidth_bytes_per_s": "1GB/s", "latency_s": "2us"}
_REGIMES = [
    {"end_bytes": "1KiB", "protocol": "asynchronous", "send_overhead_s": "1us", "recv_overhead_s": "1us"},
    {"end_bytes": "64KiB", "protocol": "detached", "send_overhead_s": "2us"},
    {"protocol": "synchronous"},
]
_SET = {
    "latency_s": "5us", "overhead_s": "1us", "gap_s_per_byte": "1ns", "gap_s_per_byte_short": "2ns",
    "short_limit_bytes": "1KiB", "sync_threshold_bytes": "64KiB",
}  # fmt: skip


def _platform(model: str = "hybrid", cluster: dict[str, Any] | None = None, **tables: Any) -> dict[str, Any]:
    plain = {
        "name": "c", "nodes": 4, "cores": 2, "memory_bandwidth_bytes_per_s": "10GB/s", "memory_latency_s": "100ns",
    }  # fmt: skip
    links = {} if cluster and "graph" in cluster else _LINK
    return {"name": "p", "description": "d", "source": "s", "model": model, "cluster": [plain | links | (cluster or {})],
            **tables}  # fmt: skip


_HYBRID = {"between_nodes": _REGIMES, "inside_node": _REGIMES}
_FRAMED = _HYBRID | {"framing": {"header_bytes": 64, "frames": {"payload_bytes": 1448, "overhead_bytes": 90}}}
_IN_CALLS = {"progress": "in-calls"}
_CABINETS = [{"nodes": 2, "uplink_bytes_per_s": "100MB/s"}, {"nodes": 2, "uplink_bytes_per_s": "100MB/s"}]
_GRAPH = {
    "node": [{"name": f"n{i}"} for i in range(3)],
    "switches": ["s"],
    "link": [
        *({"name": f"l{i}", "between": [f"n{i}", "s"], **_LINK} for i in range(2)),
        *({"name": f"m{i}", "bandwidth_bytes_per_s": "100MB/s", "latency_s": "3us"} for i in range(2)),
    ],
    "edge": [{"between": ["n2", "s"], "links": ["m0:up", "m1:up"]}],
    "route": [{"between": ["n0", "n1"], "links": ["m0:up"]}],
}

_LINE = {
    "node": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
    "switches": ["s", "t"],
    "link": [
        {"name": f"{first}{second}", "between": [first, second], "bandwidth_bytes_per_s": "1GB/s", "latency_s": "3us"}
        for first, second in ("ab", "bc", "as", "st", "tc")
    ],
}

BASES: dict[str, dict[str, Any]] = {
    "plain": _platform(network=_HYBRID),
    "factors": _platform(
        network={"between_nodes": [{"protocol": "asynchronous", "bandwidth_factor": 0.5}], "inside_node": _REGIMES}
    ),
    "connected": _platform(network=_FRAMED, transport={"connections": {}}, node=_IN_CALLS),
    "queued": _platform(
        network=_FRAMED, transport={"connections": {"queue": {"depth_bytes": "16KiB"}}}, node=_IN_CALLS
    ),
    "processors": _platform(
        network=_FRAMED,
        transport={"connections": {}},
        node=_IN_CALLS | {"processors": {"count": 2, "send_work_s": "1us", "recv_work_s": "1us", "wake_work_s": "5us"}},
    ),
    "launched": _platform(network=_HYBRID, launch={"connection_s": "1ms"}),
    "launched-slowly": _platform(network=_HYBRID, launch={"connection_s": "1ms", "connection_work_s": "1ms"}),
    "timeouts": _platform(network=_HYBRID, transport={"timeouts": {"probability": 1.0}}),
    "loggps": _platform("loggps", loggps={"between_nodes": _SET, "inside_node": _SET}),
    "cabinets": _platform(cluster={"cabinet": _CABINETS, "nodes": None}, network=_HYBRID),
    "sockets": _platform(
        cluster={"nodes": 2, "cores": 4, "sockets": 2, "socket_bandwidth_bytes_per_s": "1GB/s"}, network=_HYBRID
    ),
    "backbone": _platform(cluster={"backbone_bytes_per_s": "1GB/s"}, network=_HYBRID),
    "rails": _platform(cluster={"rails": 2}, network=_HYBRID),
    "virtual": _platform(
        cluster={"virtual": {"per_host": 2, "host_cores": 3}},
        network=_HYBRID,
        node={"hypervisor": {"slice_s": "100us", "steal_share": 0.1}},
    ),
    "noise": _platform(network=_HYBRID, node={"noise": [{"every_s": "100us", "takes_s": "10us"}]}),
    "planes": _platform(
        cluster={"rails": 2, "fat_tree": {"nodes_per_leaf": 2, "level": [{"down": 2, "up": 2, **_LINK}]}},
        network=_HYBRID,
    ),
    "fat-tree": _platform(
        cluster={"fat_tree": {"nodes_per_leaf": 2, "routing": "random", "level": [{"down": 2, "up": 2, **_LINK}]}},
        network=_HYBRID,
    ),
    "torus": _platform(
        cluster={"nodes": 9, "cores": 1, "torus": {"sizes": [3, 3], "routing": "random-order", **_LINK}},
        network=_HYBRID,
    ),
    "dragonfly": _platform(
        cluster={
            "nodes": 8,
            "cores": 1,
            "dragonfly": {
                "groups": 4,
                "chassis_per_group": 2,
                "routers_per_chassis": 2,
                "nodes_per_router": 1,
                "routing": "valiant",
                "within_chassis": _LINK,
                "between_chassis": _LINK,
                "between_groups": _LINK,
            },
        },
        network=_HYBRID,
    ),
    "graph": _platform(cluster={"graph": _GRAPH, "nodes": None}, network=_HYBRID),
    "wan": _platform(
        network=_HYBRID, wan=[{"from": "c", "to": "d", "bandwidth_bytes_per_s": "100MB/s", "latency_s": "1ms"}]
    ),
}
BASES["line"] = _platform(cluster={"graph": _LINE, "nodes": None}, network=_HYBRID)
_other = copy.deepcopy(BASES["wan"]["cluster"][0])
BASES["wan"]["cluster"] = [BASES["wan"]["cluster"][0] | {"nodes": 2}, _other | {"name": "d", "nodes": 2}]
BASES["brokered"] = copy.deepcopy(BASES["wan"]) | {"broker": {"cluster": "c"}}
BASES["brokered"]["cluster"][1] |= {"connectivity": "outbound"}
BASES["reached"] = copy.deepcopy(BASES["wan"]) | {"broker": {"cluster": "d"}}
BASES["relayed"] = copy.deepcopy(BASES["brokered"])
BASES["relayed"]["cluster"][0] |= {
    "connectivity": "nat",
    "frontal": {"relay_bytes_per_s": "50MB/s", "bandwidth_bytes_per_s": "200MB/s", "latency_s": "10us"},
}
BASES["relayed"]["cluster"][1] |= {"traversable": True}
BASES["graph-wan"] = copy.deepcopy(BASES["wan"])
BASES["graph-wan"]["cluster"][0] = copy.deepcopy(BASES["graph"]["cluster"][0])
BASES["graph-wan"]["cluster"][0]["graph"]["gateway"] = "s"


@dataclass(frozen=True)
class Acts:
    """Other simulated times with another value, on a base."""

    base: str
    value: Any


@dataclass(frozen=True)
class Shown:
    """Nothing simulates it: `orrery platform show` shows it, or a cluster's hosts have it in their names."""

    base: str
    value: Any


@dataclass(frozen=True)
class Seen:
    """A file of tests, and the word that stands for it there."""

    file: str
    word: str = ""


def _regime() -> dict[str, Any]:
    return {
        "end_bytes": Acts("plain", "512B"),
        "protocol": Acts("plain", "detached"),
        "send_overhead_s": Acts("plain", "9us"),
        "send_overhead_s_per_byte": Acts("plain", "9ns"),
        "recv_overhead_s": Acts("plain", "90us"),
        "recv_overhead_s_per_byte": Acts("plain", "900ns"),
        "latency_factor": Acts("plain", 50.0),
        "bandwidth_factor": Acts("plain", 0.01),
        "latency_s": Acts("plain", "300us"),
    }


_LOGGPS = {
    "latency_s": Acts("loggps", "50us"),
    "overhead_s": Acts("loggps", "9us"),
    "send_overhead_s_per_byte": Acts("loggps", "9ns"),
    "recv_overhead_s_per_byte": Acts("loggps", "9ns"),
    "gap_s_per_byte_short": Acts("loggps", "900ns"),
    "gap_s_per_byte": Acts("loggps", "90ns"),
    "short_limit_bytes": Acts("loggps", "512B"),
    "sync_threshold_bytes": Acts("loggps", "1GiB"),
}
_CABLE = {"bandwidth_bytes_per_s": Acts("dragonfly", "10MB/s"), "latency_s": Acts("dragonfly", "90us")}
_EDGE = {"between": Seen("test_topologies.py"), "links": Seen("test_topologies.py")}

ROWS: dict[str, Any] = {
    "name": Shown("plain", "other"),
    "description": Shown("plain", "other"),
    "source": Shown("plain", "other"),
    "measured": Shown("plain", ["network.between_nodes", "memory_latency_s"]),
    "model": Acts("plain", "fluid"),
    "cluster": {
        "name": Shown("plain", "other"),
        "prefix": Shown("plain", "other-"),
        "suffix": Shown("plain", ".example.org"),
        "first": Shown("plain", 5),
        "nodes": Acts("plain", 2),
        "site": Seen("test_grid_collectives.py"),
        "cores": Acts("plain", 4),
        "sockets": Acts("sockets", 4),
        "speed": Acts("plain", 0.1),
        "bandwidth_bytes_per_s": Acts("plain", "10MB/s"),
        "latency_s": Acts("plain", "900us"),
        "rails": Acts("plain", 2),
        "rail_use": Acts("rails", "striped"),
        "rail_planes": Acts("planes", value=True),
        "node_links": Acts("plain", "unshared"),
        "limiter_factor": Acts("plain", 1.0),
        "memory_bandwidth_bytes_per_s": Acts("plain", "10MB/s"),
        "memory_latency_s": Acts("plain", "900us"),
        "socket_bandwidth_bytes_per_s": Acts("sockets", "10MB/s"),
        "socket_latency_s": Acts("sockets", "900us"),
        "backbone_bytes_per_s": Acts("plain", "10MB/s"),
        "backbone_latency_s": Acts("backbone", "900us"),
        "connectivity": Acts("reached", "outbound"),
        "ports": Seen("test_reach.py"),
        "traversable": Acts("relayed", value=True),
        "frontal": {
            "relay_bytes_per_s": Acts("relayed", "1MB/s"),
            "bandwidth_bytes_per_s": Acts("relayed", "1MB/s"),
            "latency_s": Acts("relayed", "9ms"),
            "handling_s": Acts("relayed", "9ms"),
            "buffer_bytes": Acts("relayed", "1KiB"),
        },
        "gateway_note": Shown("plain", "by way of a tunnel"),
        "virtual": {
            "per_host": Acts("virtual", 4),
            "host_cores": Acts("virtual", 1),
            "other_cores": Acts("virtual", 3),
            "bandwidth_bytes_per_s": Acts("virtual", "10MB/s"),
            "latency_s": Acts("virtual", "900us"),
        },
        "cabinet": {
            "name": Seen("test_platform_files.py"),
            "nodes": Acts("cabinets", 1),
            "uplink_bytes_per_s": Acts("cabinets", "10MB/s"),
            "limiter_bytes_per_s": Acts("cabinets", "100MB/s"),
            "latency_s": Acts("cabinets", "900us"),
        },
        "fat_tree": {
            "nodes_per_leaf": Acts("fat-tree", 4),
            "routing": Acts("fat-tree", "d-mod-k"),
            "seed": Acts("fat-tree", 5),
            "level": {
                "down": Seen("test_topologies.py"),
                "up": Acts("fat-tree", 1),
                "parallel": Acts("fat-tree", 2),
                "bandwidth_bytes_per_s": Acts("fat-tree", "10MB/s"),
                "latency_s": Acts("fat-tree", "900us"),
            },
        },
        "torus": {
            "sizes": Acts("torus", [9, 1]),
            "wraps": Acts("torus", value=False),
            "nodes_per_router": Acts("torus", 2),
            "bandwidth_bytes_per_s": Acts("torus", "10MB/s"),
            "latency_s": Acts("torus", "900us"),
            "routing": Acts("torus", "dimension-order"),
            "seed": Acts("torus", 5),
        },
        "dragonfly": {
            "groups": Acts("dragonfly", 2),
            "chassis_per_group": Acts("dragonfly", 4),
            "routers_per_chassis": Acts("dragonfly", 4),
            "nodes_per_router": Acts("dragonfly", 4),
            "cables_between_groups": Acts("dragonfly", 4),
            "within_chassis": _CABLE,
            "between_chassis": _CABLE,
            "between_groups": _CABLE,
            "routing": Acts("dragonfly", "minimal"),
            "seed": Acts("dragonfly", 5),
        },
        "graph": {
            "switches": Seen("test_topologies.py"),
            "routing": Seen("test_topologies.py"),
            "nodes_forward": Acts("line", value=False),
            "gateway": Acts("graph-wan", "n2"),
            "node": {
                "name": Seen("test_topologies.py"),
                "cores": Acts("graph", 1),
                "speed": Acts("graph", 0.1),
            },
            "link": {
                "name": Seen("test_topologies.py"),
                "bandwidth_bytes_per_s": Acts("graph", "10MB/s"),
                "latency_s": Acts("graph", "900us"),
                "sharing": Acts("line", "shared"),
                "between": Seen("test_topologies.py"),
            },
            "edge": {**_EDGE, "one_way": Seen("test_topologies.py")},
            "route": {**_EDGE, "one_way": Seen("test_topologies.py")},
        },
    },
    "wan": {
        "from": Seen("test_platform_files.py"),
        "to": Seen("test_platform_files.py"),
        "bandwidth_bytes_per_s": Acts("wan", "10MB/s"),
        "latency_s": Acts("wan", "90ms"),
        "limiter_factor": Acts("wan", 1.0),
    },
    "broker": {
        "cluster": Acts("brokered", "d"),
        "latency_s": Acts("brokered", "9ms"),
        "answer_s": Acts("brokered", "9ms"),
        "keeps_connections": Acts("brokered", value=False),
    },
    "network": {
        "between_nodes": _regime(),
        "inside_node": _regime(),
        "bandwidth_factor_of": Acts("factors", "share"),
        "tcp_window_bytes": Acts("plain", "2KiB"),
        "burst_bytes": Acts("plain", "64KiB"),
        "rate_noise": Acts("plain", 0.5),
        "framing": {
            "header_bytes": Acts("connected", 6400),
            "store_and_forward": Acts("connected", value=True),
            "frames": {
                "payload_bytes": Acts("connected", 148),
                "overhead_bytes": Acts("connected", 900),
            },
        },
    },
    "transport": {
        "connection_setup_s": Acts("plain", "1ms"),
        "connections": {
            "ack_fraction": Acts("connected", 0.5),
            "queue": {
                "depth_bytes": Acts("queued", "4KiB"),
                "later_share": Acts("queued", 0.1),
            },
        },
        "timeouts": {
            "wait_s": Acts("timeouts", "900ms"),
            "flows": Acts("timeouts", 1000),
            "probability": Acts("timeouts", 0.5),
        },
    },
    "node": {
        "progress": Acts("plain", "in-calls"),
        "handling_noise_s": Acts("plain", "9us"),
        "hypervisor": {
            "slice_s": Acts("virtual", "1ms"),
            "steal_share": Acts("virtual", 0.5),
            "steal_s": Acts("virtual", "5us"),
            "wake_delay_s": Acts("virtual", "50us"),
        },
        "nic": {"send_s": Acts("plain", "3us"), "recv_s": Acts("plain", "3us")},
        "noise": {"every_s": Acts("noise", "50us"), "takes_s": Acts("noise", "30us")},
        "processors": {
            "count": Acts("processors", 1),
            "send_work_s": Acts("processors", "90us"),
            "recv_work_s": Acts("processors", "90us"),
            "wake_work_s": Acts("processors", "900us"),
            "idle_wake_s": Acts("processors", "3us"),
            "frame_work_s": Acts("processors", "5us"),
            "slice_s": Acts("processors", 1e-6),
        },
    },
    "loggps": {"between_nodes": _LOGGPS, "inside_node": _LOGGPS},
    "compute": {
        "poll_cost_s": Acts("plain", "90ms"),
        "reduce_s_per_byte": Acts("plain", "9ns"),
        "copy_s_per_byte": Acts("plain", "9ns"),
        "nonblocking_collective_s": Acts("plain", "900us"),
        "spawn_cost_s": Seen("test_spawn.py"),
    },
    "launch": {
        "launcher": Acts("launched-slowly", "manager"),
        "fanout": Acts("launched", 1),
        "connection_s": Acts("launched", "2ms"),
        "connection_work_s": Acts("launched", "1ms"),
        "fork_s": Acts("launched", "1ms"),
        "load_s": Acts("launched", "1ms"),
        "init_s": Acts("launched", "1ms"),
        "init_s_per_peer": Acts("launched", "1ms"),
        "address_bytes": Acts("launched", "1MiB"),
        "exchanges": Acts("launched", 2),
    },
    "storage": dict.fromkeys(
        ("servers", "stripe_bytes", "read_bandwidth_bytes_per_s", "write_bandwidth_bytes_per_s", "latency_s",
         "metadata_latency_s", "node_bandwidth_bytes_per_s"),
        Seen("test_files.py", "[storage]"),
    ),
    "calibration": dict.fromkeys(
        ("date", "host", "mpi", "command", "mpicc", "nodes", "ranks_per_node", "budget_s", "seed", "samples",
         "clock_drift_s_per_s", "unsteadiness", "arithmetic_s", "interrupted_share", "disjoint_slowdown", "frame_load",
         "first_message_s", "half_duplex_share", "overlap", "noise_quantiles", "intervals", "draws", "noise", "slowdown"),
        Seen("test_platform_diff.py", "CALIBRATION"),
    )
    | {
        "verdict": {
            "grade": Seen("test_trusted.py", "grade ="),
            "reason": dict.fromkeys(("about", "grade", "found", "cure"), Seen("test_trusted.py", "calibration.verdict.reason")),
        }
    },
}  # fmt: skip
"""All keys of [calibration] are provenance: `platform show --json` has them, `platform diff` and `--vary` read some."""


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in _models(part)]


def _keys(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    model.model_rebuild()
    for name, field in model.model_fields.items():
        here = (*path, field.alias or name)
        inner = _models(field.annotation)
        if not inner:
            yield here
        for part in inner:
            yield from _keys(part, here)


def _rows(rows: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, row in rows.items():
        if isinstance(row, dict):
            yield from _rows(row, (*path, key))
        else:
            yield (*path, key), row


ALL = dict(_rows(ROWS))


def test_each_key_of_the_schema_has_a_line_here_and_no_other_has() -> None:
    assert set(_keys(schema.Platform)) == set(ALL)


def _with(platform: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy with another value; of lists in the first one that has room for it."""
    changed = copy.deepcopy(platform)
    table: Any = changed
    for part in path[:-1]:
        table = table.setdefault(part, {})
        if isinstance(table, list):
            table = table[0]
    table[path[-1]] = value
    return changed


def _file(folder: Path, name: str, platform: dict[str, Any]) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(toml_writer.write(_without_nothing(platform)), encoding="utf-8")
    return path


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nothing(entry) for key, entry in value.items() if entry is not None}
    return [_without_nothing(entry) for entry in value] if isinstance(value, list) else value


def _times(folder: Path, platform: Path) -> list[float]:
    """Simulated times of the workload, slot by slot, node by node and socket by socket."""
    workload = folder / "it.workload.toml"
    workload.write_text(_WORKLOAD, encoding="utf-8")
    found = []
    for mapping in ("slot", "node", *(["socket"] if "sockets =" in platform.read_text() else [])):
        settings = ReplaySettings(
            traces=[workload], platform=str(platform), mapping=mapping, said=frozenset(("platform", "mapping"))
        )
        found.append(replay(settings).simulated_s)
    polls = folder / "polls.ti"
    polls.write_text("0 irecv 1 0 100\n0 test 1 0 0\n0 wait 1 0 0\n1 compute 1e6\n1 send 0 0 100\n")
    said = frozenset(("platform",))
    found.append(replay(ReplaySettings(traces=[polls], platform=str(platform), said=said)).simulated_s)
    with Laboratory(str(platform), None, "slot").open() as laboratory:
        call = Call("bcast", 1024, 4, immediate=True)
        found.append(laboratory.time(call, laboratory.chosen(selector_named("default"), call)))
    return found


ACTS = [pytest.param(path, row, id=".".join(path)) for path, row in ALL.items() if isinstance(row, Acts)]
SHOWN = [pytest.param(path, row, id=".".join(path)) for path, row in ALL.items() if isinstance(row, Shown)]
SEEN = [pytest.param(path, row, id=".".join(path)) for path, row in ALL.items() if isinstance(row, Seen)]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize(("path", "row"), ACTS)
def test_a_key_changes_simulated_times(tmp_path: Path, path: tuple[str, ...], row: Acts) -> None:
    base = BASES[row.base]
    before = _times(tmp_path, _file(tmp_path, "before", base))
    after = _times(tmp_path, _file(tmp_path, "after", _with(base, path, row.value)))
    assert before != after


@pytest.mark.parametrize(("path", "row"), SHOWN)
def test_a_key_is_shown(tmp_path: Path, path: tuple[str, ...], row: Shown) -> None:
    def shown(name: str, platform: dict[str, Any]) -> str:
        from orrery.platform import core

        found = load(str(_file(tmp_path, name, platform)))
        hardware = core.build(found.model_dump())
        names = " ".join(host.name for host in hardware.hosts)
        return f"{describe(found, hardware, Path('p'))} {names} {found.model_dump_json()}"

    base = BASES[row.base]
    assert shown("before", base) != shown("after", _with(base, path, row.value))


@pytest.mark.parametrize(("path", "row"), SEEN)
def test_a_key_is_used_in_a_test(path: tuple[str, ...], row: Seen) -> None:
    assert (row.word or path[-1]) in (HERE / row.file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("base", "path", "value", "needs"),
    [
        ("plain", ("node", "processors"), {"count": 2}, "[transport.connections]"),
        ("loggps", ("transport",), {"connection_setup_s": "1us"}, "[network]"),
        ("loggps", ("node",), {"handling_noise_s": "1us"}, "[network]"),
        ("plain", ("node", "hypervisor"), {"steal_share": 0.1}, "[cluster.virtual]"),
        ("virtual", ("node", "processors"), {"count": 2}, "nodes that are hosts"),
        ("plain", ("cluster", "virtual", "host_cores"), 1, "[node.hypervisor]"),
        ("plain", ("cluster", "virtual", "other_cores"), 1, "[node.hypervisor]"),
        ("plain", ("cluster", "rail_use"), "striped", "rails"),
        ("plain", ("cluster", "socket_latency_s"), "1us", "sockets"),
        ("graph", ("cluster", "latency_s"), "1us", "links of their own"),
        ("planes", ("cluster", "fat_tree", "seed"), 3, "routing"),
        ("plain", ("cluster", "connectivity"), "nat", "[broker]"),
        ("wan", ("cluster", "ports"), 3, "connectivity"),
        ("wan", ("cluster", "traversable"), True, "connectivity"),
        ("plain", ("broker",), {"cluster": "c"}, "several clusters"),
    ],
)
def test_a_key_that_would_be_ignored_is_refused_with_line_and_cure(
    tmp_path: Path, base: str, path: tuple[str, ...], value: object, needs: str
) -> None:
    file = _file(tmp_path, "it", _with(BASES[base], path, value))
    with pytest.raises(InputError) as refused:
        load(str(file))
    said = str(refused.value)
    # An inline table has the line of its key.
    begins = (*(f"{part} =" for part in path), f"[{path[0]}]")
    line = max(n for n, text in enumerate(file.read_text().splitlines(), start=1) if text.startswith(begins))
    assert said.startswith(f"{file}:{line}: ")
    assert f"acts only beside {needs}" in said or f"acts only beside nodes that have {needs}" in said


@pytest.mark.parametrize(
    ("path", "value", "missing"),
    [
        (("transport", "timeouts", "wait_s"), "100ms", "transport.timeouts.probability"),
        (("transport", "connections", "queue", "later_share"), 0.5, "transport.connections.queue.depth_bytes"),
        (("node", "processors", "send_work_s"), "1us", "node.processors.count"),
        (("network", "framing", "frames", "overhead_bytes"), 90, "network.framing.frames.payload_bytes"),
    ],
)
def test_a_table_without_the_key_that_the_others_need_is_refused(
    tmp_path: Path, path: tuple[str, ...], value: object, missing: str
) -> None:
    with pytest.raises(InputError, match=rf"{re.escape(missing)}: is missing \("):
        load(str(_file(tmp_path, "it", _with(BASES["plain"], path, value))))
