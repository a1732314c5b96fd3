# SPDX-License-Identifier: BSD-3-Clause
"""Placement of ranks: grids whose best mapping is known, capacities, groups, formats, and what a simulation says of them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import CALIBRATION
from harness import Sandbox
from orrery.collective.laboratory import Laboratory
from orrery.errors import InputError
from orrery.experiment.mapping import Hosts, place
from orrery.placement import partitioners
from orrery.placement.formats import read_back, text_for
from orrery.placement.grid import find_grid, tiles
from orrery.placement.level_bytes import bytes_by_level
from orrery.placement.matrix import TrafficMatrix
from orrery.placement.result import PlacementGain, PlacementOutcome
from orrery.placement.search import MappingSearch
from orrery.placement.session import placed
from orrery.placement.settings import Format, PlaceSettings

FORMATS: tuple[Format, ...] = (
    "orrery", "openmpi-rankfile", "hydra-hostfile", "slurm-arbitrary", "cray-reorder",
)  # fmt: skip

# Four cabinets of four nodes of four cores: 1 GB/s, and 0.1 GB/s between cabinets.
CABINETS = """
name = "cabinets"
description = "round numbers"
source = "made up"
model = "fluid"
[[cluster]]
name = "c"
cores = 4
bandwidth_bytes_per_s = "1GB/s"
latency_s = "5us"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "1us"
"""
CABINETS += (
    """[[cluster.cabinet]]
