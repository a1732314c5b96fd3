# SPDX-License-Identifier: BSD-3-Clause
"""What a job profile may say, declared once. `Job` is a profile with the file that it came from.

A number without a unit is in the unit that its key ends in. A blank, a key that is not there, is filled in when the ranks
of the job are known (`orrery.job.resolving`), or asks for nothing.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import Factor, Rate, Seconds, Size, Table

MOST_DEPTH = 32
"""Groups inside of each other."""
MOST_GROUPS = 4096
"""Groups of a job, at all depths: their table has to fit into an environment variable."""
MOST_PAIRS = 1 << 16
"""Pairs of groups of a job that something is asked between."""
MOST_CHARACTERS = 255
"""Characters of a name with those of the groups around it."""
NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$"
"""Names stand in URIs, environment variables and XML."""

Name = Annotated[str, Field(pattern=NAME)]
_Text = Annotated[str, Field(pattern=r"^(?:[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?)?$")]
"""Without control characters, and without space at its ends: XML keeps neither."""
_Place = Annotated[str, Field(min_length=1)]
_MOST = 1 << 31


class NetworkDemand(Table):
    """What is asked of the network between any two ranks."""

    latency_at_most_s: Seconds | None = None
    """Largest latency, one way, between the nodes of any two ranks."""
    rate_at_least_bytes_per_s: Annotated[Rate, Field(gt=0)] | None = None
    """Smallest rate of the path between any two ranks, when nothing else uses it."""


class InterGroupDemand(NetworkDemand):
    """What is asked of the network between groups that stand beside each other: each two of them."""

    groups: Annotated[list[Name], Field(min_length=2)] | None = None
    """Names of the groups, of those that this table stands beside; by default all of them."""


class FoundNetwork(Table):
    """What the network gives."""

    groups: list[Name] = Field(default=[])
    """Between which two groups; inside of one: none."""
    latency_s: Seconds
    """Largest latency, one way, between any two ranks."""
    rate_bytes_per_s: Rate | None = None
    """Smallest rate of the path between any two ranks, when nothing else uses it."""


class GroupPlacement(Table):
    """What a group got, written by Orrery. It asks for nothing: where the job runs next, it is found anew."""

    ranks: _Text
    """The ranks of the group."""
    colour: Annotated[int, Field(ge=0, lt=_MOST)]
    """The number that stands for the name of the group."""
    nodes: list[_Place] = Field(default=[])
    """Names of the nodes that they are on; at most 64 of them."""
    node_count: Annotated[int, Field(ge=0, lt=_MOST)] = 0
    """How many nodes they are on."""
    clusters: list[_Place] = Field(default=[])
    """Names of the clusters that they are on."""
    sites: list[_Place] = Field(default=[])
    """Names of the sites, where the platform names them."""
    cores: Annotated[int, Field(ge=0, lt=_MOST)] | None = None
    """Cores for each rank, whole ones, where a rank has fewest; 0: ranks share cores."""
    speed: Factor | None = None
    """Speed of the slowest core, relative to the host that runs the simulation."""
    inside: FoundNetwork | None = None
    """The network between any two of its ranks; a group of one rank has none."""
    between: list[FoundNetwork] = Field(default=[])
    """The network between its subgroups, each two of them."""


class JobGroup(Table):
    """Ranks that belong together, and what they need."""

    name: Name
    """Name of the group. With the names of those around it, and "/" between them, it is that of the process set."""
    processes: Annotated[int, Field(lt=_MOST)] | _Text | None = None
    """Number of ranks: a whole number, "$NPROCS" (all of the job), a share of those around it such as "25 %", or "rest". By
    default what its subgroups have, where all of them have numbers, else the rest; several such groups share it evenly."""
    ranks: _Text | None = None
    """Which ranks, such as "0-3,8"; by default the first ones that no other group has."""
    cores: Annotated[int, Field(gt=0, lt=_MOST)] | None = None
    """Cores that each rank needs for itself."""
    speed_at_least: Factor | None = None
    """Smallest speed of a core, relative to the host that runs the simulation, as `speed` of a platform's clusters."""
    memory_bytes: Annotated[Size, Field(gt=0, lt=1 << 63)] | None = None
    """Memory that each rank needs. Platforms do not say how much a node has, so this is handed on, not checked."""
    inside: NetworkDemand | None = None
    """What is asked of the network between any two ranks of the group."""
    groups: list[JobGroup] = Field(default=[], alias="group")
    """Groups inside, one `[[group.group]]` each. Each rank of this group is in one of them."""
    between: list[InterGroupDemand] = Field(default=[])
    """What is asked of the network between the groups inside, one `[[group.between]]` each."""
    found: GroupPlacement | None = None
    """What the group got, if Orrery has placed it. It asks for nothing."""


class JobProfile(Table):
    """A whole file: the groups of a job."""

    name: _Text = ""
    """Name of the job; in XML its `appId`."""
    task: _Text = ""
    """Name of its task; in XML its `taskId`."""
    program: _Text = ""
    """Where a grid's scheduler fetches the program; in XML the `url` of the executable. Handed on: what Orrery runs is what its
    command line names."""
    execution: _Text = ""
    """How a grid's scheduler starts it, such as `open_mpi`; in XML the `type` of the execution. Handed on."""
    groups: Annotated[list[JobGroup], Field(alias="group", min_length=1)]
    """Groups that all ranks are divided into, one `[[group]]` each."""
    between: list[InterGroupDemand] = Field(default=[])
    """What is asked of the network between these groups, one `[[between]]` each."""
    found_between: list[FoundNetwork] = Field(default=[])
    """The network between these groups, if Orrery has placed them."""


JobGroup.model_rebuild()
JobProfile.model_rebuild()
