# SPDX-License-Identifier: BSD-3-Clause
"""Traces on disk: what is in them, and other formats."""
