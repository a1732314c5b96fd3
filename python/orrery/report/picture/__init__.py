# SPDX-License-Identifier: BSD-3-Clause
"""Figures of plotly as images, drawn by matplotlib: the parts of a figure that Orrery's figures have."""
