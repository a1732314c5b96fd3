# SPDX-License-Identifier: BSD-3-Clause
"""The table `[compute]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import CostPerByte, Seconds, Table
from orrery.platform.tables.remarks import CalibrationSource


class Compute(Table):
    """Time that processors spend on work of the MPI library itself."""

    poll_cost_s: Annotated[Seconds, Field(gt=0), CalibrationSource("calls of MPI_Test that find nothing")] = 1e-6
    """Time of a test or probe that finds nothing. It cannot be 0: a program that polls would never get on in simulated
    time."""
    reduce_s_per_byte: Annotated[CostPerByte, CalibrationSource("MPI_Reduce_local, sums of doubles in the cache")] = 0.0
    """gamma: time to combine the operands of a reduction, for each byte of the result."""
    copy_s_per_byte: Annotated[CostPerByte, CalibrationSource("copies in the cache")] = 0.0
    """Time of copies inside a collective algorithm, for each byte."""
    nonblocking_collective_s: Annotated[
        Seconds, CalibrationSource("MPI_Iallreduce and MPI_Wait, less MPI_Allreduce: two ranks, 4 bytes")
    ] = 0.0
    """How much later a rank that waits for a non-blocking collective sees its end than that of a blocking one. It counts for
    calls of the library itself, too, as where Open MPI agrees on the number of a new communicator."""
    spawn_cost_s: Seconds = 0.1
    """Time from the call of MPI_Comm_spawn until the new ranks begin, in which the resource manager starts processes."""
