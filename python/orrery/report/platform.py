# SPDX-License-Identifier: BSD-3-Clause
"""Description of a platform as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orrery.collective.ping_pong import SIZES, PingPong
from orrery.platform import schema
from orrery.platform.heavy_noise import caution_of_noise
from orrery.platform.reach import Way, ways
from orrery.platform.trusted import UNJUDGED
from orrery.published import as_json as json_of
from orrery.report.fabric import fabric_lines
from orrery.units import show_bytes, show_rate, show_time

if TYPE_CHECKING:
    from orrery import _core


@dataclass(frozen=True)
class PlatformSummary:
    """What `orrery platform show --json` has besides the values of the file."""

    file: Path
    hosts: int
    cores: int
    """Cores of all hosts."""
    links: int
    connections: list[Way]
    """Between the first nodes of each two clusters, in both directions; empty: the platform has no broker."""
    ping_pong: list[PingPong]
    """Inside the first node, from it to the next one and to the last one, as far as there are such."""


def as_json(
    platform: schema.Platform, hardware: _core.Platform, file: Path, messages: list[PingPong]
) -> dict[str, Any]:
    """Output of `orrery platform show --json`: all values of the file by their keys, and what is computed from them."""
    counts = len(hardware.hosts), _cores(hardware), len(hardware.links)
    computed = PlatformSummary(file, *counts, connections=list(ways(platform, hardware)), ping_pong=messages)
    values: dict[str, Any] = platform.model_dump(mode="json", by_alias=True)
    values |= json_of(computed)
    return values


def describe(platform: schema.Platform, hardware: _core.Platform, file: Path, messages: Sequence[PingPong] = ()) -> str:
    """Output of `orrery platform show`: origin, verdict, clusters, wide-area links, messages, model parameters, storage."""
    blocks = [_head(platform, hardware, file)]
    if platform.calibration is not None:
        blocks.append(_calibration(platform.calibration))
    blocks += [_cluster(cluster) for cluster in platform.clusters]
    blocks += [_wan(wan) for wan in platform.wan]
    if platform.broker is not None:
        blocks.append("broker:\n" + _broker(platform.broker))
        heading = "connections between the first nodes of clusters; the one that sends first stands first:\n"
        blocks.append(heading + _ways(ways(platform, hardware)))
    if messages:
        blocks.append("half of a ping-pong, to compare with a measured one:\n" + _messages(messages))
    if platform.network is not None:
        blocks.append("hybrid, between nodes:\n" + _regimes(platform.network.between_nodes))
        blocks.append("hybrid, inside a node:\n" + _regimes(platform.network.inside_node))
    if platform.loggps is not None:
        blocks.append("loggps, between nodes:\n" + _loggps(platform.loggps.between_nodes))
        blocks.append("loggps, inside a node:\n" + _loggps(platform.loggps.inside_node))
    if platform.storage is not None:
        blocks.append("storage:\n" + _storage(platform.storage))
    return "\n".join(blocks)


def _storage(storage: schema.Storage) -> str:
    read, write = show_rate(storage.read_bandwidth_bytes_per_s), show_rate(storage.write_bandwidth_bytes_per_s)
    pairs = [
        ("servers", f"{storage.servers:,}, stripes of {show_bytes(storage.stripe_bytes)}"),
        ("each", f"reads {read}, writes {write}"),
        ("latency", f"{show_time(storage.latency_s)}, of metadata {show_time(storage.metadata_latency_s)}"),
    ]
    if storage.node_bandwidth_bytes_per_s:
        pairs.append(("node", f"at most {show_rate(storage.node_bandwidth_bytes_per_s)}"))
    return _pairs(pairs)


def _cores(hardware: _core.Platform) -> int:
    return sum(host.cores for host in hardware.hosts)


def _head(platform: schema.Platform, hardware: _core.Platform, file: Path) -> str:
    return _pairs(
        [
            ("file", str(file)),
            ("platform", f"{platform.name}: {platform.description}" if platform.description else platform.name),
            ("parameters", platform.source or "of unknown origin"),
            *([("measured", ", ".join(platform.measured))] if platform.measured else []),
            ("size", f"{len(hardware.hosts):,} hosts, {_cores(hardware):,} cores, {len(hardware.links):,} links"),
            ("model", platform.model),
            ("noise", _noise(platform.node)),
            *(("caution", said) for said in caution_of_noise([(k.every_s, k.takes_s) for k in platform.node.noise])),
        ]
    )


def _noise(node: schema.Node) -> str:
    """What interrupts computation on the nodes."""
    if node.hypervisor is not None:
        return f"{node.hypervisor.steal_share:.2%} of a virtual processor's time is stolen ([node.hypervisor])"
    if not node.noise:
        return "none simulated on the nodes: not measured ([[node.noise]])"
    kinds = [f"{show_time(kind.takes_s)} in every {show_time(kind.every_s)}" for kind in node.noise]
    return f"{sum(kind.takes_s / kind.every_s for kind in node.noise):.2%} of a processor's time: {', '.join(kinds)}"


def _calibration(calibration: schema.Calibration) -> str:
    """The grade of the calibration, then each reason with its cure."""
    verdict = calibration.verdict
    if verdict is None:
        return _pairs([("calibration", UNJUDGED)])
    reasons = [(reason.grade, f"{reason.found}. Cure: {reason.cure}") for reason in verdict.reasons]
    return _pairs([("calibration", verdict.grade), *reasons])


def _cluster(cluster: schema.Cluster) -> str:
    nodes = cluster.node_count
    sockets = f" on {cluster.sockets} sockets" if cluster.sockets > 1 else ""
    pairs = [("site", cluster.site)] if cluster.site else []
    pairs += [
        ("nodes", f"{nodes:,} of {cluster.cores} cores{sockets}, speed {cluster.speed:g}"),
        *_node_link(cluster),
        *_memory(cluster),
        *fabric_lines(cluster),
    ]
    if cluster.backbone_bytes_per_s:
        pairs.append(("backbone", _link(cluster.backbone_bytes_per_s, cluster.backbone_latency_s)))
    if (accepts := _accepts(cluster)) != "open":
        pairs.append(("accepts", accepts))
    if cluster.frontal:
        pairs.append(("frontal", _frontal(cluster.frontal)))
    if cluster.gateway_note:
        pairs.append(("gateway", cluster.gateway_note))
    pairs += [("cabinet", _cabinet(cabinet)) for cabinet in cluster.cabinets]
    return f"cluster {cluster.name}:\n" + _pairs(pairs)


def _memory(cluster: schema.Cluster) -> Iterator[tuple[str, str]]:
    """The link that all messages inside a node, or a socket, share; and whether that is less than ranks need."""
    rate = cluster.memory_bandwidth_bytes_per_s
    cores = max(1, cluster.cores // cluster.sockets)
    whose = "" if cores == 1 else f", shared by the {cores} cores of a {'socket' if cluster.sockets > 1 else 'node'}"
    yield "memory", f"{_link(rate, cluster.memory_latency_s)}{whose}"
    if cores > 1 and cluster.graph is None and rate < (network := cluster.rails * cluster.bandwidth_bytes_per_s):
        yield (
            "caution",
            f"memory is slower than the network, {show_rate(network)}: give what all cores of a node reach together",
        )


def _messages(messages: Sequence[PingPong]) -> str:
    heading = ("", *map(show_bytes, SIZES), "from", "to")
    rows = [(pair.where, *map(show_time, pair.seconds), pair.first, pair.second) for pair in messages]
    return _columns([heading, *rows])


def _node_link(cluster: schema.Cluster) -> Iterator[tuple[str, str]]:
    if cluster.graph is not None:
        return
    planes = ", planes of their own" if cluster.rail_planes else ""
    rails = f"{cluster.rails} ({cluster.rail_use}{planes}), each " if cluster.rails > 1 else ""
    unshared = ", as many flows at once as there are" if cluster.node_links == "unshared" else ""
    yield (
        "host link" if cluster.virtual else "node link",
        f"{rails}{_link(cluster.bandwidth_bytes_per_s, cluster.latency_s)}{unshared}",
    )
    what = "host" if cluster.virtual else "node"
    yield "limiter", _limiter(cluster.limiter_factor, what)


def _limiter(factor: float, what: str) -> str:
    if factor == 2:
        return f"none: both directions of the {what} link can be full at once"
    return f"both directions of the {what} link share {factor:g} times the rate of one"


def _cabinet(cabinet: schema.Cabinet) -> str:
    words = [cabinet.name, f"{cabinet.nodes:,} nodes"]
    if cabinet.uplink_bytes_per_s:
        words.append(f"uplink {_link(cabinet.uplink_bytes_per_s, cabinet.latency_s)}")
    if cabinet.limiter_bytes_per_s:
        words.append(f"limiter {show_rate(cabinet.limiter_bytes_per_s)}")
    return ", ".join(word for word in words if word)


def _wan(wan: schema.Wan) -> str:
    link = _link(wan.bandwidth_bytes_per_s, wan.latency_s)
    return f"wide-area link {wan.from_cluster} - {wan.to_cluster}:\n" + _pairs([("link", link)])


def _accepts(cluster: schema.Cluster) -> str:
    """Which connections of other clusters the nodes accept."""
    if cluster.connectivity == "ports":
        return f"connections to {cluster.ports} ports of a node"
    if cluster.connectivity == "open":
        return "open"
    return f"no connections ({cluster.connectivity}{', traversable' if cluster.traversable else ''})"


def _frontal(frontal: schema.Frontal) -> str:
    stored = f"{show_bytes(frontal.buffer_bytes)} at a time" if frontal.buffer_bytes else "whole messages"
    handled = f", {show_time(frontal.handling_s)} for each" if frontal.handling_s else ""
    link = _link(frontal.bandwidth_bytes_per_s, frontal.latency_s)
    return f"relays {show_rate(frontal.relay_bytes_per_s)}, {stored}{handled}; link {link}"


def _broker(broker: schema.Broker) -> str:
    kept = "stay" if broker.keeps_connections else "serve one message each"
    return _pairs(
        [
            ("at", f"the gateway of {broker.cluster}, {show_time(broker.latency_s)} behind it"),
            ("answers", f"in {show_time(broker.answer_s)} each, one after the other; connections {kept}"),
        ]
    )


def _ways(found: Iterable[Way]) -> str:
    """A line for each pair of clusters and direction of the first message."""
    return "".join(
        f"  {way.source} - {way.target}: {way.technique}: {way.reason}; set-up {show_time(way.setup_s)}, latency "
        f"{show_time(way.latency_s)}, {show_rate(way.rate_bytes_per_s)}\n"
        for way in found
    )


def _link(rate: float, latency_s: float) -> str:
    return f"{show_rate(rate)}, {show_time(latency_s)}"


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f"  {what:<11} {value}\n" for what, value in pairs)


def _regimes(regimes: Sequence[schema.Regime]) -> str:
    heading = ("from", "protocol", "o_s", "O_s per KiB", "o_r", "O_r per KiB", "L factor", "B factor")
    return _columns([heading, *_regime_cells(regimes)])


def _regime_cells(regimes: Sequence[schema.Regime]) -> Iterator[tuple[str, ...]]:
    start = 0
    for regime in regimes:
        yield (
            show_bytes(start) if start % 1024 == 0 else f"{start:,} B",
            regime.protocol,
            show_time(regime.send_overhead_s),
            show_time(regime.send_overhead_s_per_byte * 1024),
            show_time(regime.recv_overhead_s),
            show_time(regime.recv_overhead_s_per_byte * 1024),
            f"{regime.latency_factor:g}",
            f"{regime.bandwidth_factor:g}",
        )
        start = regime.end_bytes or 0


def _columns(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"  {line}\n" for line in lines)


def _loggps(values: schema.LogGPSSet) -> str:
    return _pairs(
        [
            ("L", show_time(values.latency_s)),
            ("o", show_time(values.overhead_s)),
            ("O_s, O_r", f"{_per_byte(values.send_overhead_s_per_byte)}, {_per_byte(values.recv_overhead_s_per_byte)}"),
            ("g, G", f"{_per_byte(values.gap_s_per_byte_short)}, {_per_byte(values.gap_s_per_byte)}"),
            ("s, S", f"{values.short_limit_bytes:,} B, {values.sync_threshold_bytes:,} B"),
        ]
    )


def _per_byte(cost_s: float) -> str:
    return f"{show_time(cost_s)}/B"
