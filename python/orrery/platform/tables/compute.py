# SPDX-License-Identifier: BSD-3-Clause
"""The table `[compute]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import CostPerByte, Seconds, Table


class Compute(Table):
    """What the processors of the cluster need for work that MPI itself does."""

    poll_cost_s: Annotated[Seconds, Field(gt=0)] = 1e-6
    """A test or probe that finds nothing takes so long: polling lets simulated time pass."""
    reduce_s_per_byte: CostPerByte = 0.0
    """gamma: combining operands in a reduction, for each byte of the result."""
    copy_s_per_byte: CostPerByte = 0.0
    """Copies inside a collective algorithm, for each byte."""
    nonblocking_collective_s: Seconds = 0.0
    """A rank that waits sees the end of a non-blocking collective so much later than that of a blocking one, in the library's
    own calls too, as where Open MPI agrees on the number of a new communicator."""
    spawn_cost_s: Seconds = 0.1
    """From the call of MPI_Comm_spawn until the new ranks begin: what the resource manager needs to start processes."""
