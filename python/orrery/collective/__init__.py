# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls without a program."""
