# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate`."""

from orrery.cli.calibrate.command import add_to

__all__ = ["add_to"]
