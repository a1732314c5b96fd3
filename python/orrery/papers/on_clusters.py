# SPDX-License-Identifier: BSD-3-Clause
"""Ranks in equal parts on some clusters of a platform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orrery.errors import InputError, did_you_mean
from orrery.platform import core
from orrery.platform.prepared import prepare


def on_clusters(clusters: Sequence[str], platform: str, ranks: int) -> str:
    """A mapping (`--map`) that puts ranks on clusters in equal parts, one after the other; the first ones get one more.

    In a cluster ranks fill the cores of a node before the next.

    Raises:
        InputError: the platform has no such cluster, or it has too few cores.
    """
    plain = prepare(platform)
    hardware = core.build(plain)
    names = [cluster["name"] for cluster in plain["clusters"]]
    filled: list[str] = []
    for number, name in enumerate(clusters):
        if name not in names:
            known = f"{', '.join(names)}{did_you_mean(name, names)}"
            raise InputError(f'{platform}: there is no cluster "{name}": {known}')
        index = names.index(name)
        cores = {host.name: host.cores for i, host in enumerate(hardware.hosts) if hardware.cluster_of(i) == index}
        filled += _filled(cores, ranks // len(clusters) + (number < ranks % len(clusters)), name)
    return f"slot@{','.join(filled)}"


def _filled(cores: dict[str, int], ranks: int, cluster: str) -> Iterator[str]:
    if ranks > sum(cores.values()):
        raise InputError(f"{cluster}: {ranks} ranks on {sum(cores.values())} cores")
    for host, count in cores.items():
        if ranks <= 0:
            return
        yield f"{host}:{min(count, ranks)}"
        ranks -= count
