# SPDX-License-Identifier: BSD-3-Clause
"""The table `[storage]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import Rate, Seconds, Size, Table


class Storage(Table):
    """A parallel file system: equal servers, over which files are striped. All nodes reach all of it."""

    servers: Annotated[int, Field(gt=0)]
    """How many servers hold data."""
    stripe_bytes: Annotated[Size, Field(gt=0)] = 1 << 20
    """So many consecutive bytes of a file lie on one server, the next on the next one."""
    read_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of one server that only reads."""
    write_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate of one server that only writes; both together reach the larger of the two."""
    latency_s: Seconds = 500e-6
    """What each access waits for before its data flow."""
    metadata_latency_s: Seconds = 1e-3
    """What opening, closing, deleting or resizing a file takes."""
    node_bandwidth_bytes_per_s: Rate = 0.0
    """What all ranks of a node reach together; 0: no bound."""
