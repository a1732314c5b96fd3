# SPDX-License-Identifier: BSD-3-Clause
"""Calibration: measure a real cluster's MPI, and write the platform file that its simulation needs."""
