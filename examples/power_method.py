# SPDX-License-Identifier: BSD-3-Clause
"""The largest eigenvalue of a matrix by the power method, with mpi4py and NumPy.

    power_method.py [ROWS [STEPS]]         ROWS of the matrix, default 400; STEPS, default 60

The matrix is 1 everywhere and 2 on its diagonal, so its largest eigenvalue is ROWS + 1. Each rank has some of its rows.
A step multiplies the vector by them; all ranks then gather the pieces. The program stops with 1 if the answer is wrong.
"""

import sys

import numpy as np
from mpi4py import MPI


def main() -> int:
    """Give the exit code."""
    world = MPI.COMM_WORLD
    rows, steps = (int(word) for word in (sys.argv[1:] + ["400", "60"][len(sys.argv) - 1 :]))
    sizes = [rows // world.size + (rank < rows % world.size) for rank in range(world.size)]
    first = sum(sizes[: world.rank])
    mine = np.ones((sizes[world.rank], rows))
    mine[np.arange(sizes[world.rank]), first + np.arange(sizes[world.rank])] = 2

    vector = np.arange(1.0, rows + 1)
    length = 0.0
    for _ in range(steps):
        piece = mine @ (vector / np.linalg.norm(vector))
        world.Allgatherv(piece, [vector, sizes])
        length = float(np.linalg.norm(vector))

    right = abs(length - (rows + 1)) < 1e-9 * rows
    if world.rank == 0:
        print(f"largest eigenvalue {length:.9f}, {'right' if right else 'WRONG'}")
    return 0 if right else 1


sys.exit(main())
