# SPDX-License-Identifier: BSD-3-Clause
"""`orrery run`: a program on a simulated cluster, from settings to record."""
