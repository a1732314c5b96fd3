# SPDX-License-Identifier: BSD-3-Clause
"""`orrery tune`."""

from orrery.cli.tune.command import add_to as add_to
