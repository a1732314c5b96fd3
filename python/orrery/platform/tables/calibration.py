# SPDX-License-Identifier: BSD-3-Clause
"""The table `[calibration]`: how the values of a file were measured, and how far they can be trusted."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from orrery.platform.tables.quantities import Seconds, Table

Grade = Literal["good", "usable", "poor"]


class Reason(Table):
    """Why a calibration is not good."""

    about: str
    """What the reason is about, in a word or two: `residual`, `host load`, ..."""
    grade: Literal["usable", "poor"]
    """Best grade that a calibration can have in which this was found."""
    found: str
    """What was found, with figures."""
    cure: str
    """What to do about it."""


class Verdict(Table):
    """What `orrery calibrate` thinks of its own result."""

    grade: Grade
    """`good`: nothing stands against the calibration. `usable`: what the reasons name is uncertain. `poor`: predictions would
    be wrong, and commands that predict refuse the platform without `--force`."""
    reasons: list[Reason] = Field(default=[], alias="reason")
    """What stands against the calibration, the worst first, one `[[calibration.verdict.reason]]` each."""


class Calibration(Table):
    """How `orrery calibrate` came to the values of the file. Simulations do not use this table; `--vary calibration`,
    `orrery platform diff` and the warnings of commands do.
    """

    verdict: Verdict | None = None
    """How far the values can be trusted. Files of versions that did not judge have no verdict."""
    date: str
    """Day of the measurement."""
    host: str
    """Host on which `orrery calibrate` ran."""
    mpi: str
    """Name and version of the MPI library, as it says itself."""
    command: str
    """Command line that started the ranks that measured."""
    mpicc: str
    """Compiler wrapper that compiled the measuring program."""
    nodes: Annotated[int, Field(gt=0)]
    """How many nodes were measured. With one node there was no network to measure, and the platform must have one node, too."""
    ranks_per_node: Annotated[int, Field(gt=0)]
    """How many ranks there were on each node."""
    budget_s: Seconds
    """Time that the measurement was allowed to take."""
    seed: int
    """Seed of the sizes that were drawn."""
    samples: Annotated[int, Field(ge=0)]
    """How many times and other numbers were measured."""
    clock_drift_s_per_s: Annotated[float, Field(ge=0)] = 0.0
    """Largest drift between the clocks of two nodes, in seconds for each second."""
    unsteadiness: Annotated[float, Field(ge=0)] = 0.0
    """How much longer the same arithmetic took in the slowest pass than in the quickest, as a share: 0.03 at most on a quiet
    machine."""
    arithmetic_s: Seconds = 0.0
    """Time of a fixed piece of arithmetic, which tells whether processors were as fast as in another calibration."""
    interrupted_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the repetitions of that arithmetic that had to wait for a processor."""
    disjoint_slowdown: Annotated[float, Field(ge=0)] = 1.0
    """Time of large messages of many pairs at once, each pair on links of its own, over the time of one alone."""
    frame_load: Annotated[float, Field(ge=0)] = 0.0
    """Share of the processors that nodes share which frames would take while all nodes send at the full rate."""
    first_message_s: Seconds = 0.0
    """How much longer the first message between two ranks takes than later ones."""
    half_duplex_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of the exchanges of two ranks by blocking calls that went one direction after the other."""
    overlap: list[list[float]] = Field(default=[])
    """Overlap of computation and transfers, for some sizes: bytes, and the share of a transfer that goes on while its sender,
    and while its receiver, is outside MPI."""
    noise_quantiles: list[float] = Field(default=[])
    """Which quantiles the lists of `noise` hold."""
    intervals: dict[str, list[float]] = Field(default={})
    """Intervals of 95 % for values of this file, by their keys, such as "network.between_nodes[0].latency_s": low and high."""
    draws: dict[str, list[float]] = Field(default={})
    """Values that the same measurement could have given as well, by the keys of the file. The n-th values of all keys belong
    together."""
    noise: dict[str, list[float]] = Field(default={})
    """Quantiles of measured over fitted one-way times, by kind of path and number of the regime, such as "inside_node.0"."""
    slowdown: dict[str, list[float]] = Field(default={})
    """Time of several transfers at once over that of one alone, by case, number of transfers and bytes: the least, the
    median and the most."""