nodes = 4
uplink_bytes_per_s = "0.1GB/s"
latency_s = "20us"
"""
    * 4
)

NOISE = """
[[network.between_nodes]]
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
[network]
rate_noise = 0.05
"""
HALO = """
ranks = 64
[[phase]]
kind = "halo"
grid = [8, 8]
bytes = 100_000
repeat = 5
"""


def halo(*sizes: int, seed: int | None = None, wraps: bool = False, size: float = 1000) -> TrafficMatrix:
    """Each rank sends its neighbours in a grid a message; with a seed ranks have shuffled numbers."""
    ranks = int(np.prod(sizes))
    number = list(range(ranks))
    if seed is not None:
        random.Random(seed).shuffle(number)  # noqa: S311  no secret
    edges = []
    for rank in range(ranks):
        at = np.array(np.unravel_index(rank, sizes))
        for axis, step in ((axis, step) for axis in range(len(sizes)) for step in (-1, 1)):
            to = at.copy()
            to[axis] += step
            if wraps or 0 <= to[axis] < sizes[axis]:
                to[axis] %= sizes[axis]
                edges.append((number[rank], number[int(np.ravel_multi_index(tuple(to), sizes))], 1.0, size))
    return TrafficMatrix.of(ranks, edges)


@pytest.fixture
def cabinets(tmp_path: Path) -> Path:
    file = tmp_path / "cabinets.toml"
    file.write_text(CABINETS)
    return file


def as_csv(matrix: TrafficMatrix, file: Path) -> Path:
    rows = zip(matrix.sources, matrix.targets, matrix.messages, matrix.bytes, strict=True)
    file.write_text("source,target,messages,bytes\n" + "".join(f"{a},{b},{m:g},{n:g}\n" for a, b, m, n in rows))
    return file


Placing = Callable[..., PlacementOutcome]


@pytest.fixture
def place_on_cabinets(cabinets: Path, tmp_path: Path) -> Placing:
    """`place_on_cabinets(matrix, job="", ...)`: the text of a job profile, and settings of the search."""

    def search(matrix: TrafficMatrix, job: str = "", **more: Any) -> PlacementOutcome:
        if job:
            more["groups"] = tmp_path / "job.toml"
            more["groups"].write_text(job)
        return placed(PlaceSettings(source=as_csv(matrix, tmp_path / "m.csv"), platform=str(cabinets), **more))

    return search


@pytest.fixture
def noisy(sandbox: Sandbox) -> str:
    """A platform whose rates vary, beside a halo exchange as `halo.toml`."""
    (sandbox.folder / "halo.toml").write_text(HALO)
    file = sandbox.folder / "noisy.toml"
    file.write_text(CABINETS.replace('"fluid"', '"hybrid"') + NOISE)
    return str(file)


@pytest.mark.parametrize("seed", [None, 3])
def test_a_halo_of_8_x_8_is_tiled_in_cabinets_and_nodes_by_squares(
    place_on_cabinets: Placing, seed: int | None
) -> None:
    found = place_on_cabinets(halo(8, 8, seed=seed))
    # Quarters of 4 x 4: 2 x 8 pairs between cabinets; 2 x 2 on a node: 2 x 4 pairs between the nodes of each cabinet and
    # 4 inside of each node. A pair is two messages of 1,000 bytes.
    assert found.best.level_bytes == {"between_cabinets": 32e3, "between_nodes": 64e3, "inside_node": 128e3}
    assert Counter(found.best.host_of_rank) == dict.fromkeys(range(16), 4)


def test_grids_are_found_with_and_without_wraps_and_with_shuffled_ranks() -> None:
    for sizes in ((12,), (4, 6), (3, 4, 5)):
        for matrix in (halo(*sizes), halo(*sizes, seed=1)):
            grid = find_grid(matrix)
            assert grid is not None
            assert sorted(grid.sizes) == sorted(sizes)
            assert len(np.unique(grid.positions, axis=0)) == matrix.ranks
            steps = np.abs(grid.positions[matrix.sources] - grid.positions[matrix.targets]).sum(axis=1)
            assert (steps == 1).all()
    wrapped = find_grid(halo(4, 6, wraps=True))
    assert wrapped is not None
    assert wrapped.sizes == (4, 6)


def test_what_is_no_grid_is_not_taken_for_one() -> None:
    everyone = [(a, b, 1.0, 10.0) for a in range(12) for b in range(12) if a != b]
    assert find_grid(TrafficMatrix.of(12, everyone)) is None
    star = [(0, b, 1.0, 10.0) for b in range(1, 16)]
    assert find_grid(TrafficMatrix.of(16, star)) is None
    assert find_grid(TrafficMatrix.of(8, [(0, 1, 1.0, 0.0)])) is None


def test_tiles_have_the_least_surface_and_exact_sizes() -> None:
    grid = find_grid(halo(8, 4))
    assert grid is not None
    blocks = tiles(grid, np.arange(32), [8] * 4)
    for block in blocks:  # 8 x 4 in four: blocks of 4 x 2
        extent = grid.positions[block].max(axis=0) - grid.positions[block].min(axis=0) + 1
        assert sorted(extent) == [2, 4]
    uneven = tiles(grid, np.arange(32), [5, 20, 7])
    assert [len(block) for block in uneven] == [5, 20, 7]
    assert sorted(np.concatenate(uneven)) == list(range(32))


def test_the_levels_of_a_mapping_add_up_to_all_bytes(cabinets: Path) -> None:
    matrix, laboratory = halo(4, 4, 4, seed=5), Laboratory(str(cabinets), None, "slot", said=False)
    for mapping in ("slot", "node", "random:3"):
        hosts = place(64, Hosts.of(laboratory.hardware, mapping), mapping).host_of_rank
        assert sum(bytes_by_level(matrix, hosts, laboratory).values()) == matrix.all_bytes


def test_the_cost_is_that_of_the_model(cabinets: Path) -> None:
    # Two ranks in two cabinets, one message of 1,000,000 bytes: 2 x 5 us + 2 x 20 us and 10 ms on the uplinks. The cost is half
    # of that, the mean of two ranks, and the busier border has 1 MB on a full-duplex link of 0.1 GB/s in one direction: 5 ms.
    laboratory = Laboratory(str(cabinets), None, "slot", said=False)
    search = MappingSearch(TrafficMatrix.of(2, [(0, 1, 1.0, 1e6)]), laboratory, {0: 1, 4: 1}, None, 0)
    pairs_s, busiest_s = search.cost([0, 4])
    assert pairs_s == pytest.approx((50e-6 + 10e-3) / 2, rel=1e-3)
    assert busiest_s == pytest.approx(5e-3)


def test_no_node_has_more_ranks_than_cores_while_there_are_cores(place_on_cabinets: Placing) -> None:
    rng = np.random.default_rng(4)
    pairs = [(int(a), int(b), 1.0, float(n)) for a, b, n in rng.integers(0, 50, (300, 3)) if a != b]
    found = place_on_cabinets(TrafficMatrix.of(50, pairs))
    for mapping in found.tried:
        assert max(Counter(mapping.host_of_rank).values()) <= 4, mapping.name


def test_the_same_seed_gives_the_same_mapping(place_on_cabinets: Placing) -> None:
    first, second = (place_on_cabinets(halo(5, 7, seed=2), seed=7) for _ in range(2))
    assert first.hosts == second.hosts


def test_where_no_mapping_is_better_the_given_one_is_kept(place_on_cabinets: Placing) -> None:
    # Pairs of neighbours that are on one node already.
    pairs = TrafficMatrix.of(16, [(rank, rank ^ 1, 1.0, 1e5) for rank in range(16)])
    found = place_on_cabinets(pairs)
    assert found.kept
    assert found.hosts == [f"c-{1 + rank // 4}" for rank in range(16)]


def test_a_trace_is_simulated_under_each_mapping_and_the_best_is_given(sandbox: Sandbox, cabinets: Path) -> None:
    (sandbox.folder / "halo.toml").write_text(HALO)
    ended = sandbox.orrery("place", "halo.toml", "-p", str(cabinets), "--json", "-o", "it.ranks", "--map", "random:1")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["best"]["simulated_s"] == min(mapping["simulated_s"] for mapping in found["tried"])
    assert found["gain"]["low"] > 0.3
    gain = 1 - found["best"]["simulated_s"] / found["given"]["simulated_s"]
    assert found["gain"]["median"] == pytest.approx(gain)
    replayed = sandbox.orrery("replay", "halo.toml", "-p", str(cabinets), "--map", "file:it.ranks", "--json")
    assert json.loads(replayed.out)["simulated_s"] == found["best"]["simulated_s"]
    # `slot` is no better than it can be: rows of 4 of 8 x 8 on each node.
    assert found["best"]["level_bytes"]["between_cabinets"] < found["given"]["level_bytes"]["between_cabinets"]


def test_what_collectives_send_counts(sandbox: Sandbox, cabinets: Path) -> None:
    (sandbox.folder / "it.toml").write_text('ranks = 8\n[[phase]]\nkind = "allreduce"\nbytes = 80_000\n')
    ended = sandbox.orrery("place", "it.toml", "-p", str(cabinets), "--json")
    found, replayed = (
        json.loads(ended.out),
        json.loads(sandbox.orrery("replay", "it.toml", "-p", str(cabinets), "--json").out),
    )
    assert found["messages"] == replayed["messages"] > 0
    assert found["bytes"] == replayed["bytes"] > 0


def test_noise_makes_the_gain_an_interval(sandbox: Sandbox, noisy: str) -> None:
    settings = PlaceSettings(
        source=sandbox.folder / "halo.toml", platform=noisy, mapping="random:1", replicas=4, seed=3
    )
    gain = placed(settings).gain
    assert gain is not None
    assert 0 < gain.low < gain.median < gain.high < 1


def test_noise_has_the_seed_of_the_recording_unless_one_is_given(sandbox: Sandbox, noisy: str) -> None:
    assert sandbox.replay("halo.toml", "-p", noisy, "--seed", "7", "-o", "it.trace").code == 0
    times_s = []
    for options in ((), ("--seed", "0")):
        found = json.loads(sandbox.orrery("place", "it.trace", "--replicas", "1", "--json", *options).out)
        assert found["given"]["simulated_s"] == sandbox.replayed("it.trace", *options)["simulated_s"]
        times_s.append(found["given"]["simulated_s"])
    assert times_s[0] != times_s[1]


def test_a_platform_whose_calibration_is_poor_is_refused_without_force(sandbox: Sandbox) -> None:
    (sandbox.folder / "poor.toml").write_text(
        CABINETS
        + CALIBRATION
        + '[calibration.verdict]\ngrade = "poor"\n[[calibration.verdict.reason]]\nabout = "residual"\ngrade = "poor"\n'
        + 'found = "it is"\ncure = "measure anew"\n'
    )
    as_csv(halo(4, 4), sandbox.folder / "m.csv")
    refused = sandbox.orrery("place", "m.csv", "-p", "poor.toml")
    assert refused.code == 2
    assert refused.err.strip().endswith("--force")
    assert sandbox.orrery("place", "m.csv", "-p", "poor.toml", "--force").code == 0


def test_a_program_is_run_once_and_placed(sandbox: Sandbox, cabinets: Path) -> None:
    ended = sandbox.orrery("place", "-n", "6", "-p", str(cabinets), "--json", sandbox.program("ring"), "3")
    assert ended.code == 0, ended.err
    assert len(json.loads(ended.out)["hosts"]) == 6


def test_formats_are_read_back(tmp_path: Path) -> None:
    order = ["a", "b", "c"]
    hosts = ["b", "b", "a", "a", "c", "b", "a"]
    cores = [{"a": 4, "b": 2, "c": 8}[host] for host in hosts]
    for wanted in FORMATS:
        text = text_for(wanted, hosts, cores, order)
        assert read_back(wanted, text, order, dict(zip(hosts, cores, strict=True))) == hosts
    for wanted in ("orrery", "openmpi-rankfile", "hydra-hostfile"):  # `--map file:` takes these
        file = tmp_path / wanted
        file.write_text(text_for(wanted, hosts, cores, order))
        there = Hosts(cores=[4, 2, 8], names=order)
        assert place(7, there, f"file:{file}").host_of_rank == [order.index(host) for host in hosts]
    assert "rank 5=b slot=0" in text_for(
        "openmpi-rankfile", hosts, cores, order
    )  # two cores: the third rank begins again
    assert text_for("slurm-arbitrary", hosts, cores, order).splitlines()[1:] == hosts
    assert text_for("cray-reorder", hosts, cores, order).splitlines()[1:] == ["2,3,6", "0,1,5", "4"]


def test_how_a_file_is_used_is_told(sandbox: Sandbox) -> None:
    as_csv(halo(2, 2), sandbox.folder / "m.csv")
    for wanted, use in (
        ("slurm-arbitrary", "SLURM_HOSTFILE=it srun --distribution=arbitrary"),
        ("hydra-hostfile", "mpiexec -f it"),
    ):
        ended = sandbox.orrery("place", "m.csv", "--format", wanted, "-o", "it")
        assert ended.err == f"orrery: it: {use}\n"


def test_an_order_of_ranks_needs_nodes_that_have_as_many() -> None:
    with pytest.raises(InputError, match="--format cray-reorder: all nodes but the last"):
        text_for("cray-reorder", ["a", "b", "b"], [2, 2, 2], ["a", "b"])


def test_a_gain_is_that_of_pairs_of_replicas() -> None:
    assert PlacementGain.of([2.0], [1.5]) == PlacementGain(0.25, 0.25, 0.25)
    several = PlacementGain.of([2.0, 4.0, 1.0], [1.0, 3.0, 0.8])
    assert several.median == 0.25
    assert several.low == pytest.approx(0.205)
    assert several.high == pytest.approx(0.475)


def test_what_a_partitioner_puts_too_much_into_a_part_goes_where_there_is_room() -> None:
    assert Counter(partitioners.fitted([0, 0, 0, 0, 1, 1], [2, 2, 2])) == {0: 2, 1: 2, 2: 2}
    assert partitioners.fitted([1, 0, 1], [1, 2]) == [1, 0, 1]


GROUPS = """
[[group]]
name = "near"
processes = 16
{near}
[[group]]
name = "rest"
processes = "rest"
{rest}
"""


def test_a_group_that_asks_for_a_near_network_is_in_one_cabinet(place_on_cabinets: Placing) -> None:
    job = GROUPS.format(near='[group.inside]\nlatency_at_most_s = "10us"', rest="")
    found = place_on_cabinets(halo(8, 8, seed=4), job, mapping="node")
    assert len({host // 4 for host in found.best.host_of_rank[:16]}) == 1
    assert not found.given.fits


def test_groups_inside_of_a_near_one_divide_its_room(place_on_cabinets: Placing) -> None:
    near = '[group.inside]\nlatency_at_most_s = "10us"\n'
    inside = "".join(
        f'[[group.group]]\nname = "{name}"\nprocesses = 8\n[group.group.inside]\nlatency_at_most_s = "10us"\n'
        for name in "ab"
    )
    found = place_on_cabinets(halo(8, 8, seed=4), GROUPS.format(near=near + inside, rest=""))
    assert len({host // 4 for host in found.best.host_of_rank[:16]}) == 1


def test_a_mapping_with_too_many_ranks_on_a_node_does_not_fit(place_on_cabinets: Placing) -> None:
    found = place_on_cabinets(halo(4, 8), GROUPS.format(near="cores = 2", rest=""), mapping="slot")
    assert not found.given.fits  # four ranks on each node of four cores
    assert max(Counter(found.best.host_of_rank).values()) == 2


def test_only_mappings_whose_groups_are_near_each_other_as_asked_for_are_given(place_on_cabinets: Placing) -> None:
    # The search puts ranks eight apart on one node, in several cabinets; `slot` has all ranks in one cabinet.
    pairs = TrafficMatrix.of(16, [(rank, (rank + 8) % 16, 1.0, 1e5) for rank in range(16)])
    job = '[[group]]\nname = "a"\nprocesses = 8\n[[group]]\nname = "b"\n[[between]]\nlatency_at_most_s = "10us"\n'
    found = place_on_cabinets(pairs, job, mapping="node")
    assert {mapping.name: mapping.fits for mapping in found.tried} == {"search": False, "slot": True, "given": False}
    assert found.best.name == "slot"


@pytest.mark.parametrize(
    ("near", "said"),
    [
        ("speed_at_least = 3", r"job.toml:\d+: .*speed_at_least: group near wants 3; the best offered is 1"),
        ("cores = 8", "has room for 0 ranks of 8 cores"),
        ('[group.inside]\nlatency_at_most_s = "1ns"', r"latency_at_most_s: group near wants 1 ns; the best offered is"),
        ('[group.inside]\nrate_at_least_bytes_per_s = "5GB/s"', "rate_at_least_bytes_per_s: group near wants 5 GB/s"),
    ],
)
def test_what_a_platform_cannot_give_is_named(place_on_cabinets: Placing, near: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        place_on_cabinets(halo(8, 8), GROUPS.format(near=near, rest=""))


def test_a_network_between_groups_that_is_not_there_is_named(place_on_cabinets: Placing) -> None:
    job = GROUPS.format(near="", rest='[[between]]\nlatency_at_most_s = "1us"')
    with pytest.raises(InputError, match="between near and rest 1 us is wanted; the best offered is 50 us"):
        place_on_cabinets(halo(8, 8), job)
