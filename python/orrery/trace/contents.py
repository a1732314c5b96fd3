# SPDX-License-Identifier: BSD-3-Clause
"""What is in a trace."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from orrery import _core
from orrery.left_out import Omissions
from orrery.published import SPREAD, UNWRITTEN
from orrery.trace.imports.own import as_own
from orrery.trace.reading import FIRST_OF_CALL, LEFT_OUT, operations


@dataclass(frozen=True)
class TraceCommunicator:
    """A communicator."""

    number: int
    size: int
    """Ranks of both of its groups, if it has two."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Where a trace comes from, what is in it, and whether it is whole."""

    trace: Path
    """Its file."""
    imported: bool = field(metadata=UNWRITTEN)
    """It is another tool's; all that follows is of what it became."""
    version: int
    """Version of the format."""
    size_bytes: int
    ranks: int
    """Size of MPI_COMM_WORLD."""
    streams: int
    """Ranks, those that were started later included."""
    records: int
    """Operations, and what they were answered."""
    compute_s: float
    """Computation of all ranks together."""
    properties: dict[str, str]
    """What the trace says of itself."""
    communicators: list[TraceCommunicator]
    """But for MPI_COMM_WORLD."""
    calls: dict[str, int]
    """By routine, the most frequent first."""
    left_out: Omissions = field(metadata=SPREAD)
    """What an import had no word for."""
    damage: list[str]
    """What could not be read, a sentence each."""


def contents_of(trace: Path) -> Contents:
    """Read a trace of any tool's through. Raises InputError when it cannot be read."""
    with as_own(trace) as own:
        file = _core.TraceFile(str(own.path))
        damage = own.damage(file)
    calls: Counter[str] = Counter()
    compute_s = 0.0
    for rank in range(file.streams):
        for operation in operations(file, rank):
            compute_s += operation.compute_s
            if operation.flags & FIRST_OF_CALL or operation.kind == "finalize":
                calls[operation.routine or operation.kind] += 1
    return Contents(
        trace=trace,
        imported=own.imported is not None,
        version=file.version,
        size_bytes=file.size,
        ranks=file.ranks,
        streams=file.streams,
        records=file.records,
        compute_s=compute_s,
        properties={key: value for key, value in file.properties if key != LEFT_OUT},
        communicators=[TraceCommunicator(number, size) for number, size in file.communicators],
        calls=dict(calls.most_common()),
        left_out=Omissions.from_text(dict(file.properties).get(LEFT_OUT, "")),
        damage=damage,
    )
