# SPDX-License-Identifier: BSD-3-Clause
"""Rules of Open MPI that make reductions come out wrong where the operation does not commute.

Its own decision looks at the operation; its rules do not. MPICH's files can ask, so what is written for it leaves such calls alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from orrery.tune.library import Library
from orrery.tune.rules import TunedRules

_WRONG = {
    "allreduce": {"ring", "segmented_ring"},
    "reduce": {"chain", "pipeline", "binary", "binomial"},
    "reduce_scatter": {"recursive_halving", "ring"},
}
"""Open MPI's names of algorithms that take operands in another order, seen with 4.1.4 and 5.0.11."""


def right_for_all(library: Library, kind: str, name: str) -> bool:
    """Whether a rule with an algorithm of the library is right for operations that do not commute, too."""
    return library.family != "openmpi" or name not in _WRONG.get(kind, ())


def cautions(tuned: TunedRules) -> Iterator[str]:
    """A sentence where there are such rules."""
    found = sorted(
        {
            f"{row.kind} by {band.variant.name}"
            for row in tuned.rows
            for band in row.bands
            if band.variant is not None and not right_for_all(tuned.library, row.kind, band.variant.name)
        }
    )
    if found:
        yield (
            f"{', '.join(found)}: right for operations that commute, as all of MPI's own do; programs with operations that do not "
            "(MPI_Op_create with commute 0) get wrong results, as Open MPI obeys rules for these, too: run them without the files, or tune with --any-operation"
        )
