# SPDX-License-Identifier: BSD-3-Clause
"""From raw samples to everything that a platform file says."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery.calibrate.fit.bottleneck import Bottleneck, bottleneck_of
from orrery.calibrate.fit.network import (
    Path,
    Uplink,
    check_ping_pong,
    memory_path_of,
    network_of,
    uplink_of,
)
from orrery.calibrate.fit.node import (
    Calls,
    Host,
    Noise,
    Overlap,
    Processors,
    calls_of,
    drift_of,
    host_of,
    interrupted_share,
    noise_of,
    overlaps_of,
    processors_of,
    unsteadiness,
)
from orrery.calibrate.fit.transport import Sharing, Timeouts, first_message_of, sharing_of, timeouts_of
from orrery.calibrate.measure import Layout, Results, check_layout, layout_of


@dataclass(frozen=True)
class Outcome:
    """All that was found out."""

    layout: Layout
    network: Path
    """Between nodes; of a node by itself what holds inside it, as no message leaves it."""
    memory: Path | None
    sharing: Sharing
    processors: Processors | None
    bottleneck: Bottleneck
    noise: Noise
    uplink: Uplink | None
    timeouts: Timeouts | None
    """Of switches whose queues overflow; none where nothing was dropped."""
    calls: Calls
    overlaps: list[Overlap]
    first_message_s: float
    """What the first message of a pair takes more than later ones."""
    drift_s_per_s: float
    """The largest drift between clocks of two ranks; times that need two clocks compare them right before."""
    unsteadiness: float
    """How much longer the same arithmetic took at times, relative."""
    interrupted_share: float
    """Part of that arithmetic's repetitions which waited for their processor."""
    samples: int
    host: Host = field(default_factory=Host)
    """Who else used the nodes meanwhile."""
    left: int = 0
    """Experiments of the plan that were not made."""
    draws: tuple[Outcome, ...] = ()
    """What other draws of the samples give; see draws.py."""


def evaluate(results: Results, *, nodes: int, ppn: int, groups: list[int], most_regimes: int = 8) -> Outcome:
    """Check, and fit.

    Args:
        results: raw samples.
        nodes: nodes that were asked for.
        ppn: ranks on each.
        groups: nodes in each cabinet or site, in the order of ranks.
        most_regimes: between two changes of protocol.
    Raises:
        CalibrationError: nothing can be fitted to the samples. Whether a fit is any good `judge` says (verdict.py).
    """
    layout = layout_of(results)
    check_layout(layout, nodes, ppn)
    half = results.curve("half", "memory" if layout.alone else "net")
    check_ping_pong(half)
    memory = memory_path_of(results, most_regimes)
    network = memory if layout.alone and memory else network_of(results, half, most_regimes)
    sharing = sharing_of(results, network.wire)
    processors = processors_of(results, layout, network.regimes[0].fit)
    return Outcome(
        layout=layout,
        network=network,
        memory=memory,
        sharing=sharing,
        processors=processors,
        bottleneck=bottleneck_of(sharing.cases, processors, network.wire, nodes),
        noise=noise_of(half),
        uplink=uplink_of(results, network.wire, groups),
        timeouts=timeouts_of(results, network.wire),
        calls=calls_of(results),
        overlaps=overlaps_of(results),
        first_message_s=first_message_of(results),
        drift_s_per_s=drift_of(results),
        unsteadiness=unsteadiness(results),
        interrupted_share=interrupted_share(results),
        samples=sum(len(one.samples) for one in results.experiments.values()),
        host=host_of(results, layout),
        left=sum(not one.done for one in results.experiments.values()),
    )
