# SPDX-License-Identifier: BSD-3-Clause
"""From raw samples to everything that a platform file says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from orrery.calibrate.fit.bottleneck import Bottleneck, bottleneck_of
from orrery.calibrate.fit.network.limits import Limits, limits_of
from orrery.calibrate.fit.network.regimes import Curves, FittedRegime, fit_regimes
from orrery.calibrate.fit.network.sanity import Twofold, check_ping_pong, twofold_of
from orrery.calibrate.fit.network.together import with_capacity
from orrery.calibrate.fit.network.uplinks import Uplink, uplink_of
from orrery.calibrate.fit.network.wire import Wire, framing_of, memory_of, way_of, wire_of
from orrery.calibrate.fit.node.host import Host, host_of
from orrery.calibrate.fit.node.processors import Noise, Processors, noise_of, processors_of
from orrery.calibrate.fit.node.steadiness import interrupted_share, unsteadiness
from orrery.calibrate.fit.transport.sharing import Sharing, sharing_of
from orrery.calibrate.fit.transport.timeouts import Timeouts, timeouts_of
from orrery.calibrate.measure.layout import Layout, check_layout, layout_of
from orrery.calibrate.measure.results import UNDISTURBED, Curve, Results


@dataclass(frozen=True)
class Path:
    """Messages of one kind: between nodes, or inside one."""

    curves: Curves
    limits: Limits
    wire: Wire
    regimes: list[FittedRegime]
    twofold: Twofold | None = None
    """Where times fall into two groups."""


@dataclass(frozen=True)
class Calls:
    """Seconds that calls and a processor's own work take."""

    wtime_s: float
    test_s: float
    iprobe_s: float
    copy_s_per_byte: float
    reduce_s_per_byte: float
    nonblocking_s: float
    """The end of a non-blocking collective is seen so much later than that of a blocking one."""
    kernel_s: float
    """A fixed piece of arithmetic; see src/measure/bench/compute.c."""


@dataclass(frozen=True)
class Overlap:
    """Part of a transfer that goes on while nobody calls MPI, 0 to 1, by message size."""

    bytes: int
    sender: float
    receiver: float


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
    memory = _memory(results, most_regimes)
    network = memory if layout.alone and memory else _network(results, half, most_regimes)
    sharing = sharing_of(results, network.wire, eager_limit(network.limits, half))
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
        overlaps=_overlaps(results),
        first_message_s=first_message_of(results),
        drift_s_per_s=_drift(results),
        unsteadiness=unsteadiness(results),
        interrupted_share=interrupted_share(results),
        samples=sum(len(one.samples) for one in results.experiments.values()),
        host=host_of(results, layout),
        left=sum(not one.done for one in results.experiments.values()),
    )


def eager_limit(limits: Limits, half: Curve) -> float:
    """Bytes; where no limit was seen, the largest message."""
    return float(half.sizes.max() if limits.asynchronous is None else limits.asynchronous)


def _network(results: Results, half: Curve, most: int) -> Path:
    limits = limits_of(results, "net")
    oneway = results.curve("oneway", "net")
    wire = wire_of(oneway if len(oneway) else half, framing_of(results), eager_limit(limits, half))
    path = _path(results, "net", way_of(half, oneway, wire), limits=limits, wire=wire, most=most)
    return replace(path, twofold=twofold_of(half))


def _memory(results: Results, most: int) -> Path | None:
    half = results.curve("half", "memory")
    if len(half) == 0:
        return None
    check_ping_pong(half)
    limits = limits_of(results, "memory")
    wire = memory_of(half)
    path = _path(results, "memory", half, limits=limits, wire=wire, most=most)
    return replace(path, wire=with_capacity(results, wire, path.regimes), twofold=twofold_of(half))


def curves_of(results: Results, group: str, way: Curve) -> Curves:
    """All that regimes are fitted to."""
    hot = results.curve("send_hot", group)
    send = results.curve("send", group)
    return Curves(
        way=way,
        send=hot if len(hot) else send,
        recv=results.curve("recv_late", group),
        post=results.curve("isend", group),
    )


def _path(results: Results, group: str, way: Curve, *, limits: Limits, wire: Wire, most: int) -> Path:
    curves = curves_of(results, group, way)
    return Path(curves, limits, wire, fit_regimes(curves, limits, wire, most=most))


def calls_of(results: Results) -> Calls:
    """Undisturbed ones."""

    def typical(kind: str, what: str) -> float:
        values = [one.values(what) for one in results.of(kind)]
        return float(np.quantile(np.concatenate(values), UNDISTURBED)) if values else 0.0

    return Calls(
        wtime_s=typical("calls", "wtime"),
        test_s=typical("calls", "test"),
        iprobe_s=typical("calls", "iprobe"),
        copy_s_per_byte=typical("compute", "copy"),
        reduce_s_per_byte=typical("compute", "reduce"),
        nonblocking_s=_nonblocking(results),
        kernel_s=typical("compute", "kernel"),
    )


def _nonblocking(results: Results) -> float:
    """Median of the one less that of the other, which a lone call that was disturbed does not move."""
    blocking, immediate = (
        [value for one in results.of("nonblocking") for value in one.values(what)] for what in ("blocking", "immediate")
    )
    return max(0.0, float(np.median(immediate) - np.median(blocking))) if blocking and immediate else 0.0


def _overlaps(results: Results) -> list[Overlap]:
    out = []
    for one in results.of("overlap"):
        sides = []
        for rank in (int(one.keys["a"]), int(one.keys["b"])):
            alone, computing = (
                np.median([sample.value for sample in one.samples if sample.what == what and sample.source == rank])
                for what in ("alone", "computing")
            )
            sides.append(float(np.clip(2.0 - computing / alone, 0.0, 1.0)))
        out.append(Overlap(int(one.keys["bytes"]), *sides))
    return out


def first_message_of(results: Results) -> float:
    """Over several pairs: first round trip less a later one. Half of it is on each of the two messages."""
    more = []
    for one in results.of("pingpong", group="first"):
        halves = one.values("half")
        more.append(2 * (halves[0] - np.median(halves[2:])))
    return max(0.0, float(np.median(more))) if more else 0.0


def _drift(results: Results) -> float:
    """Between the first and the last comparison of all clocks."""
    runs = results.of("clocks")
    if len(runs) < 2:
        return 0.0
    first, last = runs[0], runs[-1]
    passed = last.values("clock").max() - first.values("clock").max()
    moved = np.abs(last.values("offset") - first.values("offset")).max()
    return float(moved / passed) if passed > 0 else 0.0
