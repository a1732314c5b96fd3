# SPDX-License-Identifier: BSD-3-Clause
"""Traces of programs that run on a real MPI."""
