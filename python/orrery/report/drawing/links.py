# SPDX-License-Identifier: BSD-3-Clause
"""Which links of the platform stand behind what is drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PlacedLink:
    """A link, and where it is."""

    name: str
    """As in `_core.Link`."""
    ends: tuple[str, str] | None = None
    """Names of the two switches that it joins; None: it joins none, or what it joins is not known."""
    node: str | None = None
    """Name of the node to which it belongs."""


class LinkNumbers:
    """Numbers of links, by where they are; the position in the list that it is made of. A list without links: a plain drawing.

    What is asked for is drawn, and `drawn` has it.
    """

    def __init__(self, links: Sequence[PlacedLink] = ()) -> None:
        self._named = {link.name: number for number, link in enumerate(links)}
        self._between: dict[frozenset[str], list[int]] = defaultdict(list)
        self._of_node: dict[str, list[int]] = defaultdict(list)
        self.drawn: set[int] = set()
        for number, link in enumerate(links):
            if link.ends is not None:
                self._between[frozenset(link.ends)].append(number)
            if link.node is not None:
                self._of_node[link.node].append(number)

    def between(self, switch: str, other: str) -> list[int]:
        """All between two switches, in both directions."""
        return self._drawn(self._between.get(frozenset((switch, other)), ()))

    def of_nodes(self, names: Iterable[str]) -> list[int]:
        """All of some nodes."""
        return self._drawn(number for name in names for number in self._of_node.get(name, ()))

    def named(self, *names: str) -> list[int]:
        """Those with these names that there are."""
        return self._drawn(self._named[name] for name in names if name in self._named)

    def _drawn(self, numbers: Iterable[int]) -> list[int]:
        found = list(numbers)
        self.drawn.update(found)
        return found
