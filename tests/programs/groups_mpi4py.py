# SPDX-License-Identifier: BSD-3-Clause
"""What `orrery.groups` says of the groups of a job, on any MPI; and process sets, where "sets" is said."""

import sys

from mpi4py import MPI

from orrery.groups import Groups


def say(*lines: str) -> None:
    """Print lines."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


world = MPI.COMM_WORLD
groups = Groups.of_environment()
lines = []
for name in groups.names:
    comm = groups.comm(name)
    total = 0
    if comm is not None:
        total = comm.allreduce(world.Get_rank()) if comm.Get_rank() == 0 else comm.allreduce(world.Get_rank()) * 0
        comm.Free()
    total = world.allreduce(total)
    assert groups.name(groups.colour(name)) == name
    ranks = " ".join(map(str, groups.ranks(name)))
    cores = groups.facts(name).get("asked_cores", "-")
    lines.append(f"{groups.colour(name)} {name} at {groups.depth(name)}: {ranks} sum {total} cores {cores}")
mine = world.gather(groups.mine())
if world.Get_rank() == 0:
    say(*lines, " ".join(["innermost:", *mine]))
if "sets" in sys.argv:
    session = MPI.Session.Init()
    names = [session.Get_nth_pset(n) for n in range(session.Get_num_psets())]
    sizes = [session.Create_group(name).Get_size() for name in names]
    colours = [session.Get_pset_info(name).Get("orrery_group_colour") for name in names]
    for line in (
        world.gather([f"{world.Get_rank()} {entry}" for entry in zip(names, sizes, colours, strict=True)]) or []
    ):
        say(*line)
    session.Finalize()
