# SPDX-License-Identifier: BSD-3-Clause
"""Simulation of an experiment, with its replicas, up to the record of the results."""
