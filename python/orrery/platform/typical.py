# SPDX-License-Identifier: BSD-3-Clause
"""Whether a simulation used values of its platform that nothing says were measured.

`orrery.platform.unmeasured` decides which these are, from the platform's key `measured` and its calibration; `prepare` keeps
their names, so that saying it needs no checker.
"""

from __future__ import annotations

from orrery.platform.core import Plain

UNUSED = {
    "hybrid": ("loggps",),
    "loggps": ("network", "transport", "node"),
    "fluid": ("loggps", "network", "transport", "node"),
    "ideal": ("loggps", "network", "transport", "node"),
}
"""Tables that a model does not read."""
_ASIDE = ("cluster.speed", "cluster.graph.node.speed", "compute.spawn_cost_s")
"""Keys that are no reason for a caution: reports name the speed by itself, and few programs start others."""


def caution_of_typical(platform: Plain, model: str, *, files: bool = False) -> list[str]:
    """A caution where nothing says that all values were measured; else none.

    Args:
        platform: as `prepare` gives it.
        model: `hybrid`, `loggps`, `fluid` or `ideal`.
        files: whether accesses to files are simulated.
    """
    unused = (*UNUSED[model], *(() if files else ("storage",)))
    if not any(key not in _ASIDE and key.split(".")[0] not in unused for key in platform["unmeasured"]):
        return []
    says = "" if platform["calibration"] else ", as far as its key `measured` says"
    return [f"parts of the platform are typical, not measured{says}: trust comparisons more than figures"]
