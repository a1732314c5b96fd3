# SPDX-License-Identifier: BSD-3-Clause
"""The platform file, with a comment on every value that was measured."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orrery.calibrate.fit.network.regimes import LEGS, QUANTILES, Fit, FittedRegime
from orrery.calibrate.fit.network.wire import Framing, Wire
from orrery.calibrate.fit.node.processors import Processors
from orrery.calibrate.fit.outcome import Outcome, Path
from orrery.calibrate.fit.transport.sharing import Sharing
from orrery.calibrate.fit.transport.timeouts import Timeouts
from orrery.calibrate.uncertainty.draws import TAILS
from orrery.calibrate.write import typical
from orrery.platform.draws import leaves
from orrery.platform.load import dotted
from orrery.platform.schema import Verdict
from orrery.units import show_bytes, show_rate, show_time

_KEPT_DRAWS = 50
"""Enough for the percentiles of replicas; all of them would make the file ten times as long as its parameters are."""
_ASKED = ", after request and grant"
_EVEN = 0.95
"""Messages whose shares are as alike share evenly."""
_LEAST_NOISE_S = 1e-9
"""Less is the grain of clocks."""


@dataclass(frozen=True)
class Provenance:
    """When, where and how it was measured."""

    name: str
    date: str
    host: str
    command: str
    mpicc: str
    nodes: int
    ranks_per_node: int
    groups: list[int]
    """Nodes of each cabinet or site."""
    cores: int | None
    """Of a node, where the user says so."""
    budget_s: float
    seed: int
    speed: float
    """Of a core, relative to the host on which the simulation runs; 0: not known."""


def document(outcome: Outcome, made: Provenance, verdict: Verdict, others: Sequence[Mapping[str, float]] = ()) -> str:
    """The whole file, its verdict first. `others`: what other draws of the samples give for its values, by key (`values_of`)."""
    spread = {key: values for key, values in by_key(others).items() if min(values) < max(values)}
    head, *rest = _parameters(outcome, made)
    return "\n".join(
        [
            _comments(outcome, made, verdict) + head,
            _verdict(verdict),
            *rest,
            _calibration(outcome, made),
            _uncertainty(outcome, spread),
        ]
    )


def values_of(outcome: Outcome, made: Provenance) -> dict[str, float]:
    """All numbers that a file would have, by key."""
    tables = tomllib.loads("\n".join(_parameters(outcome, made)))
    return {dotted(key): float(value) for key, value in leaves(tables) if isinstance(value, int | float)}


def by_key(others: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """Of each key the values of all; what a file would not have for being nothing is 0."""
    keys = dict.fromkeys(key for one in others for key in one)
    return {key: [one.get(key, 0.0) for one in others] for key in keys}


def _parameters(outcome: Outcome, made: Provenance) -> list[str]:
    parts = [
        _head(outcome, made),
        _cluster(outcome, made),
        _network(outcome),
        _transport(outcome),
        _node(outcome),
        _loggps(outcome),
        _compute(outcome),
    ]
    return [part for part in parts if part]


def number(value: float) -> str:
    """Six digits, as TOML wants them: a float always looks like one."""
    text = f"{value:.6g}"
    return text if any(letter in text for letter in ".en") else f"{text}.0"


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _line(key: str, value: str, comment: str = "") -> str:
    assignment = f"{key} = {value}"
    return f"{assignment:<37} # {comment}\n" if comment else f"{assignment}\n"


def _comments(outcome: Outcome, made: Provenance, verdict: Verdict) -> str:
    return (
        "# SPDX-License-Identifier: BSD-3-Clause\n"
        f"# This calibration is {verdict.grade}{': see why below' if verdict.reasons else ''}.\n"
        f"# Written by `orrery calibrate` on {made.date} from {outcome.samples:,} samples; see [calibration] at the end.\n"
        "# Comments and [calibration.intervals] give 95 % intervals. What was measured once is as good as that day: measure again after changes.\n\n"
    )


def _verdict(verdict: Verdict) -> str:
    text = "[calibration.verdict]                 # good, usable or poor: how far the values below can be trusted\n"
    text += _line("grade", _text(verdict.grade))
    for one in verdict.reasons:
        text += (
            "\n[[calibration.verdict.reason]]\n" + _line("about", _text(one.about)) + _line("grade", _text(one.grade))
        )
        text += _line("found", _text(one.found)) + _line("cure", _text(one.cure))
    return text


def _head(outcome: Outcome, made: Provenance) -> str:
    missing = "" if outcome.memory else "; inside a node: typical, not measured"
    nodes = "1 node" if outcome.layout.alone else f"{made.nodes} nodes"
    return (
        _line("name", _text(made.name))
        + _line("description", _text(f"{nodes}, {outcome.layout.mpi.split(',')[0]}"))
        + _line("source", _text(f"measured {made.date} by orrery calibrate on {made.host}{missing}"))
        + _line("model", '"hybrid"')
    )


def _cluster(outcome: Outcome, made: Provenance) -> str:
    wire, first = outcome.network.wire, outcome.network.regimes[0]
    sharing, memory = outcome.sharing, outcome.memory
    low, high = (number(value) for value in sharing.limiter_interval)
    kind = "of bytes on the wire, frames included" if wire.framing else "of payload"
    alone = outcome.layout.alone
    shared = outcome.processors is not None
    cores = made.cores or (made.ranks_per_node if shared else outcome.layout.processors)
    text = "[[cluster]]\n" + _line("name", _text(made.name))
    if len(made.groups) == 1:
        text += _line("nodes", str(made.nodes))
    text += _line(
        "cores", str(cores), "as given" if made.cores else "ranks of a node" if shared else "processors that a node has"
    )
    text += _line("speed", number(made.speed or 1.0), _speed_note(made))
    slow, fast = (number(value) for value in wire.interval("rate_bytes_per_s"))
    rate = f"{show_rate(wire.rate_bytes_per_s)} {kind}; {slow} to {fast}"
    if alone:
        text += "# One node was measured. What stands for a network is as inside the node, and nothing crosses it.\n"
    text += _line("bandwidth_bytes_per_s", number(wire.rate_bytes_per_s), rate)
    text += _line("latency_s", number(first.fit.latency_s / 2), f"up, and again down: {show_time(first.fit.latency_s)}")
    text += _line(
        "limiter_factor", number(sharing.limiter_factor), "" if alone else f"both directions together, {low} to {high}"
    )
    if memory is None:
        text += _line(
            "memory_bandwidth_bytes_per_s", number(typical.MEMORY_BANDWIDTH_BYTES_PER_S), "typical, NOT MEASURED"
        )
        text += _line("memory_latency_s", number(typical.MEMORY_LATENCY_S), "typical, NOT MEASURED")
    else:
        text += _line(
            "memory_bandwidth_bytes_per_s", number(memory.wire.rate_bytes_per_s), "all pairs of ranks together"
        )
        text += _line("memory_latency_s", number(memory.regimes[0].fit.latency_s))
    return text + _cabinets(outcome, made)


def _speed_note(made: Provenance) -> str:
    return "of a core, relative to the host that simulates" if made.speed else "not measured: the same as this host"


def _cabinets(outcome: Outcome, made: Provenance) -> str:
    if len(made.groups) == 1:
        return ""
    text = ""
    for index, nodes in enumerate(made.groups, start=1):
        text += f"\n[[cluster.cabinet]]\n{_line('name', _text(f'{made.name}-{index}'))}{_line('nodes', str(nodes))}"
        if outcome.uplink is None:
            continue
        uplink = outcome.uplink
        seen = f"{uplink.pairs} pairs between the first two groups"
        text += _line(
            "uplink_bytes_per_s",
            number(uplink.rate_bytes_per_s),
            seen if uplink.rate_bytes_per_s else f"{seen} did not fill it",
        )
        text += _line(
            "limiter_bytes_per_s", number(uplink.limiter_bytes_per_s), "both directions together; 0: no such limit seen"
        )
        text += _line("latency_s", number(uplink.latency_s))
    return text


def _network(outcome: Outcome) -> str:
    wire = outcome.network.wire
    text = "[network]\n"
    if wire.burst_bytes:
        least, most = (f"{value:.0f}" for value in wire.interval("burst_bytes"))
        text += _line("burst_bytes", str(round(wire.burst_bytes)), f"pass at once after idleness; {least} to {most}")
    if outcome.noise.handling_s > _LEAST_NOISE_S:
        text += _line("rate_noise", number(outcome.noise.rate_fraction), "mean lengthening of large messages, relative")
    if wire.framing:
        text += _framing(wire.framing, wire)
    text += _regimes("between_nodes", outcome.network)
    return text + (_regimes("inside_node", outcome.memory) if outcome.memory else typical.MEMORY_HYBRID)


def _transport(outcome: Outcome) -> str:
    """Empty where nothing of it was found."""
    sharing = outcome.sharing
    text = ""
    if outcome.first_message_s > outcome.network.regimes[0].fit.latency_s:
        text += _line(
            "connection_setup_s", number(outcome.first_message_s), "more, of the first message of two processes"
        )
    connections = _connections(sharing, outcome.network.wire)
    if _has_connections(outcome):
        text += "\n[transport.connections]               # messages of two nodes follow each other\n" + connections
    else:
        text += _remarks(connections)
    text += _timeouts(outcome.timeouts)
    return "[transport]\n" + text if text else ""


def _node(outcome: Outcome) -> str:
    """Empty where nothing of it was found."""
    text = ""
    if outcome.sharing.grants_wait:
        text += _line("progress", '"in-calls"', "exchanges of a pair of processes: one direction after the other")
    if outcome.noise.handling_s > _LEAST_NOISE_S:
        text += _line("handling_noise_s", number(outcome.noise.handling_s), "of a small message")
    text += _processors(outcome.processors)
    return "[node]\n" + text if text else ""


def _has_connections(outcome: Outcome) -> bool:
    """Whether messages of two nodes follow each other in the model."""
    return outcome.sharing.grants_wait or outcome.processors is not None


def _remarks(lines: str) -> str:
    """What was measured but would not act: it is left for readers."""
    if not lines:
        return ""
    return "# Measured, but without an effect where exchanges run at full duplex:\n" + "".join(
        f"# {line}\n" for line in lines.splitlines() if line
    )


def _connections(sharing: Sharing, wire: Wire) -> str:
    text = ""
    if sharing.grants_wait and wire.framing is not None:
        text += _line("requests_follow_messages", "true", "in front of their node's link: follows from the frames")
    if sharing.send_buffer_bytes:
        text += _line("send_buffer_bytes", str(round(sharing.send_buffer_bytes)), "still to go when MPI_Send returns")
    if sharing.ack_fraction:
        text += _line("ack_fraction", number(sharing.ack_fraction), "of a transfer's bytes go back")
    if sharing.queue_bytes:
        text += "\n[transport.connections.queue]\n"
        text += _line("depth_bytes", str(round(sharing.queue_bytes)), "of a large message, before small ones")
        if sharing.later_share < _EVEN:
            text += _line("later_share", number(sharing.later_share), "of the rate of what the same node wrote before")
    return text


def _processors(found: Processors | None) -> str:
    if found is None:
        return ""
    each = "seconds of a processor for each message"
    least, most = (show_time(value) for value in found.seen_work_s)
    text = "\n[node.processors]                     # the nodes are containers of one machine\n"
    text += _line("count", str(found.count))
    text += _line("send_work_s", number(found.send_work_s), each)
    text += _line("recv_work_s", number(found.recv_work_s), each)
    text += _line("wake_work_s", number(found.wake_work_s), f"more, where the receiver slept: {least} to {most} in all")
    if found.idle_wake_s:
        text += _line("idle_wake_s", number(found.idle_wake_s), "part of the latency: idle processors that wake")
    return text + _line(
        "frame_work_s", number(found.frame_work_s), "of each frame but a message's first: part of the above"
    )


def _timeouts(found: Timeouts | None) -> str:
    if found is None:
        return ""
    text = "\n[transport.timeouts]                  # packets that the switch dropped\n"
    text += _line("wait_s", number(found.wait_s), "of a message whose end was lost")
    text += _line("flows", str(found.flows), "messages to one node that the switch carried without loss")
    return text + _line(
        "probability", number(found.probability), f"with more: {found.stalled} of {found.exposed} waited"
    )


def _framing(framing: Framing, wire: Wire) -> str:
    text = "\n[network.framing]                     # as the network interfaces count\n"
    text += _line("header_bytes", str(framing.header_bytes), "of a message")
    if wire.store_and_forward:
        text += _line("store_and_forward", "true", "a byte of a lone frame takes the time of two links")
    text += "\n[network.framing.frames]\n"
    text += _line(
        "payload_bytes", str(framing.payload_bytes), "of a frame: what the interface carries, less IP and TCP"
    )
    return text + _line(
        "overhead_bytes", str(framing.overhead_bytes), "of a frame: Ethernet, IP, TCP, preamble, checksum, gap"
    )


def _regimes(name: str, path: Path) -> str:
    base = path.regimes[0].fit.latency_s
    return "".join(f"\n{_regime(name, index, one, base, path.wire)}" for index, one in enumerate(path.regimes))


def _regime(name: str, index: int, one: FittedRegime, base: float, wire: Wire) -> str:
    upto = "and more" if one.end is None else f"to {show_bytes(one.end - 1)}"
    text = f"{f'[[network.{name}]]':<37} # {index}: {show_bytes(one.start)} {upto}; {one.sizes} sizes\n"
    if one.end is not None:
        text += _line("end_bytes", str(one.end))
    text += _line("protocol", _text(one.protocol))
    for side in ("send", "recv"):
        text += _line(f"{side}_overhead_s", number(getattr(one.fit, f"{side}_s")), _between(one, f"{side}_s"))
        slope = getattr(one.fit, f"{side}_s_per_byte")
        text += _line(f"{side}_overhead_s_per_byte", number(slope), _between(one, f"{side}_s_per_byte"))
    # What a message takes besides does not grow with the route.
    legs = 1 if one.protocol == "asynchronous" else LEGS
    text += _line(
        "latency_factor", number(float(legs)), "of the route's latency: the message's way" + _ASKED * (legs > 1)
    )
    makes = f"makes {show_time(one.fit.latency_s)}; {_between(one, 'latency_s', show_time)}"
    text += _line("latency_s", number(one.fit.latency_s - legs * base), makes)
    factor = number(one.fit.rate_bytes_per_s / wire.rate_bytes_per_s)
    text += _line(
        "bandwidth_factor",
        factor,
        _between(one, "rate_bytes_per_s", lambda rate: number(rate / wire.rate_bytes_per_s)),
    )
    return text


def _between(one: FittedRegime, key: str, show: Callable[[float], str] = number) -> str:
    """Nothing where no other draws have been made."""
    return " to ".join(show(value) for value in one.intervals.get(key, ()))


def _loggps(outcome: Outcome) -> str:
    text = "# LogGPS, from the values above: one set for all sizes, so it is only as good as that.\n"
    text += _loggps_set("between_nodes", outcome.network)
    return text + (f"\n{_loggps_set('inside_node', outcome.memory)}" if outcome.memory else typical.MEMORY_LOGGPS)


def _loggps_set(name: str, path: Path) -> str:
    first, last = path.regimes[0], path.regimes[-1]
    eager = [one for one in path.regimes if one.protocol == "asynchronous"][-1:] or [first]
    per_frame = 1.0
    if path.wire.framing:
        per_frame += path.wire.framing.overhead_bytes / path.wire.framing.payload_bytes
    limit = path.limits.detached if path.limits.detached is not None else path.limits.tried
    text = f"[loggps.{name}]\n"
    text += _line("latency_s", number(first.fit.latency_s), "L: of the first regime")
    text += _line("overhead_s", number((first.fit.send_s + first.fit.recv_s) / 2), "o: mean of its two")
    text += _line(
        "send_overhead_s_per_byte", number(eager[0].fit.send_s_per_byte), "O_s: of the largest eager messages"
    )
    text += _line("recv_overhead_s_per_byte", number(eager[0].fit.recv_s_per_byte), "O_r")
    text += _line(
        "gap_s_per_byte_short", number(_gap(first.fit, path.wire, per_frame)), "g: the rate of the first regime"
    )
    text += _line("gap_s_per_byte", number(_gap(last.fit, path.wire, per_frame)), "G: the rate of the last one")
    text += _line("short_limit_bytes", str(first.end or 0), "s: where the first regime ends")
    return text + _line("sync_threshold_bytes", str(limit), "S: S_d")


def _gap(values: Fit, wire: Wire, per_frame: float) -> float:
    return per_frame / min(values.rate_bytes_per_s, wire.rate_bytes_per_s)


def _compute(outcome: Outcome) -> str:
    calls = outcome.calls
    text = "[compute]\n"
    text += _line(
        "poll_cost_s",
        number(max(calls.test_s, 1e-9)),
        f"MPI_Test; MPI_Iprobe {show_time(calls.iprobe_s)}, MPI_Wtime {show_time(calls.wtime_s)}",
    )
    text += _line("reduce_s_per_byte", number(calls.reduce_s_per_byte), "sum of doubles, in the cache")
    text += _line("copy_s_per_byte", number(calls.copy_s_per_byte), "in the cache")
    return text + _line("nonblocking_collective_s", number(calls.nonblocking_s), "MPI_Iallreduce, less MPI_Allreduce")


def _calibration(outcome: Outcome, made: Provenance) -> str:
    text = "[calibration]                         # how this file came about; the simulation does not use it\n"
    text += _line("date", _text(made.date)) + _line("host", _text(made.host))
    text += _line("mpi", _text(outcome.layout.mpi)) + _line("command", _text(made.command))
    text += _line("mpicc", _text(made.mpicc)) + _line("nodes", str(made.nodes))
    text += _line("ranks_per_node", str(made.ranks_per_node)) + _line("budget_s", number(made.budget_s))
    text += _line("seed", str(made.seed)) + _line("samples", str(outcome.samples))
    text += _line("clock_drift_s_per_s", number(outcome.drift_s_per_s), "largest; compared before each use")
    text += _line("unsteadiness", number(outcome.unsteadiness), "what the same arithmetic took more at times")
    text += _line("arithmetic_s", number(outcome.calls.kernel_s), "the same in every calibration, where not disturbed")
    text += _line("interrupted_share", number(outcome.interrupted_share), "of its repetitions waited for a processor")
    at = outcome.bottleneck
    text += _line("disjoint_slowdown", number(at.slowdown), f"of {at.pairs} transfers at once that share no link")
    text += _line("frame_load", number(at.frame_load), "of shared processors, by frames of all nodes at full rate")
    text += _line("first_message_s", number(outcome.first_message_s), "what a pair's first message takes more")
    text += _line(
        "half_duplex_share", number(outcome.sharing.half_duplex_share), "of blocking exchanges of a pair of processes"
    )
    text += _line("overlap", _overlaps(outcome), "[bytes, sender, receiver]: part of a transfer without calls of MPI")
    text += _line("noise_quantiles", "[" + ", ".join(map(str, QUANTILES)) + "]", "of measured over fitted times, below")
    text += "\n[calibration.noise]                   # measured over fitted one-way times of the regimes\n"
    for name, path in (("between_nodes", outcome.network), ("inside_node", outcome.memory)):
        for index, one in enumerate(path.regimes if path else []):
            text += _line(f'"{name}.{index}"', "[" + ", ".join(number(value) for value in one.noise) + "]")
    text += "\n[calibration.slowdown]                # transfers at once over one alone: least, median, most\n"
    for case in outcome.sharing.cases:
        key = f'"{case.name}.{case.transfers}.{case.bytes}{case.delay}"'
        values = (case.slowdown.min(), sorted(case.slowdown)[len(case.slowdown) // 2], case.slowdown.max())
        text += _line(key, "[" + ", ".join(number(float(value)) for value in values) + "]")
    return text


def _uncertainty(outcome: Outcome, spread: Mapping[str, Sequence[float]]) -> str:
    """Intervals, and some of the draws that they come from, which say what goes together."""
    text = "[calibration.intervals]               # 95 %, by key\n"
    intervals = {key: np.quantile(values, TAILS) for key, values in spread.items()}
    if not outcome.layout.alone:
        intervals |= {"cluster[0].limiter_factor": np.array(outcome.sharing.limiter_interval)}
    if outcome.sharing.ack_fraction and _has_connections(outcome):
        intervals |= {"transport.connections.ack_fraction": np.array(outcome.sharing.ack_interval)}
    for key, interval in intervals.items():
        text += _line(f'"{key}"', "[" + ", ".join(number(float(value)) for value in interval) + "]")
    if not spread:
        return text
    text += "\n[calibration.draws]                   # as likely values; the n-th of all keys belong together\n"
    for key, values in spread.items():
        text += _line(f'"{key}"', "[" + ", ".join(f"{value:.4g}" for value in values[:_KEPT_DRAWS]) + "]")
    return text


def _overlaps(outcome: Outcome) -> str:
    return (
        "["
        + ", ".join(f"[{one.bytes}, {number(one.sender)}, {number(one.receiver)}]" for one in outcome.overlaps)
        + "]"
    )
