# SPDX-License-Identifier: BSD-3-Clause
"""A calibration in a few lines."""

from __future__ import annotations

from pathlib import Path

from orrery.calibrate.bottleneck import Bottleneck
from orrery.calibrate.outcome import Outcome
from orrery.calibrate.processors import TOLERABLE_WORK
from orrery.calibrate.steadiness import TOLERABLE
from orrery.calibrate.timeouts import Timeouts
from orrery.units import show_bytes, show_rate, show_time


def describe(outcome: Outcome, platform: Path, page: Path, folder: Path) -> str:
    """What was found, and where the rest is."""
    network, sharing = outcome.network, outcome.sharing
    rows = [
        ("measured", f"{outcome.layout.mpi}; {len(outcome.layout.nodes)} nodes, {outcome.samples:,} samples"),
        ("link", f"{show_rate(network.wire.rate_bytes_per_s)}, latency {show_time(network.regimes[0].fit.latency_s)}"),
    ]
    if network.wire.burst_bytes:
        rows.append(("burst", f"{show_bytes(network.wire.burst_bytes)} pass at once after idleness"))
    eager, detached = network.limits.asynchronous, network.limits.detached
    rows.append(("protocol", f"eager up to {_size(eager)}, sender waits from {_size(detached)} on"))
    rows.append(("duplex", f"both directions of a node reach {sharing.limiter_factor:.2f} times one"))
    if sharing.half_duplex_share > 0:
        rows.append(("exchange", f"{sharing.half_duplex_share:.0%} of blocking exchanges ran one way after the other"))
    if outcome.uplink and outcome.uplink.rate_bytes_per_s:
        rows.append(("uplink", f"{show_rate(outcome.uplink.rate_bytes_per_s)} between groups of nodes"))
    if outcome.timeouts:
        rows.append(("time-outs", _stalls(outcome.timeouts)))
    rows += [("caution", text) for text in cautions(outcome)]
    lines = [f"{key:<10}{value}\n" for key, value in rows]
    lines.append("\nregime                     protocol      latency    o_s        o_r        residual\n")
    for one in network.regimes:
        end = "..." if one.end is None else show_bytes(one.end - 1)
        lines.append(
            f"{show_bytes(one.start) + ' to ' + end:<27}{one.protocol:<14}{show_time(one.fit.latency_s):<11}"
            f"{show_time(one.fit.send_s):<11}{show_time(one.fit.recv_s):<11}{one.noise[1] - 1:+.1%} to {one.noise[3] - 1:+.1%}\n"
        )
    lines.append(f"\nplatform  {platform}\nreport    {page}\nsamples   {folder}\n")
    return "".join(lines)


def cautions(outcome: Outcome) -> list[str]:
    """What stands against trusting the file, one sentence each."""
    said = []
    if outcome.processors:
        said.append("the nodes are containers of one machine: they share its processors")
    if outcome.bottleneck.not_links:
        said.append(_bound(outcome.bottleneck))
    if outcome.memory is None:
        said.append("inside a node nothing was measured: the file has typical values (--ppn 2 measures)")
    if outcome.unsteadiness > TOLERABLE:
        said.append(_unsteady(outcome.unsteadiness))
    if outcome.interrupted_share > TOLERABLE:
        said.append(_interrupted(outcome.interrupted_share))
    if outcome.processors and outcome.processors.variation > TOLERABLE_WORK:
        said.append(_worked(*outcome.processors.seen_work_s))
    return said


def _bound(found: Bottleneck) -> str:
    seen = f"{found.pairs} transfers at once that share no link took {found.slowdown:.2f} times as long as one"
    if not found.frame_load:
        return f"{seen}: something else than the links of nodes bounds them, which the model does not have"
    return (
        f"processors rather than links may bound transfers of many nodes: frames of all at full rate take {found.frame_load:.0%} of "
        f"the processors that nodes share, and {seen}. Where they do, messages take longer than predicted; "
        f"use slower links or fewer nodes"
    )


def _unsteady(more: float) -> str:
    return (
        f"the same arithmetic took {more:.0%} more at times: the machine was not quiet; small messages are as uncertain"
    )


def _stalls(found: Timeouts) -> str:
    return (
        f"{found.stalled} of {found.exposed} messages that more than {found.flows} nodes sent to one waited "
        f"{show_time(found.wait_s)}: the switch drops packets"
    )


def _interrupted(share: float) -> str:
    return (
        f"{share:.0%} of the repetitions of that arithmetic waited for a processor: others used the machine meanwhile"
    )


def _worked(least: float, most: float) -> str:
    return (
        f"handling a small message took {show_time(least)} to {show_time(most)} of a processor at different times; the file "
        f"has the median. Measure again while the machine is quiet"
    )


def _size(limit: int | None) -> str:
    return "any size" if limit is None else f"{limit:,} B"
