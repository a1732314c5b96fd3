# SPDX-License-Identifier: BSD-3-Clause
"""The user's own MPI: programs that are built with its compiler and started by its launcher."""
