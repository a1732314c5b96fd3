# SPDX-License-Identifier: BSD-3-Clause
"""Results of a simulation: its record, profile, intervals and comparisons."""
