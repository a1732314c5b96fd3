# SPDX-License-Identifier: BSD-3-Clause
"""`orrery relay`: MPI jobs that span sites which cannot reach each other."""

from orrery.cli.relay.group import add_to

__all__ = ["add_to"]
