# SPDX-License-Identifier: BSD-3-Clause
"""Drawings of platforms, as SVG."""
