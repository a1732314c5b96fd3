# SPDX-License-Identifier: BSD-3-Clause
"""Collective algorithms of the simulator, run by programs on a real MPI."""
