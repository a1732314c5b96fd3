# SPDX-License-Identifier: BSD-3-Clause
"""Training of a linear model on several ranks, with mpi4py and NumPy: what distributed training spends its time in.

    training.py [WEIGHTS [STEPS]]          WEIGHTS of the model, default 65,536; STEPS, default 20

Each rank has samples of its own. A step computes the gradient for them and sums it over all ranks by an allreduce of all weights. The
samples of all ranks together are such that a step moves each weight the same share of the way to its target. The program stops with 1 if
it has not come as far as that in the end.
"""

import sys

import numpy as np
from mpi4py import MPI

RATE = 0.5


def main() -> int:
    """Give the exit code."""
    world = MPI.COMM_WORLD
    weights_number, steps = (int(word) for word in (sys.argv[1:] + ["65536", "20"][len(sys.argv) - 1 :]))
    target = np.sin(np.arange(weights_number))
    scale = np.full(weights_number, (world.rank + 1) * 2 / (world.size * (world.size + 1)))  # over ranks the sum is 1
    weights = np.zeros(weights_number)
    total = np.empty(weights_number)

    begin = MPI.Wtime()
    for _ in range(steps):
        gradient = scale * (weights - target)
        world.Allreduce(gradient, total)
        weights -= RATE * total
    took = MPI.Wtime() - begin

    left = float(np.abs(weights - target).max())
    expected = (1 - RATE) ** steps * float(np.abs(target).max())
    right = abs(left - expected) < 1e-9
    if world.rank == 0:
        print(f"{steps} steps in {took:.6f} s, {left:.3e} left, {'right' if right else 'WRONG'}")
    return 0 if right else 1


sys.exit(main())
