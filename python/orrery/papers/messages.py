# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with single messages between two nodes: half of a ping-pong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from orrery.collective.laboratory import Laboratory
from orrery.collective.sizes import byte_sizes
from orrery.papers.rows import TIME, Row
from orrery.papers.used import ExperimentInputs


class PaperMessages(BaseModel):
    """The table `[messages]` of an experiment."""

    model_config = ConfigDict(extra="forbid", strict=True)

    platforms: Annotated[list[str], Field(min_length=1)]
    bytes: str
    """As `orrery collective -s` takes them."""

    def used(self, _folder: Path) -> ExperimentInputs:
        """What it rests on."""
        return ExperimentInputs(platforms=self.platforms)

    def in_quick_form(self) -> PaperMessages:
        """Itself: it is quick."""
        return self

    def rows(self, _folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Times between the first two nodes of each platform."""
        sizes = byte_sizes(self.bytes, "bytes")
        found: list[Row] = []
        for platform in self.platforms:
            laboratory = Laboratory(platform, None, "node", said=False)
            with laboratory.open():
                first, second = laboratory.placement(2).host_of_rank
                for size in sizes:
                    time_s = laboratory.one_way(size, first, second)
                    found.append({"platform": laboratory.platform["name"], "bytes": size, TIME: time_s})
                    advanced(len(found), len(sizes) * len(self.platforms))
        return found
