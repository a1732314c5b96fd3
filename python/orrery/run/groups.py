# SPDX-License-Identifier: BSD-3-Clause
"""Groups that a job asks for: where they landed, what the program is told of them, and what is written back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orrery.errors import InputError
from orrery.record.document import GroupPlace
from orrery.run.settings import RunSettings
from orrery.simulate.experiment import Experiment

if TYPE_CHECKING:
    from orrery.job.landed import JobPlacement


def landed_groups(settings: RunSettings, experiment: Experiment) -> JobPlacement | None:
    """Where the groups are, written back if that is wanted; None: the job asks for none.

    Raises InputError where they do not fit the ranks, or get less than they need, unless that is only to be said.
    """
    if settings.groups is None:
        return None
    from orrery.job.landed import landed
    from orrery.job.reading import load
    from orrery.job.writing import text_for

    job = load(settings.groups)
    groups = job.resolve(settings.ranks)
    found = landed(job, groups, experiment.hardware, experiment.platform, experiment.placement.host_of_rank)
    if found.unmet and settings.groups_unmet == "refuse":
        others = f" (and {len(found.unmet) - 1} more)" if len(found.unmet) > 1 else ""
        raise InputError(
            f"{found.unmet[0]}{others}; place the ranks otherwise (--map), ask for less, or run all the same: --groups-unmet warn"
        )
    if settings.groups_out is not None:
        settings.groups_out.write(text_for(settings.groups_out.path, found.profile()))
    return found


def environment_of(found: JobPlacement | None) -> dict[str, str]:
    """What the program is told. Raises InputError where that is too long."""
    if found is None:
        return {}
    from orrery.job.handing import environment

    return environment(found.job, found.groups, found.found)


def cautions_of(found: JobPlacement | None) -> list[str]:
    """What the groups did not get, a sentence each."""
    return [] if found is None else [*found.unmet, *found.unknown]


def places_of(found: JobPlacement | None) -> list[GroupPlace]:
    """For the record."""
    if found is None:
        return []
    return [
        GroupPlace(
            name=group.name,
            colour=group.colour,
            ranks=place.ranks,
            nodes=place.node_count,
            clusters=place.clusters,
            sites=place.sites,
        )
        for group, place in zip(found.groups.all, found.found, strict=True)
    ]
