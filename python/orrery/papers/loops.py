# SPDX-License-Identifier: BSD-3-Clause
"""Experiments with loops as benchmarks have them: half of a ping-pong, or a collective and a barrier, turn after turn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from orrery import _core
from orrery.collective.call import REDUCTIONS, Call
from orrery.collective.laboratory import Laboratory
from orrery.collective.loops import ping_pong, timed, with_barrier
from orrery.collective.sizes import byte_sizes
from orrery.papers.rows import TIME, Row
from orrery.papers.used import ExperimentInputs

SEND = "send"
"""The test that is half of a ping-pong between ranks 0 and 1."""
TURNS = 20
"""Turns of each loop, at most; simulated ones are alike after the first few."""
_NUMBER_BYTES = 4


class Loops(BaseModel):
    """The table `[loops]` of an experiment: every combination is simulated."""

    model_config = ConfigDict(extra="forbid", strict=True)

    tests: Annotated[list[str], Field(min_length=1)]
    """`send`, or collectives."""
    platforms: Annotated[list[str], Field(min_length=1)]
    ranks: Annotated[int, Field(ge=2)]
    bytes: str
    """As `orrery collective -s` takes them."""
    selector: str = "default"
    mapping: str = "node"
    quick_bytes: str = ""
    """Sizes of the quick form; by default all."""

    def used(self, _folder: Path) -> ExperimentInputs:
        """What it rests on."""
        return ExperimentInputs(platforms=self.platforms)

    def in_quick_form(self) -> Loops:
        """With fewer sizes."""
        return self.model_copy(update={"bytes": self.quick_bytes or self.bytes})

    def rows(self, _folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Seconds of one turn. Raises InputError for what cannot be simulated."""
        sizes = byte_sizes(self.bytes, "bytes")
        found: list[Row] = []
        for platform in self.platforms:
            laboratory = Laboratory(platform, None, self.mapping, said=False)
            with laboratory.open():
                selector = laboratory.selector(self.selector, "", None, self.ranks)
                for test, size in product(self.tests, sizes):
                    place: Row = {
                        "platform": laboratory.platform["name"],
                        "test": test,
                        "ranks": self.ranks,
                        "bytes": size,
                    }
                    found.append({**place, TIME: time_of(test, size, self.ranks, laboratory, selector)})
                    advanced(len(found), len(self.platforms) * len(self.tests) * len(sizes))
        return found


def call_of(kind: str, size: int, ranks: int) -> Call:
    """A collective of bytes, or of numbers of 4 bytes."""
    return Call(kind, size, ranks, type_size=_NUMBER_BYTES if kind in REDUCTIONS else 0)


def time_of(test: str, size: int, ranks: int, laboratory: Laboratory, selector: _core.Selector) -> float:
    """Seconds of a turn: of `send` half of a ping-pong, of a collective the call and a barrier."""
    if test == SEND:
        return timed(ping_pong(size, ranks), laboratory, selector, most_turns=TURNS).mean_s / 2
    return timed(with_barrier(call_of(test, size, ranks)), laboratory, selector, most_turns=TURNS).mean_s
