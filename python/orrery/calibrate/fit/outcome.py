# SPDX-License-Identifier: BSD-3-Clause
"""All results of a calibration, fitted to raw samples."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery.calibrate.fit.bottleneck import Bottleneck, bottleneck_of
from orrery.calibrate.fit.network import (
    HostLink,
    MessagePath,
    Uplink,
    check_ping_pong,
    host_link_of,
    memory_path_of,
    network_of,
    uplink_of,
)
from orrery.calibrate.fit.node import (
    CallCosts,
    HostState,
    Interruptions,
    Noise,
    Overlap,
    SharedProcessors,
    StolenTime,
    calls_of,
    drift_of,
    host_of,
    interrupted_share,
    interruptions_of,
    noise_of,
    overlaps_of,
    processors_of,
    stolen_of,
    unsteadiness,
)
from orrery.calibrate.fit.transport import (
    SharingParameters,
    TimeoutParameters,
    first_message_of,
    sharing_of,
    timeouts_of,
)
from orrery.calibrate.measure import CalibrationResults, Layout, check_layout, layout_of


@dataclass(frozen=True)
class CalibrationOutcome:
    """All results of a calibration."""

    layout: Layout
    network: MessagePath
    """Messages between nodes; the same as `memory` if there is only one node."""
    memory: MessagePath | None
    """Messages inside a node; None if they were not measured."""
    sharing: SharingParameters
    processors: SharedProcessors | None
    """None if each node has its own processors."""
    bottleneck: Bottleneck
    noise: Noise
    uplink: Uplink | None
    """Link between cabinets or sites; None if it was not measured."""
    timeouts: TimeoutParameters | None
    """None if no packets were dropped."""
    calls: CallCosts
    overlaps: list[Overlap]
    first_message_s: float
    """Additional time of the first message of a pair."""
    drift_s_per_s: float
    """The largest drift between the clocks of two ranks. Experiments with two clocks compare them before each message."""
    unsteadiness: float
    """Time of the same arithmetic in the slowest pass over that in the fastest, minus 1."""
    interrupted_share: float
    """Part of the repetitions of that arithmetic that waited for their processor, in [0, 1]."""
    samples: int
    """Number of samples."""
    host: HostState = field(default_factory=HostState)
    """Load of the nodes by other processes, and ranks that share processors."""
    of_others: bool = False
    """The samples are ping-pongs that another benchmark timed."""
    left: int = 0
    """Number of experiments of the plan that were not made."""
    stolen: StolenTime | None = None
    """Processor time that is taken from ranks; None if it was not measured."""
    interruptions: tuple[Interruptions, ...] = ()
    """Kinds of interruption of ranks that compute; empty if they were not measured, or there are none."""
    host_link: HostLink | None = None
    """What virtual machines share; None if nodes are none."""
    draws: tuple[CalibrationOutcome, ...] = ()
    """Results from other draws of the samples (draws.py)."""


def evaluate(
    results: CalibrationResults,
    *,
    nodes: int,
    ppn: int,
    groups: list[int],
    virtual: bool = False,
    most_regimes: int = 8,
) -> CalibrationOutcome:
    """Check the samples and fit all parameters. `judge` tells whether the fit is good (verdict.py).

    Args:
        results: raw samples.
        nodes: number of nodes that the user asked for.
        ppn: number of ranks on each node.
        groups: number of nodes in each cabinet or site, or on each host, in the order of ranks.
        virtual: whether nodes are virtual machines, and groups their hosts.
        most_regimes: largest number of regimes between two changes of protocol.
    Raises:
        CalibrationError: the ranks ran on other nodes, or nothing can be fitted to the samples.
    """
    layout = layout_of(results)
    check_layout(layout, nodes, ppn)
    half = results.curve("half", "memory" if layout.alone else "net")
    check_ping_pong(half)
    memory = memory_path_of(results, most_regimes)
    network = memory if layout.alone and memory else network_of(results, half, most_regimes)
    sharing = sharing_of(results, network.wire)
    small = network.regimes[0].fit
    processors = processors_of(results, layout, small)
    uplink = uplink_of(results, network.wire, groups)
    return CalibrationOutcome(
        layout=layout,
        network=network,
        memory=memory,
        sharing=sharing,
        processors=processors,
        bottleneck=bottleneck_of(sharing.cases, processors, network.wire, nodes),
        noise=noise_of(half),
        uplink=uplink,
        timeouts=timeouts_of(results, network.wire),
        calls=calls_of(results),
        overlaps=overlaps_of(results),
        first_message_s=first_message_of(results),
        drift_s_per_s=drift_of(results),
        unsteadiness=unsteadiness(results),
        interrupted_share=interrupted_share(results),
        samples=sum(len(experiment.samples) for experiment in results.experiments.values()),
        host=host_of(results, layout),
        stolen=stolen_of(results),
        interruptions=interruptions_of(results),
        host_link=host_link_of(results, network.wire, uplink, small.latency_s) if virtual else None,
        of_others=any("program" in experiment.keys for experiment in results.experiments.values()),
        left=sum(not experiment.done for experiment in results.experiments.values()),
    )
