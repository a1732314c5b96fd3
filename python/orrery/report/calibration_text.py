# SPDX-License-Identifier: BSD-3-Clause
"""Summary of a calibration as text."""

from __future__ import annotations

from pathlib import Path

from orrery.calibrate.fit import CalibrationOutcome, TimeoutParameters
from orrery.platform.schema import Verdict
from orrery.units import show_bytes, show_rate, show_time


def describe(outcome: CalibrationOutcome, verdict: Verdict, platform: Path, page: Path, folder: Path) -> str:
    """The verdict, the fitted parameters, a table of regimes, and the paths of the files that were written."""
    network, sharing = outcome.network, outcome.sharing
    nodes = "1 node" if outcome.layout.alone else f"{len(outcome.layout.nodes)} nodes"
    link = "memory" if outcome.layout.alone else "link"
    rows = [
        *verdict_rows(verdict),
        ("measured", f"{outcome.layout.mpi}; {nodes}, {outcome.samples:,} samples"),
        (link, f"{show_rate(network.wire.rate_bytes_per_s)}, latency {show_time(network.regimes[0].fit.latency_s)}"),
    ]
    if network.wire.burst_bytes:
        rows.append(("burst", f"{show_bytes(network.wire.burst_bytes)} pass at once after idleness"))
    eager, detached = network.limits.asynchronous, network.limits.detached
    rows.append(("protocol", f"eager up to {_size(eager)}, sender waits from {_size(detached)} on"))
    if not outcome.layout.alone:
        rows.append(("duplex", f"both directions of a node reach {sharing.limiter_factor:.2f} times one"))
    if sharing.half_duplex_share > 0:
        rows.append(("exchange", f"{sharing.half_duplex_share:.0%} of blocking exchanges ran one way after the other"))
    if outcome.uplink and outcome.uplink.rate_bytes_per_s:
        rows.append(("uplink", f"{show_rate(outcome.uplink.rate_bytes_per_s)} between groups of nodes"))
    if outcome.timeouts:
        rows.append(("time-outs", _stalls(outcome.timeouts)))
    lines = [f"{key:<10}{value}\n" for key, value in rows]
    lines.append("\nregime                     protocol      latency    o_s        o_r        residual\n")
    for regime in network.regimes:
        end = "..." if regime.end is None else show_bytes(regime.end - 1)
        lines.append(
            f"{show_bytes(regime.start) + ' to ' + end:<27}{regime.protocol:<14}{show_time(regime.fit.latency_s):<11}"
            f"{show_time(regime.fit.send_s):<11}{show_time(regime.fit.recv_s):<11}"
            f"{regime.noise[1] - 1:+.1%} to {regime.noise[3] - 1:+.1%}\n"
        )
    lines.append(f"\nplatform  {platform}\nreport    {page}\nsamples   {folder}\n")
    return "".join(lines)


def verdict_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """The grade, then each reason with its cure, as pairs of a heading and a text."""
    return [
        ("verdict", verdict.grade),
        *((reason.grade, f"{reason.found}. Cure: {reason.cure}") for reason in verdict.reasons),
    ]


def _stalls(found: TimeoutParameters) -> str:
    return (
        f"{found.stalled} of {found.exposed} messages that more than {found.flows} nodes sent to one waited "
        f"{show_time(found.wait_s)}: the switch drops packets"
    )


def _size(limit: int | None) -> str:
    return "any size" if limit is None else f"{limit:,} B"
