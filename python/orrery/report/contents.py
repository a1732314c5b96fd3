# SPDX-License-Identifier: BSD-3-Clause
"""Contents of a trace, as text."""

from __future__ import annotations

from orrery.report.computed import as_measured
from orrery.terminal import visible
from orrery.trace.contents import Contents
from orrery.units import show_bytes, show_time


def text(found: Contents) -> str:
    """Properties of the trace, one a line, then the number of calls of each routine."""
    started = f", {found.streams - found.ranks} started later" if found.streams > found.ranks else ""
    imported = "imported as " if found.imported else ""
    each = f", {found.size_bytes / found.records:.1f} bytes each" if found.records else ""
    how = as_measured(found.properties) if found.compute_s > 0 else ""
    lines = [
        *(("damage", what) for what in found.damage),
        ("trace", f"{found.trace}, {imported}format {found.version}, {show_bytes(found.size_bytes)}"),
        ("ranks", f"{found.ranks:,}{started}"),
        ("records", f"{found.records:,}{each}"),
        ("computation", f"{show_time(found.compute_s)}, of all ranks together{f'; {how}' if how else ''}"),
        ("communicators", f"{len(found.communicators) + 1:,}"),
        *found.properties.items(),
        *(("left out", line.removeprefix("left out: ")) for line in found.left_out.lines),
    ]
    head = "".join(f"{visible(what):<15} {visible(value)}\n" for what, value in lines)
    return f"{head}\n" + "".join(f"{count:>12,}  {name}\n" for name, count in found.calls.items())
