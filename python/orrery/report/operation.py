# SPDX-License-Identifier: BSD-3-Clause
"""One operation of a trace as a line of text."""

from __future__ import annotations

from orrery.trace.reading import FIRST_OF_CALL, Operation
from orrery.units import show_time


def line_of(o: Operation) -> str:
    """Begin, kind, computation before it, routine, peer and tag, bytes, communicator, requests and result."""
    parts = [f"{show_time(o.begin_ns * 1e-9):>12}" if o.end_ns >= 0 else " " * 12, f"{o.kind:<14}"]
    if o.compute_s:
        parts.append(f"after {show_time(o.compute_s)}")
    if o.routine and o.flags & FIRST_OF_CALL:
        parts.append(o.routine)
    if o.collective:
        parts.append(o.collective)
    if o.kind in ("isend", "irecv", "probe", "iprobe", "psend", "precv", "put", "get", "accumulate", "lock"):
        parts.append(f"peer {o.peer} tag {o.tag}")
    if o.bytes:
        parts.append(f"{o.bytes:,} B")
    if o.comm:
        parts.append(f"comm {o.comm}")
    if o.request or o.requests:
        parts.append(f"requests {o.requests or [o.request]}")
    if o.ran:
        parts.append(f"by {o.ran}")
    if o.answer:
        parts.append(f"-> {'yes' if o.answer.flag else 'no'}" if o.answer.source < 0 else f"-> from {o.answer.source}")
    return "  ".join(parts)
