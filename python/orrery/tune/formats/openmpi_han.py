# SPDX-License-Identifier: BSD-3-Clause
"""Rules files of Open MPI's component `han` (5.0), which comes before `tuned` on communicators of several nodes with several ranks.

Its rules name a component, not an algorithm: `tuned`, which then finds its own rules, or `han` itself, its own decision. The last
communicator size that is not above the communicator's counts, and the last message size that is not above the message's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from orrery.collective.openmpi_rules import COLLECTIVES
from orrery.rules import MOST_RANKS
from orrery.tune.rules import RuleRow, SizeBand, TunedRules
from orrery.words import comment

KINDS = ("allgather", "allgatherv", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter")
"""Collectives that han has, by `ompi_info --param coll han --level 9`."""
_WHOLE = 2
"""The level of the communicator that a program uses; others are han's own, inside and between nodes."""
_LEAVE = ["0 han"]


def han(tuned: TunedRules, comments: Sequence[str]) -> str:
    """The file; empty where no rule is for a collective that han has. `comments`: lines at its top."""
    kinds = [(kind, list(rows)) for kind, rows in groupby(tuned.rows, key=lambda row: row.kind) if kind in KINDS]
    if not kinds:
        return ""
    lines = [*map(comment, comments), f"{len(kinds)} # collectives"]
    for kind, rows in sorted(kinds, key=lambda entry: COLLECTIVES.index(entry[0])):
        sizes = list(_sizes(rows))
        lines += [f"{COLLECTIVES.index(kind)} # {kind}", "1 # level", f"{_WHOLE} # the whole communicator"]
        lines.append(f"{len(sizes)} # communicator sizes")
        for size, rules in sizes:
            lines += [f"{size} # ranks or more", f"{len(rules)} # message sizes", *rules]
    return "".join(f"{line}\n" for line in lines)


def _sizes(rows: Sequence[RuleRow]) -> Iterator[tuple[int, list[str]]]:
    """Communicator sizes, of which the first must be 1, and their rules."""
    end = 1
    for row in rows:
        if row.ranks_from > end:
            yield end, _LEAVE
        yield row.ranks_from, list(_rules(row.bands))
        end = row.ranks_to + 1
    if end <= MOST_RANKS:
        yield end, _LEAVE


def _rules(bands: Sequence[SizeBand]) -> Iterator[str]:
    """Neighbours that say the same are one."""
    for component, same in groupby(bands, key=lambda band: "han" if band.variant is None else "tuned"):
        yield f"{next(same).bytes_from} {component}"
