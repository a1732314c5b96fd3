# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any

import pytest

from harness import Sandbox
from orrery.trace.workload import balanced


def _replay(sandbox: Sandbox, text: str, *options: str) -> dict[str, Any]:
    (sandbox.folder / "workload.toml").write_text(text)
    return sandbox.replayed("workload.toml", *options)


@pytest.mark.parametrize(
    ("phase", "ranks", "messages"),
    [
        ('kind = "halo"\ngrid = [4, 4]\nbytes = ["1KiB", 10]', 16, 64),
        ('kind = "halo"\nperiodic = false\ndimensions = 1', 16, 30),
        ('kind = "wavefront"\ngrid = [4, 4]\nplanes = 5\nsweeps = 4\nplane_s = "1us"', 16, 5 * 4 * 24),
        ('kind = "master-worker"\ntasks = 40\ntask_imbalance = 0.5', 8, 2 * 40 + 7),
        ('kind = "compute"\ncompute_s = 1', 4, 0),
    ],
)
def test_patterns_send_the_messages_that_they_are_made_of(
    sandbox: Sandbox, phase: str, ranks: int, messages: int
) -> None:
    assert _replay(sandbox, f"ranks = {ranks}\n[[phase]]\n{phase}\n")["messages"] == messages


def test_all_collectives_come_to_their_ends(sandbox: Sandbox) -> None:
    kinds = ["barrier", "bcast", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"]  # fmt: skip
    phases = "".join(f'[[phase]]\nkind = "{kind}"\nbytes = 800\n' for kind in kinds)
    record = _replay(sandbox, f"ranks = 7\n{phases}")
    assert len(record["algorithms"]) == len(kinds)


def test_steps_and_seeds(sandbox: Sandbox) -> None:
    text = 'ranks = 9\nsteps = {steps}\n[[phase]]\nkind = "random"\nmessages = 10\nbytes = "1MiB"\nseed = {seed}\n'
    once, again = (_replay(sandbox, text.format(steps=2, seed=1)) for _ in range(2))
    other = _replay(sandbox, text.format(steps=2, seed=2))
    assert once["simulated_s"] == again["simulated_s"] != other["simulated_s"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('ranks = 4\n[[phase]]\nkind = "halo"\nbites = 3\n', ":4: phase[0].bites"),
        ('ranks = 4\n[[phase]]\nkind = "haloo"\n', ":2: phase[0]"),
        ('ranks = 0\n[[phase]]\nkind = "halo"\n', ":1: ranks"),
        ('ranks = 4\n[[phase]]\nkind = "halo"\ngrid = [3, 2]\n', "toml: phase[0].grid: 3 x 2 = 6 points"),
        ('ranks = 4\n[[phase]]\nkind = "bcast"\nroot = 4\n', "toml: phase[0].root: 4, and there are 4 ranks"),
        ("ranks = 4\n", "phase"),
        ("ranks = \n", "not TOML"),
    ],
)
def test_mistakes_are_named_with_key_and_line(sandbox: Sandbox, text: str, complaint: str) -> None:
    path = sandbox.folder / "bad.toml"
    path.write_text(text)
    ended = sandbox.orrery("replay", str(path))
    assert ended.code == 2
    assert complaint in ended.err
    assert ended.err.count("\n") == 1


def test_grids_are_as_even_as_they_can_be() -> None:
    assert balanced(64, 3) == [4, 4, 4]
    assert balanced(1_000_000, 3) == [100, 100, 100]
    assert balanced(7, 2) == [7, 1]
    assert balanced(12, 2) == [4, 3]


def test_many_ranks_are_summed_as_few_are(sandbox: Sandbox) -> None:
    text = 'ranks = {ranks}\n[[phase]]\nkind = "halo"\ndimensions = 1\nbytes = 100\n[[phase]]\nkind = "allreduce"\n'
    few, many = (_replay(sandbox, text.format(ranks=ranks), "--ideal")["profile"] for ranks in (16_384, 32_768))
    assert len(few["per_rank"]) > 16_384
    assert many["per_rank"] == []
    assert [row["name"] for row in few["summed"]] == [row["name"] for row in many["summed"]]
    assert [2 * row["calls"] for row in few["summed"]] == [row["calls"] for row in many["summed"]]
    assert few["summed"][0]["subrs"] * 2 == many["summed"][0]["subrs"]
