# SPDX-License-Identifier: BSD-3-Clause
"""Platforms: what the simulated cluster is made of and what a message costs on it."""
