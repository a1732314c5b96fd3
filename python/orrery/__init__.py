# SPDX-License-Identifier: BSD-3-Clause
"""A working model of a cluster: runs MPI programs on it and says how long they would take there."""

__version__ = "0.2.0"
