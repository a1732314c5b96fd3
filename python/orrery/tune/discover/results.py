# SPDX-License-Identifier: BSD-3-Clause
"""What was discovered, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from orrery.published import SPREAD, published
from orrery.tune.discover.selector_file import SelectorBand, bands_of
from orrery.tune.discover.session import Discovery


@dataclass(frozen=True)
class DiscoveryReport:
    """What `orrery tune discover` found."""

    discovery: Discovery = field(metadata=SPREAD)
    files: list[str]
    """That were written."""

    @property
    @published
    def rules(self) -> list[SelectorBand]:
        """What the file of rules has."""
        return bands_of(self.discovery.inferred.choices)
