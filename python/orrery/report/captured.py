# SPDX-License-Identifier: BSD-3-Clause
"""Summary of a captured trace as text."""

from __future__ import annotations

from orrery.capture.session import CaptureOutcome
from orrery.units import show_bytes


def text(captured: CaptureOutcome) -> str:
    """The trace and its size, then a line for each kind of incompleteness."""
    lines = [
        f"{captured.trace}: {captured.ranks:,} ranks, {captured.operations:,} operations, {show_bytes(captured.bytes)}"
    ]
    if captured.cut_off:
        lines.append(f"did not come to MPI_Finalize: {_ranks(captured.cut_off)}; what they did until then is there")
    if captured.missing:
        lines.append(f"left nothing: {_ranks(captured.missing)}")
    if captured.spawned:
        lines.append(f"{captured.spawned:,} spawned processes are not captured")
    lines += captured.damage
    return "".join(f"orrery: {line}\n" for line in lines)


def _ranks(ranks: list[int]) -> str:
    most = 12
    named = ", ".join(str(rank) for rank in ranks[:most])
    more = f" and {len(ranks) - most:,} more" if len(ranks) > most else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {named}{more}"
