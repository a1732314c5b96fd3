# SPDX-License-Identifier: BSD-3-Clause
"""A platform as the search sees it: parts inside of each other, with what messages cost between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from orrery import _core
from orrery.collective.laboratory import Laboratory

LEVELS = ("site", "cluster", "cabinet")
"""From the largest parts to the smallest; nodes are inside of these."""
_KINDS = {
    "node": (_core.LinkKind.NODE_UP, _core.LinkKind.NODE_LIMITER),
    "cabinet": (_core.LinkKind.CABINET_UP, _core.LinkKind.CABINET_LIMITER),
    "cluster": (_core.LinkKind.WAN, _core.LinkKind.WAN_LIMITER),
    "site": (_core.LinkKind.WAN, _core.LinkKind.WAN_LIMITER),
}
"""By level: links at the border of a part, in one direction, and what both directions share."""
_MOST_PAIRS = 6
"""Pairs of parts whose mean stands for all pairs of one part."""


@dataclass(frozen=True)
class PlatformPart:
    """A part of the platform, with its place among all."""

    level: str
    """`whole`, one of `LEVELS`, or `node`."""
    parent: int
    hosts: list[int]
    """All that are in it, by their numbers in the platform."""


@dataclass(frozen=True)
class Tree:
    """All parts, the whole first, each behind its parent. Levels on which nothing is divided are left out."""

    parts: list[PlatformPart]
    leaf_of_host: dict[int, int]

    @classmethod
    def of(cls, laboratory: Laboratory, hosts: Sequence[int]) -> Tree:
        """Build the tree of some hosts of a platform."""
        ways = {host: way_of(laboratory, host) for host in hosts}
        parts = [PlatformPart("whole", 0, list(hosts))]
        leaves: dict[int, int] = {}

        def divide(part: int, level: int) -> None:
            if level == len(LEVELS):
                for host in parts[part].hosts:
                    leaves[host] = len(parts)
                    parts.append(PlatformPart("node", part, [host]))
                return
            groups: dict[object, list[int]] = {}
            for host in parts[part].hosts:
                groups.setdefault(ways[host][level], []).append(host)
            for inside in groups.values() if len(groups) > 1 else ():
                parts.append(PlatformPart(LEVELS[level], part, inside))
                divide(len(parts) - 1, level + 1)
            if len(groups) == 1:
                divide(part, level + 1)

        divide(0, 0)
        return cls(parts, leaves)

    def inside(self, part: int) -> list[int]:
        """The parts directly inside of one."""
        return [number for number, child in enumerate(self.parts) if number and child.parent == part]

    def for_core(self, laboratory: Laboratory, slots: Mapping[int, int], size: int) -> list[_core.PlacementPart]:
        """With what messages cost. Equal parts are simulated once.

        Args:
            laboratory: simulates single messages.
            slots: ranks that each host has room for.
            size: of the messages that stand for all, in bytes.
        """
        inside: dict[int, list[int]] = {}
        for number, part in enumerate(self.parts[1:], start=1):
            inside.setdefault(part.parent, []).append(number)
        found = []
        for number, part in enumerate(self.parts):
            message_s, byte_s = self._pair_s(laboratory, part, inside.get(number, []), size)
            leaf = part.level == "node"
            found.append(
                _core.PlacementPart(
                    parent=part.parent,
                    slots=slots[part.hosts[0]] if leaf else 0,
                    message_s=message_s,
                    byte_s=byte_s,
                    border_byte_s=self._border_s(laboratory.hardware, part) if number else 0.0,
                )
            )
        return found

    def _pair_s(self, laboratory: Laboratory, part: PlatformPart, inside: list[int], size: int) -> tuple[float, float]:
        """Seconds for a message, and for each byte of it, between ranks whose smallest common part this is."""
        if part.level == "node" or not inside:
            pairs = [(part.hosts[0], part.hosts[0])]
        else:
            heads = [self.parts[child].hosts[0] for child in inside]
            pairs = list(islice(combinations(heads, 2), _MOST_PAIRS)) or [(heads[0], heads[0])]
        alike = [laboratory.alike(*pair) for pair in pairs]
        small = [laboratory.one_way(1, *pair) for pair in alike]
        large = [laboratory.one_way(size + 1, *pair) for pair in alike]
        message_s, more_s = sum(small) / len(pairs), (sum(large) - sum(small)) / len(pairs)
        return message_s, max(0.0, more_s / size)

    def _border_s(self, hardware: _core.Platform, part: PlatformPart) -> float:
        """For how many seconds a byte that enters or leaves occupies the links that all of the part share."""
        within = set(part.hosts)
        outside = next((host for host in self.parts[0].hosts if host not in within), None)
        if outside is None:
            return 0.0
        one_way, both_ways = _KINDS[part.level]
        busy_s = 0.0
        for number in hardware.route(part.hosts[0], outside).links:
            link = hardware.link(number)
            if link.shared and link.kind in (one_way, both_ways):
                busy_s = max(busy_s, 1 / link.bandwidth_bytes_per_s / (2 if link.kind == one_way else 1))
        return busy_s


def way_of(laboratory: Laboratory, host: int) -> tuple[str, int, int]:
    """Site, cluster and cabinet of a host; sites without a name are one."""
    hardware = laboratory.hardware
    cluster = hardware.cluster_of(host)
    site = laboratory.platform["clusters"][cluster]["site"] or ""
    return site, cluster, hardware.cabinet_of(host)
