# SPDX-License-Identifier: BSD-3-Clause
"""Definition of an experiment: settings common to runs and replays, placement of ranks, and variants for replicas."""
