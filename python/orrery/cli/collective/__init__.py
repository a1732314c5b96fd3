# SPDX-License-Identifier: BSD-3-Clause
"""`orrery collective`."""

from orrery.cli.collective.command import add_to

__all__ = ["add_to"]
