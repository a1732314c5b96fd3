# SPDX-License-Identifier: BSD-3-Clause
"""From a checked platform, as plain values (`Platform.model_dump()`), to the structs of the core."""

from __future__ import annotations

from typing import Any

from orrery import _core
from orrery.errors import InputError
from orrery.platform.model import NO_ROUTES, TABLES, Model

Parameters = _core.Hybrid | _core.LogGPS | _core.Fluid
Plain = dict[str, Any]

UNLIMITED = 2**63 - 1
SHARING_ERROR = _core.SHARING_ERROR
"""Error, relative to a message, with which links are shared where nobody says more: ends of 99 of 100 messages move by less
than twenty times that (docs/design/sharing.md)."""
EXACT = _core.EXACT_SHARING
"""Error of sharing beyond which only rounding is left."""
_WAITING = ("synchronous", "optimistic")  # their senders wait for the transfer


def build(platform: Plain) -> _core.Platform:
    """Hosts, links and routes. Raises InputError for what the core finds impossible."""
    try:
        return _core.Platform(platform)
    except InputError as error:
        raise InputError(f"platform {platform['name']}: {error}") from None


def parameters(platform: Plain, model: Model, seed: int = 0, *, sharing_error: float = SHARING_ERROR) -> Parameters:
    """Parameters of a network model. Raises InputError when the platform has none for it.

    `seed`: of the noise, where the platform has any. `sharing_error`: with which links are shared.
    """
    if model == "fluid":
        # Of [network] it takes frames, as the platform's rates are those of the wire for every model, and protocols.
        network = platform["network"]
        own = [_core.Network(network)] if network else []
        return _core.Fluid(*own, sharing_error=sharing_error)
    values = platform[TABLES[model]]
    if values is None:
        others = [name for name, table in TABLES.items() if platform[table] is not None]
        raise InputError(
            f"platform {platform['name']} has no [{TABLES[model]}], the parameters of {model}; "
            f"choose --model {' or '.join([*others, 'fluid'])}"
        )
    if model == "loggps":
        if platform["broker"]:
            raise InputError(f"platform {platform['name']}: its [broker] {NO_ROUTES}; choose --model hybrid or fluid")
        return _core.LogGPS(values)
    return _core.Hybrid(
        _core.Network(values),
        transport=_core.Transport(platform["transport"]),
        node=_core.Node(platform["node"]),
        seed=seed,
        sharing_error=sharing_error,
    )


def storage(platform: Plain) -> _core.Storage | None:
    """What files cost on the platform; None: it does not say, and the core has typical values."""
    return _core.Storage(platform["storage"]) if platform["storage"] else None


def launch(platform: Plain) -> _core.Launch | None:
    """How jobs are started on the platform; None: that takes no simulated time."""
    return _core.Launch(platform["launch"]) if platform["launch"] else None


def buffered_limit_bytes(platform: Plain, model: Model) -> int:
    """S_d: the largest message that a standard send may leave behind, over all paths of the platform.

    A send that is synchronous on its own path is held back in simulated time; this is only about where data may wait.
    """
    table = platform["network"] if model == "fluid" else platform[TABLES[model]]
    if table is None:
        return UNLIMITED
    paths = [table[kind] for kind in ("between_nodes", "inside_node")]
    if model == "loggps":
        return max(int(path["sync_threshold_bytes"]) for path in paths)
    return max(_buffered(regimes) for regimes in paths)


def _buffered(regimes: list[Plain]) -> int:
    ends = [regime["end_bytes"] for regime in regimes if regime["protocol"] not in _WAITING]
    if not ends:
        return 0
    return max(UNLIMITED if end is None else end - 1 for end in ends)
