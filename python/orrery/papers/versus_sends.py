# SPDX-License-Identifier: BSD-3-Clause
"""Experiments that compare a collective with the sends that would do the same, on several clusters.

Both are loops: a turn is a collective and a barrier; a send is half of a ping-pong between ranks 0 and 1. The paper's rows are a
CSV file with the columns figure, collective, ranks, platform, short_message, long_message, changing_length_bytes, why: on which
side the collective is for short and for long messages (L: it takes less than the sends, H: more), the size at which that changes,
if it does, and why it does not come out here, as far as that is known.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from orrery.collective.laboratory import Laboratory
from orrery.collective.sizes import byte_sizes
from orrery.collective.versus import sends_of
from orrery.errors import InputError
from orrery.papers.claims import CheckedClaim, Verdict
from orrery.papers.loops import SEND, call_of, time_of
from orrery.papers.rows import TIME, Row
from orrery.papers.used import ExperimentInputs

_NEAR = 2.0
"""Factor up to which a size of change is the paper's."""

Side = Literal["L", "H"]


class VersusSends(BaseModel):
    """The table `[versus_sends]` of an experiment."""

    model_config = ConfigDict(extra="forbid", strict=True)

    table: str
    """The paper's rows: a CSV file beside the experiment."""
    bytes: str
    """As `orrery collective -s` takes them."""
    selector: str = "default"
    mapping: str = "node"
    every: Annotated[int, Field(ge=1)] = 1
    """Run the first row, and then each so many."""
    quick: Annotated[int, Field(ge=1)] = 7
    """`every`, of the quick form."""

    def used(self, folder: Path) -> ExperimentInputs:
        """What it rests on."""
        table = folder / self.table
        return ExperimentInputs(platforms=sorted({row["platform"] for row in published(table)}), files=[table])

    def in_quick_form(self) -> VersusSends:
        """With fewer rows."""
        return self.model_copy(update={"every": self.quick})

    def rows(self, folder: Path, advanced: Callable[[int, int], object]) -> list[Row]:
        """Times of the collective and of the sends, for each row of the paper and each size."""
        wanted = published(folder / self.table)[:: self.every]
        found: list[Row] = []
        done = 0
        for platform, group in groupby(
            sorted(wanted, key=lambda row: row["platform"]), key=lambda row: row["platform"]
        ):
            laboratory = Laboratory(platform, None, self.mapping, said=False)
            with laboratory.open():
                for row in group:
                    found += self._row(laboratory, row)
                    done += 1
                    advanced(done, len(wanted))
        return found

    def _row(self, laboratory: Laboratory, row: dict[str, str]) -> Iterator[Row]:
        kind, ranks = row["collective"], int(row["ranks"])
        selector = laboratory.selector(self.selector, "", None, ranks)
        for size in byte_sizes(self.bytes, "bytes"):
            base: Row = {
                "figure": row["figure"],
                "platform": laboratory.platform["name"],
                "collective": kind,
                "ranks": ranks,
                "bytes": size,
            }
            by = laboratory.chosen(selector, call_of(kind, size, ranks)).name
            time_s = time_of(kind, size, ranks, laboratory, selector)
            yield {**base, "by": by, "way": "collective", TIME: time_s}
            sends_s = sends_of(kind, ranks) * time_of(SEND, size, ranks, laboratory, selector)
            yield {**base, "by": "sends", "way": "sends", TIME: sends_s}

    def check(self, folder: Path, rows: Sequence[Row], where: str) -> list[CheckedClaim]:
        """A verdict on each row of the paper. Reproduced: both ends right, and the change within a factor of two. Sign right:
        both ends right.
        """
        return [_check(row, rows, where) for row in published(folder / self.table)]


def published(file: Path) -> list[dict[str, str]]:
    """The paper's rows. Raises InputError when they cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as table:
            return list(csv.DictReader(line for line in table if not line.startswith("#")))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None


def _check(row: dict[str, str], rows: Sequence[Row], where: str) -> CheckedClaim:
    kind, ranks, platform = row["collective"], int(row["ranks"]), row["platform"]
    paper = _said(
        row["short_message"], row["long_message"], [int(size) for size in row["changing_length_bytes"].split()]
    )
    claim = f"{kind} of {ranks} ranks on {platform}, beside its sends"
    mine = [
        timed for timed in rows if (timed["collective"], timed["ranks"], timed["platform"]) == (kind, ranks, platform)
    ]
    if not mine:
        return CheckedClaim(where=where, claim=claim, paper=paper, here="", verdict="left out")
    times = {(timed["bytes"], timed["way"]): float(timed[TIME]) for timed in mine}
    sizes = sorted({int(timed["bytes"]) for timed in mine})
    sides = ["L" if times[size, "collective"] < times[size, "sends"] else "H" for size in sizes]
    changes = [size for size, before, after in zip(sizes[1:], sides, sides[1:], strict=False) if before != after]
    ends = [times[size, "collective"] / times[size, "sends"] for size in (sizes[0], sizes[-1])]
    here = f"{_said(sides[0], sides[-1], changes)}; {ends[0]:.3g} and {ends[1]:.3g} times its sends at the ends"
    verdict: Verdict = "not reproduced"
    if (sides[0], sides[-1]) == (row["short_message"], row["long_message"]):
        verdict = "reproduced" if _is_near(row["changing_length_bytes"], changes) else "sign right"
    why = "" if verdict == "reproduced" else row["why"]
    return CheckedClaim(where=where, claim=claim, paper=paper, here=here, verdict=verdict, why=why)


def _is_near(published_change: str, changes: Sequence[int]) -> bool:
    if not published_change:
        return not changes
    return len(changes) == 1 and 1 / _NEAR <= changes[0] / int(published_change) <= _NEAR


def _said(short: str, long: str, changes: Sequence[int]) -> str:
    names = {"L": "lower", "H": "higher"}
    if not changes:
        return f"{names[short]} throughout" if short == long else f"{names[short]}, then {names[long]}"
    ends = f"{names[short]} at both ends" if short == long else f"{names[short]}, then {names[long]}"
    return f"{ends}, changes at {', '.join(f'{size:,} B' for size in changes)}"
