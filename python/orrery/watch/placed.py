# SPDX-License-Identifier: BSD-3-Clause
"""Where on a platform the ranks of a real run are, by the names of their hosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from orrery import _core
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place

How = Literal["names", "order", "map"]
"""By the names of hosts; real hosts in the order of their ranks, as the platform's names are others; by `--map`."""


@dataclass(frozen=True)
class WatchedRanks:
    """Host of the platform of each rank."""

    host_of_rank: list[int]
    where: list[int]
    """As the core takes it."""
    how: How


def placed(names: Sequence[str], hardware: _core.Platform, mapping: str | None) -> WatchedRanks:
    """By `mapping`, if there is one, otherwise by the names of the ranks' hosts.

    Names may have a domain or not. Where not all are names of the platform, the first host of the run is taken to be the
    first of the platform, and so on: ranks that share a host still do.

    Raises InputError: the platform has fewer hosts than the run.
    """
    if mapping is not None:
        found = place(len(names), Hosts.of(hardware, mapping), mapping)
        return WatchedRanks(found.host_of_rank, found.where, "map")
    known = {_short(host.name): number for number, host in enumerate(hardware.hosts)}
    if all(_short(name) in known for name in names):
        hosts = [known[_short(name)] for name in names]
        return WatchedRanks(hosts, hosts, "names")
    order = {name: number for number, name in enumerate(dict.fromkeys(names))}
    if len(order) > len(hardware.hosts):
        raise InputError(
            f"the run has {len(order)} hosts, and the platform {len(hardware.hosts)}; name one that has as many, or say by "
            f"--map where ranks are"
        )
    hosts = [order[name] for name in names]
    return WatchedRanks(hosts, hosts, "order")


def _short(name: str) -> str:
    return name.split(".", maxsplit=1)[0]
