# SPDX-License-Identifier: BSD-3-Clause
"""What a program with mpi4py uses: buffers, objects, requests, a window, a file, and Python functions that MPI calls."""

from __future__ import annotations

import os
import struct
import sys
from array import array
from pathlib import Path

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size

# Buffers, blocking and not.
total = array("d", [0.0])
comm.Allreduce(array("d", [float(rank)]), total)
assert total[0] == size * (size - 1) / 2
got = array("i", [0] * 1000)
requests = [comm.Irecv(got, left), comm.Isend(array("i", [rank] * 1000), right)]
MPI.Request.Waitall(requests)
assert got == array("i", [left] * 1000)

# Half precision, which MPICH 4.0 has and Open MPI 4.1 has not.
if os.environ["MPI4PY_MPIABI"] == "mpich":
    half = MPI.Datatype.fromcode("e")
    halves = bytearray(2)
    comm.Allreduce([struct.pack("e", 0.5 + rank), half], [halves, half])
    assert struct.unpack("e", halves) == (size * size / 2,)

# Objects, pickled.
assert comm.sendrecv({"from": rank}, right, source=left) == {"from": left}
assert comm.allgather("x" * rank) == ["x" * peer for peer in range(size)]

# Functions of Python's that MPI calls: an operation that does not commute, a copy of an attribute.
joined = comm.allreduce(str(rank), op=lambda a, b: a + b)
assert joined == "".join(map(str, range(size)))
key = MPI.Comm.Create_keyval(copy_fn=lambda _comm, _key, value: value + 1)
comm.Set_attr(key, 41)
copy = comm.Dup()
assert copy.Get_attr(key) == 42
copy.Free()

# A window, a file.
memory = array("i", [-1])
window = MPI.Win.Create(memory, comm=comm)
window.Fence()
window.Put(array("i", [rank]), right)
window.Fence()
window.Free()
assert memory[0] == left
path = Path(sys.argv[1])
file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at_all(4 * rank, array("i", [rank]))
file.Close()
comm.Barrier()
assert array("i", path.read_bytes()) == array("i", range(size))

comm.Barrier()
print("fine", MPI.Get_library_version().split()[0], flush=True)  # noqa: T201
