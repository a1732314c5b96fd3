# SPDX-License-Identifier: BSD-3-Clause
"""`orrery trace`: what is in a trace, and the same for other programs."""

from orrery.cli.trace.group import add_to

__all__ = ["add_to"]
