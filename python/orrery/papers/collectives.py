# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with collective calls: their times over ranks and sizes, by platform, model and algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.selector import selector_named
from orrery.collective.sizes import byte_sizes
from orrery.papers.rows import TIME, Row
from orrery.papers.used import ExperimentInputs
from orrery.platform.model import Model


class QuickCollectives(BaseModel):
    """What the quick form runs instead."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ranks: list[int] | None = None
    bytes: str | None = None
    platforms: list[str] | None = None


class PaperCollectives(BaseModel):
    """The table `[collectives]` of an experiment: every combination is simulated."""

    model_config = ConfigDict(extra="forbid", strict=True)

    kinds: Annotated[list[str], Field(min_length=1)]
    """Collectives, such as `alltoall`."""
    ranks: Annotated[list[int], Field(min_length=1)]
    bytes: str
    """As `orrery collective -s` takes them."""
    platforms: Annotated[list[str], Field(min_length=1)]
    """Names of built-in platforms."""
    models: list[Model] = []
    """By default that of the platform."""
    algorithms: list[str] = []
    """In the syntax of `--coll`; by default what `selector` chooses."""
    selector: str = "default"
    mapping: str = "node"
    root: int = 0
    quick: QuickCollectives | None = None

    def used(self, _folder: Path) -> ExperimentInputs:
        """What it rests on."""
        return ExperimentInputs(platforms=self.platforms)

    def in_quick_form(self) -> PaperCollectives:
        """With what the quick form runs instead."""
        less = self.quick.model_dump(exclude_none=True) if self.quick else {}
        return self.model_copy(update={**less, "quick": None})

    def rows(self, _folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Simulate all. Raises InputError for what cannot be simulated."""
        kinds: list[Model | None] = [*self.models] or [None]
        sizes = byte_sizes(self.bytes, "bytes")
        whole = len(self.platforms) * len(kinds) * len(self.kinds) * len(self.ranks) * len(sizes)
        whole *= max(1, len(self.algorithms))
        found: list[Row] = []
        for platform, model in product(self.platforms, kinds):
            laboratory = Laboratory(platform, model, self.mapping, self.root, said=False)
            with laboratory.open():
                for row in self._on(laboratory):
                    found.append(row)
                    advanced(len(found), whole)
        return found

    def _on(self, laboratory: Laboratory) -> Iterator[Row]:
        for kind, ranks, size in product(self.kinds, self.ranks, byte_sizes(self.bytes, "bytes")):
            call = Call(kind, size, ranks)
            for algorithm in self.algorithms or [""]:
                choice = self._choice(laboratory, call, algorithm)
                yield {
                    "collective": kind,
                    "ranks": ranks,
                    "bytes": size,
                    "platform": laboratory.platform["name"],
                    "model": laboratory.model,
                    "algorithm": algorithm or choice.name,
                    TIME: laboratory.time(call, choice),
                }

    def _choice(self, laboratory: Laboratory, call: Call, algorithm: str) -> _core.Choice:
        coll = f"{call.kind}={algorithm}" if algorithm else ""
        return laboratory.chosen(selector_named(self.selector, coll, None), call)
