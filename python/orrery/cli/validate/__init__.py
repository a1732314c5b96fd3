# SPDX-License-Identifier: BSD-3-Clause
"""`orrery validate`: predicted against measured."""

from orrery.cli.validate.group import add_to

__all__ = ["add_to"]
