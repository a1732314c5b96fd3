# SPDX-License-Identifier: BSD-3-Clause
"""Calls of programs that run on a real MPI, beside the times that a platform expects of them."""
