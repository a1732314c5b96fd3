# SPDX-License-Identifier: BSD-3-Clause
"""Traces: replay, inspection, other formats."""
