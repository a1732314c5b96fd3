# SPDX-License-Identifier: BSD-3-Clause
"""What a calibration says of its own uncertainty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, log
from typing import Literal, NamedTuple

from orrery.platform.core import Plain
from orrery.platform.trusted import verdict_of

Host = Literal["undisturbed", "disturbed", "undecided"]
"""State of the nodes of a calibration: whether other work made it poor, and, if so, whether it could not be told either that ranks of one
machine wait for its processors, which the model then leaves out."""
_OTHER_WORK = frozenset({"host load", "unsteady processors", "interrupted", "shared cores"})
"""Reasons that make a calibration poor where other work used the processors of its nodes."""
_UNTOLD = "shared cores"
"""Reason that ranks share processors, though messages of several pairs at once did not slow each other down."""
_LEAST_SPREAD = 0.003
"""Spread of the steadiest messages: errors of the model do not become smaller with it."""


class Statement(NamedTuple):
    """What a calibration says of its own uncertainty."""

    grade: str
    """`good`, `usable` or `poor`; `unjudged` of a version that did not judge."""
    host: Host
    unsteadiness: float
    """How much longer the same arithmetic took on a node at times, as a share."""
    spreads: tuple[tuple[float, float], ...]
    """For each regime, in increasing order: the end of its sizes in bytes, and its spread: how far 9 of 10 measured times of messages are
    from the fitted ones at most, as a logarithm. Repetitions that differ and a fit that misses them both make it larger."""

    def spread(self, size: float) -> float:
        """Spread of messages of `size` bytes."""
        return max(_LEAST_SPREAD, next(spread for end, spread in self.spreads if size < end))


def statement_of(platform: Plain) -> Statement | None:
    """The statement of a platform's calibration; None where there is no calibration, or it says nothing of its uncertainty."""
    calibration = platform["calibration"]
    if calibration is None or not calibration["noise"]:
        return None
    where = "between_nodes" if "between_nodes.0" in calibration["noise"] else "inside_node"
    ends = [inf if regime["end_bytes"] is None else float(regime["end_bytes"]) for regime in platform["network"][where]]
    ends[-1] = inf
    spreads = [(end, _spread(calibration["noise"].get(f"{where}.{number}", ()))) for number, end in enumerate(ends)]
    verdict = verdict_of(platform) or {"grade": "unjudged", "reasons": []}
    return Statement(verdict["grade"], _host(verdict["reasons"]), calibration["unsteadiness"], tuple(spreads))


def _host(reasons: Iterable[Mapping[str, str]]) -> Host:
    grades = {reason["about"]: reason["grade"] for reason in reasons}
    if not any(grades.get(about) == "poor" for about in _OTHER_WORK):
        return "undisturbed"
    return "undecided" if _UNTOLD in grades else "disturbed"


def _spread(quantiles: tuple[float, ...] | list[float]) -> float:
    """Largest distance from the fit of the quantiles from 0.05 to 0.95. `quantiles`: of measured over fitted times."""
    return max((abs(log(max(quantile, 1e-3))) for quantile in quantiles), default=0.0)
