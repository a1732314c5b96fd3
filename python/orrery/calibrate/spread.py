# SPDX-License-Identifier: BSD-3-Clause
"""How unevenly connections share a link: each has the window that it has come to, and with it its part.

Nodes that send equally much to one at the same moment are there one after the other. Taken as flows whose rates keep the
proportion of fixed weights (generalized processor sharing; Parekh and Gallager 1993, doi:10.1109/90.234856), their ends give
the weights.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from orrery.calibrate.results import Experiment, Floats, Results
from orrery.calibrate.wire import Wire

_MOST = 2.0
"""A larger spread is none of shares; platforms may not have it."""
_LONGER = 1.2
"""Where all are there later than so many times what the link needs, something else than shares held them up."""
_LEAST_LEFT = 1e-3
"""Of what the last one needs: a message that is there at once has no larger weight than this says."""


def share_spread_of(results: Results, wire: Wire, generator: np.random.Generator | None = None) -> float:
    """Standard deviation of the logarithm of connections' weights; 0 where nothing tells.

    Args:
        results: those of `incast`.
        wire: the rate of the link on which they meet.
        generator: for one draw of the connections, in place of all.
    """
    square = degrees = 0.0
    for one in results.of("flows", name="incast"):
        logarithms = _logarithms(one, wire)
        if len(logarithms) < 2:
            continue
        degree = len(logarithms) - 1
        if generator is not None:
            logarithms = generator.choice(logarithms, len(logarithms))
        square += degree * float(np.var(logarithms, ddof=1))
        degrees += degree
    return min(_MOST, float(np.sqrt(square / degrees))) if degrees else 0.0


def _logarithms(one: Experiment, wire: Wire) -> Floats:
    """Of the weights of an experiment's connections, the mean over its repetitions; none if all were disturbed."""
    ends: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for sample in one.samples:
        if sample.what == "arrived":
            ends[sample.repetition][sample.source] = sample.value
    size = np.array([float(one.keys["bytes"])])
    alone_s = float(wire.bytes(size)[0] / wire.rate_bytes_per_s)
    count = one.keys["list"].count(">")
    found = []
    for times in ends.values():
        of_source = np.array([times[source] for source in sorted(times)])
        if len(of_source) == count and of_source.max() < _LONGER * count * alone_s:
            found.append(np.log(weights(of_source)))
    return np.mean([each - each.mean() for each in found], axis=0) if found else np.array([])


def weights(ends: Floats) -> Floats:
    """Of flows that begin together and are equally long, from when each has ended; in units of that of the last one.

    While flows of weights w are under way, each is w / sum(w) of what there is faster. So from the end backwards: a flow of
    weight w ends when the work that each unit of weight has got is 1 / w.
    """
    order = np.argsort(ends, kind="stable")
    steps = np.diff(ends[order]) * len(ends) / ends.max()
    work = np.ones(len(ends))  # of each unit of weight, by the end of each flow
    for flow in range(len(ends) - 1, 0, -1):
        under_way = np.sum(1 / work[flow:])
        work[flow - 1] = max(_LEAST_LEFT, work[flow] - steps[flow - 1] / under_way)
    out = np.empty(len(ends))
    out[order] = 1 / work
    return out
