# SPDX-License-Identifier: BSD-3-Clause
"""The groups that a job asks for, in a Python program: what orrery/groups.h is for C. With mpi4py on Orrery
(`orrery run --groups job.toml`) and on any other MPI (`orrery launch --groups job.toml -- mpirun ...`).

    from mpi4py import MPI
    from orrery.groups import Groups

    groups = Groups.of_environment()
    mine = groups.mine()                  # "ocean/east"
    comm = groups.comm(mine)              # a communicator of its ranks
    colour = groups.colour(mine)          # a number, for MPI_Comm_split
    groups.name(colour), groups.ranks("ocean")

A group inside of another one is named with it. Colours count from 0, a group before those inside it. Ranks are those of
MPI_COMM_WORLD.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orrery.errors import InputError, did_you_mean
from orrery.job import table

if TYPE_CHECKING:
    from mpi4py import MPI


class Groups:
    """All groups of a job, at all depths. There are none where the job asks for none."""

    def __init__(self, text: str) -> None:
        """From what the variable ORRERY_GROUPS holds. Raises InputError where that is damaged."""
        try:
            self._size, groups = table.read(text) if text else (0, [])
        except ValueError as error:
            raise InputError(str(error)) from None
        self._groups = {group.name: group for group in groups}
        self.names = list(self._groups)
        """Names, by colour."""

    @classmethod
    def of_environment(cls) -> Groups:
        """Those of this job. Raises InputError where ORRERY_GROUPS is damaged."""
        return cls(os.environ.get(table.VARIABLE, ""))

    def name(self, colour: int) -> str:
        """The name of a colour. Raises InputError where there is no such group."""
        if not 0 <= colour < len(self.names):
            raise InputError(f"there is no group of colour {colour}; there are {len(self.names)}")
        return self.names[colour]

    def colour(self, name: str) -> int:
        """The number that stands for a name. Raises InputError where there is no such group."""
        return self.names.index(self._group(name).name)

    def ranks(self, name: str) -> list[int]:
        """The ranks of a group, in their order in it. Raises InputError where there is no such group."""
        return list(self._group(name).ranks)

    def facts(self, name: str) -> dict[str, str]:
        """What was asked for (`asked_cores`) and where the group landed (`clusters`). Raises InputError as above."""
        return dict(self._group(name).facts)

    def of(self, rank: int, depth: int | None = None) -> str | None:
        """The group that has a rank: the smallest, or that of a depth (0: the groups of the whole job). None: there is none."""
        having = [name for name in self.names if rank in self._group(name).ranks]
        if depth is None:
            return having[-1] if having else None
        return next((name for name in having if self.depth(name) == depth), None)

    def depth(self, name: str) -> int:
        """How many groups are around it. Raises InputError where there is no such group."""
        return self._group(name).name.count("/")

    def mine(self, depth: int | None = None) -> str | None:
        """The group of this rank, as `of`."""
        from mpi4py import MPI

        return self.of(MPI.COMM_WORLD.Get_rank(), depth)

    def comm(self, name: str) -> MPI.Intracomm | None:
        """A new communicator of the ranks of a group, collective over these alone; None for others.

        Raises InputError where there is no such group, or the job has another number of ranks than its groups were made for.
        """
        from mpi4py import MPI

        ranks, world = self.ranks(name), MPI.COMM_WORLD
        if world.Get_size() != self._size:
            raise InputError(f"{table.VARIABLE} is made for {self._size} ranks, and there are {world.Get_size()}")
        if world.Get_rank() not in ranks:
            return None
        whole = world.Get_group()
        members = whole.Incl(ranks)
        found = world.Create_group(members, self.colour(name))
        members.Free()
        whole.Free()
        return found

    def _group(self, name: str) -> table.GroupEntry:
        if name not in self._groups:
            raise InputError(
                f'there is no group "{name}"{did_you_mean(name, self.names)} ({", ".join(self.names) or "none"})'
            )
        return self._groups[name]
