# SPDX-License-Identifier: BSD-3-Clause
"""The head of a platform file, and its nodes."""

from __future__ import annotations

from orrery.calibrate.fit import CalibrationOutcome
from orrery.calibrate.write import typical
from orrery.calibrate.write.provenance import Provenance
from orrery.calibrate.write.toml import line, number, quoted
from orrery.units import show_rate, show_time


def head_of(outcome: CalibrationOutcome, made: Provenance) -> str:
    """The keys before all tables: name, description, source, model."""
    missing = "" if outcome.memory else "; inside a node: typical, not measured"
    nodes = "1 node" if outcome.layout.alone else f"{made.nodes} nodes"
    return (
        line("name", quoted(made.name))
        + line("description", quoted(f"{nodes}, {outcome.layout.mpi.split(',')[0]}"))
        + line("source", quoted(f"{_origin(made)}{missing}"))
        + line("model", '"hybrid"')
    )


def _origin(made: Provenance) -> str:
    """Who measured; no host: others did, and `command` says what."""
    how = f"measured {made.date} by orrery calibrate on {made.host}"
    return how if made.host else f"{made.command}, read {made.date} by orrery calibrate"


def cluster_table(outcome: CalibrationOutcome, made: Provenance) -> str:
    """The table [[cluster]]: nodes, their links and memory, and cabinets or sites if there are several."""
    wire = outcome.network.wire
    sharing, memory = outcome.sharing, outcome.memory
    low, high = (number(value) for value in sharing.limiter_interval)
    kind = "of bytes on the wire, frames included" if wire.framing else "of payload"
    alone = outcome.layout.alone
    shared = outcome.processors is not None
    cores = made.cores or (made.ranks_per_node if shared else outcome.layout.processors)
    text = "[[cluster]]\n" + line("name", quoted(made.name))
    if len(made.groups) == 1 or made.vms_per_host is not None:
        text += line("nodes", str(made.nodes))
    text += line(
        "cores", str(cores), "as given" if made.cores else "ranks of a node" if shared else "processors that a node has"
    )
    text += line("speed", number(made.speed or 1.0), _speed_note(made))
    slow, fast = (number(value) for value in wire.interval("rate_bytes_per_s"))
    rate = f"{show_rate(wire.rate_bytes_per_s)} {kind}; {slow} to {fast}"
    if alone:
        text += "# One node was measured. What stands for a network is as inside the node, and nothing crosses it.\n"
    text += _links(outcome, rate)
    text += line(
        "limiter_factor", number(sharing.limiter_factor), "" if alone else f"both directions together, {low} to {high}"
    )
    if memory is None:
        text += line(
            "memory_bandwidth_bytes_per_s", number(typical.MEMORY_BANDWIDTH_BYTES_PER_S), "typical, NOT MEASURED"
        )
        text += line("memory_latency_s", number(typical.MEMORY_LATENCY_S), "typical, NOT MEASURED")
    else:
        text += line(
            "memory_bandwidth_bytes_per_s", number(memory.wire.rate_bytes_per_s), "all pairs of ranks together"
        )
        text += line("memory_latency_s", number(memory.regimes[0].fit.latency_s))
    return text + (_virtual(outcome, made) if made.vms_per_host is not None else _cabinets(outcome, made))


def _links(outcome: CalibrationOutcome, rate: str) -> str:
    """Rate and latency of a node's link; of virtual machines those of their host's."""
    latency_s, host = outcome.network.regimes[0].fit.latency_s, outcome.host_link
    if host is None:
        return line("bandwidth_bytes_per_s", number(outcome.network.wire.rate_bytes_per_s), rate) + line(
            "latency_s", number(latency_s / 2), f"up, and again down: {show_time(latency_s)}"
        )
    seen = f"{host.pairs} pairs between two hosts at once"
    return line(
        "bandwidth_bytes_per_s",
        number(host.rate_bytes_per_s),
        f"of a host, {seen}" if host.full else f"of a host, at least: {seen} did not fill it",
    ) + line("latency_s", number(host.latency_s), "of a host, up, and again down")


def _virtual(outcome: CalibrationOutcome, made: Provenance) -> str:
    """The table [cluster.virtual]."""
    host, stolen, per_host = outcome.host_link, outcome.stolen, made.vms_per_host or 1
    text = "\n[cluster.virtual]\n" + line("per_host", str(per_host), "as given")
    if stolen and stolen.slice_s:
        wanted = per_host * made.ranks_per_node
        cores = max(1, round(wanted / stolen.crowding))
        text += line("host_cores", str(cores), f"all ranks at once compute {stolen.crowding:.2f} times as long as one")
    if host is not None:
        if host.full:
            text += line(
                "bandwidth_bytes_per_s", number(host.machine_bytes_per_s), "of a machine: what one pair reaches"
            )
        text += line("latency_s", number(host.machine_latency_s), "out of a machine, and again in")
    return text


def _speed_note(made: Provenance) -> str:
    return "of a core, relative to the host that simulates" if made.speed else "not measured: the same as this host"


def _cabinets(outcome: CalibrationOutcome, made: Provenance) -> str:
    if len(made.groups) == 1:
        return ""
    text = ""
    for index, nodes in enumerate(made.groups, start=1):
        text += f"\n[[cluster.cabinet]]\n{line('name', quoted(f'{made.name}-{index}'))}{line('nodes', str(nodes))}"
        if outcome.uplink is None:
            continue
        uplink = outcome.uplink
        seen = f"{uplink.pairs} pairs between the first two groups"
        text += line(
            "uplink_bytes_per_s",
            number(uplink.rate_bytes_per_s),
            seen if uplink.rate_bytes_per_s else f"{seen} did not fill it",
        )
        text += line(
            "limiter_bytes_per_s", number(uplink.limiter_bytes_per_s), "both directions together; 0: no such limit seen"
        )
        text += line("latency_s", number(uplink.latency_s))
    return text
