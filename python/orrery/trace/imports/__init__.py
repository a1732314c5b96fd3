# SPDX-License-Identifier: BSD-3-Clause
"""Traces of other tools, which become Orrery's own."""
