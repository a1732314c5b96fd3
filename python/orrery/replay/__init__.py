# SPDX-License-Identifier: BSD-3-Clause
"""Simulations of traces."""
