# SPDX-License-Identifier: BSD-3-Clause
"""`orrery mpiexec`: the start command of MPI with the options of Hydra (MPICH) and Open MPI."""

from orrery.cli.mpiexec.command import add_to as add_to
