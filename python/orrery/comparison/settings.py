# SPDX-License-Identifier: BSD-3-Clause
"""What a user can ask of comparisons: of two runs or platforms, and of two selectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from orrery.experiment.settings import DEFAULT_MAPPING, SimulationSettings
from orrery.platform.find import DEFAULT
from orrery.verbs import same, setting

USUAL = ("bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
"""The collectives that programs use most."""
RANKS = "16"


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest:
    """Runs or platforms, and what is said of them."""

    given: Annotated[Sequence[str], setting(metavar="A [A...] [vs] B [B...]", kind="words")]
    """Two files or names, or several runs of each side with `vs` between the sides."""
    per_rank: Annotated[bool, setting("--per-rank")] = False
    """Show all ranks of runs, not only those that differ most."""
    paired: Annotated[bool, setting("--paired")] = False
    """The n-th of several runs of A and the n-th of B have their noise in common, as replays of one recording have."""
    turns: Annotated[bool | None, setting("--turns/--no-turns", shown_default=False)] = None
    """Say which values that nobody measured turn the verdict on two simulations of one platform, by replays with
    others, however long that takes; by default where it takes some seconds."""


@dataclass(frozen=True, kw_only=True)
class SelectorsRequest:
    """Two selectors, and the calls that they are asked for."""

    first: Annotated[str, setting(metavar="A")]
    """A selector, such as openmpi-4.1, or a rules file of an MPI."""
    second: Annotated[str, setting(metavar="B")]
    """The other one."""
    ranks: Annotated[str, setting("-n", "-np", "--ranks", metavar="N,...", kind="numbers")] = RANKS
    """Numbers of ranks."""
    sizes: Annotated[str | None, setting("-s", "--size", metavar="BYTES,...", kind="numbers")] = None
    """Sizes, as `orrery collective` has them, such as 8,64KiB or 8:1M; by default 8 to 1 MiB."""
    collectives: Annotated[Sequence[str], setting("--collective", metavar="KIND", kind="words")] = ()
    """Collective, such as allreduce; may be repeated. By default the seven most used."""
    platform: Annotated[str, same(SimulationSettings)] = DEFAULT
    mapping: Annotated[str, same(SimulationSettings)] = DEFAULT_MAPPING
