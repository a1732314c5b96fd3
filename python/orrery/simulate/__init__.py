# SPDX-License-Identifier: BSD-3-Clause
"""From an experiment to its record: one simulation, or replicas of it."""
