# SPDX-License-Identifier: BSD-3-Clause
"""Broadcast and reduction on two sites, level by level and without regard to them.

Coti, Herault, Cappello 2008, section 4.2 and figure 6: 32 nodes on two sites, 136.08 Mb/s and 7.8 ms between,
894.39 Mb/s and 0.1 ms inside (the built-in platform grid2).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory

SIZES = [8 << step for step in range(20)]  # to 4 MiB
SLICE = 10_000  # bytes: "every 10 kB for messages of size 64 kB and beyond"


@pytest.fixture
def grid() -> Iterator[Laboratory]:
    with Laboratory("grid2", None, "node").open() as laboratory:
        yield laboratory


def seconds(grid: Laboratory, kind: str, size: int, algorithm: str) -> float:
    call = Call(kind, size, 32)
    return grid.time(call, _core.named_choice(grid.whole(call), algorithm))


@pytest.mark.parametrize("tree", ["binomial", "binomial_halving"])  # that of Open MPI, that of MPICH
def test_a_hierarchical_broadcast_is_never_slower_than_the_same_tree_without_levels(
    grid: Laboratory, tree: str
) -> None:
    for size in SIZES:
        standard = seconds(grid, "bcast", size, tree)
        assert seconds(grid, "bcast", size, f"hierarchical(inner={tree},outer={tree})") <= standard


def test_a_hierarchical_broadcast_in_slices_is_never_slower_than_the_standard_one(grid: Laboratory) -> None:
    for size in SIZES:
        standard = seconds(grid, "bcast", size, "binomial")
        slices = f":segment={SLICE}" if size >= 64_000 else ""
        hierarchical = seconds(grid, "bcast", size, f"hierarchical(inner=binomial,outer=binomial){slices}")
        assert hierarchical <= standard
        if size >= 512:  # 16 messages cross between the sites instead of one, and share the link
            assert hierarchical < standard


def test_slices_spare_a_broadcast_the_step_at_the_rendezvous(grid: Laboratory) -> None:
    size = 128 << 10  # from 64 KiB on a request and an answer cross between the sites first
    whole = seconds(grid, "bcast", size, "hierarchical(inner=binomial,outer=binomial)")
    sliced = seconds(grid, "bcast", size, f"hierarchical(inner=binomial,outer=binomial):segment={SLICE}")
    assert whole - sliced > 2 * 7.8e-3


def test_a_hierarchical_reduction_wins_for_short_messages_and_loses_for_long_ones(grid: Laboratory) -> None:
    # The standard one is a pipeline, as Open MPI's of that time for messages of this many bytes and ranks.
    def ratio(size: int) -> float:
        pipeline = "pipeline:segment=1KiB"
        hierarchical = seconds(grid, "reduce", size, f"hierarchical(inner={pipeline},outer=binomial)")
        return hierarchical / seconds(grid, "reduce", size, pipeline)

    ratios = {size: ratio(size) for size in SIZES}
    assert all(ratio < 1 for size, ratio in ratios.items() if size <= 32 << 10)
    assert all(ratio > 1 for size, ratio in ratios.items() if size >= 128 << 10)  # the paper: beyond about 100 kB
    assert ratios[8] < 0.9  # half of the hops inside a site
    assert ratios[4 << 20] > 1.3


@pytest.mark.parametrize(
    ("kind", "inner", "at_most"), [("allgather", "split_binary_tree:segment=8KiB", 0.75), ("alltoall", "linear", 0.95)]
)
def test_slices_of_all_blocks_are_on_all_levels_at_once(
    grid: Laboratory, kind: str, inner: str, at_most: float
) -> None:
    size = 256 << 10  # of each of 32 blocks: those of a site take 0.25 s between the sites, and as long inside
    whole = seconds(grid, kind, size, f"hierarchical(levels=site,inner={inner})")
    sliced = seconds(grid, kind, size, f"hierarchical(levels=site,inner={inner}):segment=4KiB")
    assert sliced < at_most * whole


def test_the_picture_of_the_documentation_is_what_would_be_drawn_now() -> None:
    script = Path(__file__).parents[2] / "bench" / "grid_plot.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}(to draw it anew: {script})"
