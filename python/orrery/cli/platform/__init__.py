# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform`: built-in platforms, and files of one's own."""

from orrery.cli.platform.group import add_to

__all__ = ["add_to"]
