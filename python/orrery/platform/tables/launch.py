# SPDX-License-Identifier: BSD-3-Clause
"""The table `[launch]`: what it takes to start a job, until its ranks leave MPI_Init."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Size, Table

Launcher = Literal["ssh", "manager"]


class Launch(Table):
    """How the processes of a job are started, and what they do in MPI_Init. A process manager as Hydra is assumed: mpiexec
    on the node of rank 0, and on each node a proxy, which starts the ranks of the node and exchanges their addresses.
    """

    launcher: Launcher = "ssh"
    """How proxies begin on other nodes. `ssh`: mpiexec, and with `fanout` each proxy, opens a connection to each.
    `manager`: the resource manager of the cluster, as Slurm, starts all of them at once."""
    fanout: Annotated[int, Field(ge=1)] | None = None
    """How many proxies mpiexec, and each proxy, has below it. Without it all of them are below mpiexec."""
    connection_s: Seconds = 0.0
    """Seconds from when a connection is opened until the proxy at its other end begins; with `manager`, from the request
    until all proxies begin."""
    connection_work_s: Seconds = 0.0
    """Seconds for which each connection occupies who opens it: it opens them one after the other. With `manager` there
    are none."""
    fork_s: Seconds = 0.0
    """Seconds that a proxy needs to start a rank; it starts those of its node one after the other."""
    load_s: Seconds = 0.0
    """Seconds from the start of a rank until it calls MPI_Init: the program and its libraries are loaded."""
    init_s: Seconds = 0.0
    """Seconds that a rank spends in MPI_Init before it publishes its address."""
    init_s_per_peer: Seconds = 0.0
    """Seconds that it spends at the end of MPI_Init for each other rank."""
    address_bytes: Size = 0
    """Bytes of the address that a rank publishes."""
    exchanges: Annotated[int, Field(ge=0)] = 1
    """How often in MPI_Init all ranks wait for each other while addresses go up the tree of proxies and all of them come
    down. Messages cost what small messages of the platform's network cost."""
