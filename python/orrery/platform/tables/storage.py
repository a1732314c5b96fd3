# SPDX-License-Identifier: BSD-3-Clause
"""The table `[storage]`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orrery.platform.tables.quantities import Rate, Seconds, Size, Table


class Storage(Table):
    """A parallel file system that all nodes reach: files are striped over equal servers."""

    servers: Annotated[int, Field(gt=0)]
    """How many servers hold data."""
    stripe_bytes: Annotated[Size, Field(gt=0)] = 1 << 20
    """So many consecutive bytes of a file are on one server, the next ones on the next server."""
    read_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate at which one server reads, if it does nothing else."""
    write_bandwidth_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate at which one server writes, if it does nothing else. Reading and writing together reach the larger of the two
    rates."""
    latency_s: Seconds = 500e-6
    """Time of each access before its data flow."""
    metadata_latency_s: Seconds = 1e-3
    """Time to open, close, delete or resize a file."""
    node_bandwidth_bytes_per_s: Rate = 0.0
    """Rate that the accesses of all ranks of a node reach together; 0: no such bound."""
