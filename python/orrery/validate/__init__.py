# SPDX-License-Identifier: BSD-3-Clause
"""Comparison of predicted with measured times."""
