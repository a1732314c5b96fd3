# SPDX-License-Identifier: BSD-3-Clause
"""Calls of MPI from several lines of Python, and from functions that are made again and again."""

from types import FunctionType

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
given, taken = np.ones(1), np.zeros(1)
for step in range(5):
    world.Allreduce(given, taken)
    world.Allreduce(given, taken)  # the second line
    world.bcast({"step": step})


def call() -> None:
    world.Barrier()


for number in range(1500):
    FunctionType(call.__code__.replace(co_name=f"call_{number}"), globals())()
assert taken[0] == world.size
