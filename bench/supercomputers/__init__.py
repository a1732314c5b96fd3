# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of collectives chosen by simulation, against those measured on four supercomputers."""
