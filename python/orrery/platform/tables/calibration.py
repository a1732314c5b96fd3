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
    """What it is about, in a word: `residual`, `host load`, ..."""
    grade: Literal["usable", "poor"]
    """How good a calibration can be at most with which this was found."""
    found: str
    """What was found."""
    cure: str
    """What to do about it."""


class Verdict(Table):
    """What `orrery calibrate` thinks of its own result."""

    grade: Grade
    """`good`: nothing stands against it; `usable`: what the reasons name is uncertain; `poor`: predictions would be wrong, and
    commands that would make them ask for `--force`."""
    reasons: list[Reason] = Field(default=[], alias="reason")
    """What stands against it, the worst first, one `[[calibration.verdict.reason]]` each."""


class Calibration(Table):
    """How `orrery calibrate` came to the values of the file; the simulation does not use it."""

    verdict: Verdict | None = None
    """How far the values can be trusted; none in files of versions that did not judge."""
    date: str
    """When it was measured."""
    host: str
    """From where."""
    mpi: str
    """What the MPI library says that it is."""
    command: str
    """Command line that started the measuring ranks."""
    mpicc: str
    """What compiled them."""
    nodes: Annotated[int, Field(gt=0)]
    """Nodes that were measured. With one there was no network to measure, and the platform has one node only."""
    ranks_per_node: Annotated[int, Field(gt=0)]
    """Ranks on each."""
    budget_s: Seconds
    """Time that the measurement was given."""
    seed: int
    """Of the sizes that were drawn."""
    samples: Annotated[int, Field(ge=0)]
    """Numbers that were measured."""
    clock_drift_s_per_s: Annotated[float, Field(ge=0)] = 0.0
    """The largest between two nodes."""
    unsteadiness: Annotated[float, Field(ge=0)] = 0.0
    """How much longer the same arithmetic took at times, relative: 0.03 at most on a quiet machine."""
    arithmetic_s: Seconds = 0.0
    """What a fixed piece of arithmetic took: whether processors were as fast as in another calibration."""
    interrupted_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Part of that arithmetic's repetitions which waited for their processor."""
    disjoint_slowdown: Annotated[float, Field(ge=0)] = 1.0
    """Time of large messages of many pairs at once, each on links of its own, over that of one alone."""
    frame_load: Annotated[float, Field(ge=0)] = 0.0
    """Part of shared processors that handling frames takes while all nodes send at the full rate."""
    first_message_s: Seconds = 0.0
    """What the first message of a pair of ranks takes more than later ones."""
    half_duplex_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Part of the exchanges of a pair by blocking calls that went one direction after the other."""
    overlap: list[list[float]] = Field(default=[])
    """For some sizes: bytes, and the part of a transfer that goes on without calls at its sender and at its receiver."""
    noise_quantiles: list[float] = Field(default=[])
    """Which quantiles `noise` gives."""
    intervals: dict[str, list[float]] = Field(default={})
    """Confidence intervals of 95 % by key of this file."""
    draws: dict[str, list[float]] = Field(default={})
    """Values that the same measurement could have given as well, by key; the n-th of all keys belong together."""
    noise: dict[str, list[float]] = Field(default={})
    """Quantiles of measured over fitted times by KIND.REGIME."""
    slowdown: dict[str, list[float]] = Field(default={})
    """Transfers at once over one alone, least, median and most, by CASE.TRANSFERS.BYTES."""
