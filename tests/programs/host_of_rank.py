# SPDX-License-Identifier: BSD-3-Clause
"""What Python says of the node that each rank is on: lines "NODE FUNCTION: WHAT"."""

import os
import platform
import socket
import sys

from mpi4py import MPI

found = {
    "socket.gethostname": socket.gethostname(),
    "platform.node": platform.node(),
    "os.uname": os.uname().nodename,
    "socket.gethostbyname": socket.gethostbyname(socket.gethostname()),
    "os.cpu_count": os.cpu_count(),
    "os.sched_getaffinity": len(os.sched_getaffinity(0)),
}
node = MPI.Get_processor_name()
sys.stdout.write("".join(f"{node} {function}: {what}\n" for function, what in found.items()))
