# SPDX-License-Identifier: BSD-3-Clause
"""From a checked `Platform` to the plain structs of the core."""

from __future__ import annotations

from typing import Any

from orrery import _core
from orrery.errors import InputError
from orrery.platform import schema

Parameters = _core.Hybrid | _core.LogGPS | _core.Fluid

UNLIMITED = 2**63 - 1


def build(platform: schema.Platform) -> _core.Platform:
    """Hosts, links and routes. Raises InputError for what the core finds impossible."""
    names = [cluster.name for cluster in platform.clusters]
    links = [
        _core.WideAreaLink(
            source=names.index(wan.from_cluster),
            target=names.index(wan.to_cluster),
            **wan.model_dump(exclude={"from_cluster", "to_cluster"}),
        )
        for wan in platform.wan
    ]
    try:
        return _core.Platform(platform.name, [_cluster(cluster) for cluster in platform.clusters], links)
    except InputError as error:
        raise InputError(f"platform {platform.name}: {error}") from None


def _cluster(cluster: schema.Cluster) -> _core.Cluster:
    cabinets = cluster.cabinets or [schema.Cabinet(nodes=cluster.nodes or 0)]
    return _core.Cluster(
        prefix=cluster.prefix or f"{cluster.name}-",
        cabinets=[
            _core.Cabinet(**_named(cluster, number, cabinet)) for number, cabinet in enumerate(cabinets, start=1)
        ],
        **cluster.model_dump(exclude={"prefix", "cabinets", "nodes"}),
    )


def _named(cluster: schema.Cluster, number: int, cabinet: schema.Cabinet) -> dict[str, Any]:
    return cabinet.model_dump() | {"name": cabinet.name or f"{cluster.name}-cabinet-{number}"}


def parameters(platform: schema.Platform, model: schema.Model) -> Parameters:
    """Parameters of a network model. Raises InputError when the platform has none for it."""
    if model == "fluid":
        return _core.Fluid()
    if model == "hybrid" and platform.hybrid is not None:
        return _core.Hybrid(
            network=[_regime(regime) for regime in platform.hybrid.network],
            memory=[_regime(regime) for regime in platform.hybrid.memory],
            tcp_window_bytes=platform.hybrid.tcp_window_bytes,
        )
    if model == "loggps" and platform.loggps is not None:
        return _core.LogGPS(
            network=_core.LogGPSSet(**platform.loggps.network.model_dump()),
            memory=_core.LogGPSSet(**platform.loggps.memory.model_dump()),
        )
    others = [name for name in ("hybrid", "loggps") if getattr(platform, name) is not None]
    raise InputError(
        f"platform {platform.name} has no [{model}] parameters; choose --model {' or '.join([*others, 'fluid'])}"
    )


def _regime(regime: schema.Regime) -> _core.Regime:
    protocol = _core.Protocol[regime.protocol.upper()]
    return _core.Regime(protocol=protocol, **regime.model_dump(exclude={"protocol"}))


def buffered_limit_bytes(platform: schema.Platform, model: schema.Model) -> int:
    """S_d: the largest message that a standard send may leave behind, over all paths of the platform.

    A send that is synchronous on its own path is held back in simulated time; this is only about where data may wait.
    """
    if model == "hybrid" and platform.hybrid is not None:
        return max(_buffered(platform.hybrid.network), _buffered(platform.hybrid.memory))
    if model == "loggps" and platform.loggps is not None:
        return max(platform.loggps.network.sync_threshold_bytes, platform.loggps.memory.sync_threshold_bytes)
    return UNLIMITED


def _buffered(regimes: list[schema.Regime]) -> int:
    ends = [regime.end_bytes for regime in regimes if regime.protocol != "synchronous"]
    if not ends:
        return 0
    return max(UNLIMITED if end is None else end - 1 for end in ends)
