# SPDX-License-Identifier: BSD-3-Clause
"""`orrery benchmark`."""

from orrery.cli.benchmark.command import add_to

__all__ = ["add_to"]
