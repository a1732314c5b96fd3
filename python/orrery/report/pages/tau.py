# SPDX-License-Identifier: BSD-3-Clause
"""The page of profiles of TAU."""

from __future__ import annotations

from orrery.page.document import Page
from orrery.record.tau import TauProfiles
from orrery.report.pages.usage import profile_parts
from orrery.units import show_time


def page_of_tau(found: TauProfiles) -> Page:
    """Routines of all ranks, and where each node's time went."""
    about = next(iter(found.metadata.values()), {})
    ranks = "1 rank" if len(found.metadata) == 1 else f"{len(found.metadata):,} ranks"
    longest_s = max(found.total_s.values(), default=0.0)
    in_mpi_s = sum(row.exclusive_s for row in found.profile.summed if row.name in found.in_mpi)
    all_s = sum(row.exclusive_s for row in found.profile.summed)
    share = f" {in_mpi_s / all_s:.0%} of the ranks' time is in MPI." if all_s > 0 else ""
    return Page(
        title=about.get("Command Line", found.path),
        verdict=f"{show_time(longest_s)} with {ranks}.{share}",
        facts=[("profile", found.path), *about.items()],
        cautions=[],
        parts=list(profile_parts(found.profile, found.hosts)),
    )
