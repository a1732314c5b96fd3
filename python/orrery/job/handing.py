# SPDX-License-Identifier: BSD-3-Clause
"""What is handed on of the groups of a job: to its ranks, in their environment, and to the user, as a profile with its
blanks filled in.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery.errors import InputError
from orrery.job import table
from orrery.job.profile import FoundNetwork, GroupPlacement, JobGroup, JobProfile
from orrery.job.resolving import Job, JobGroups, ResolvedGroup


def environment(job: Job, groups: JobGroups, found: Sequence[GroupPlacement]) -> dict[str, str]:
    """The environment variables of all ranks.

    Args:
        job: what is asked for.
        groups: its ranks.
        found: what each group got, by colour.
    Raises:
        InputError: the groups do not fit into a variable.
    """
    entries = [
        table.GroupEntry(group.name, group.ranks, {**_asked(group.asked), **_got(got)})
        for group, got in zip(groups.all, found, strict=True)
    ]
    try:
        return {table.VARIABLE: table.write(groups.size, entries)}
    except ValueError as error:
        raise InputError(f"{job.source.file}: {error}; give ranks of a group numbers that follow each other") from None


def _asked(group: JobGroup) -> dict[str, str]:
    values = {
        "processes": group.processes,
        "cores": group.cores,
        "speed_at_least": group.speed_at_least,
        "memory_bytes": group.memory_bytes,
        **(group.inside.model_dump() if group.inside else {}),
    }
    return {f"asked_{key}": f"{value}" for key, value in values.items() if value is not None}


def _got(found: GroupPlacement) -> dict[str, str]:
    values = {
        "nodes": found.node_count or None,
        "clusters": ",".join(found.clusters),
        "sites": ",".join(found.sites),
        "cores": found.cores,
        "speed": found.speed,
        "latency_s": found.inside.latency_s if found.inside else None,
        "rate_bytes_per_s": found.inside.rate_bytes_per_s if found.inside else None,
    }
    return {key: f"{value}" for key, value in values.items() if value not in (None, "")}


def filled(
    job: Job, groups: JobGroups, found: Sequence[GroupPlacement], between: Sequence[FoundNetwork] = ()
) -> JobProfile:
    """The profile with what each group got, instead of what it may say of an earlier run.

    Args:
        job: what is asked for.
        groups: its ranks.
        found: what each group got, by colour.
        between: the network between the groups of the whole job.
    """

    def with_found(group: ResolvedGroup) -> JobGroup:
        inner = [with_found(subgroup) for subgroup in groups.inside(group.colour)]
        return group.asked.model_copy(update={"groups": inner, "found": found[group.colour]})

    outermost = [with_found(group) for group in groups.inside(None)]
    return job.profile.model_copy(update={"groups": outermost, "found_between": list(between)})
