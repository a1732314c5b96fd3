# SPDX-License-Identifier: BSD-3-Clause
"""Noise of the platform's nodes (`[[node.noise]]`), and what it does to programs that synchronise their ranks."""

from __future__ import annotations

from typing import Any

import pytest

from harness import Sandbox
from noisy_nodes import noisy_nodes

_WORK_S, _STEPS = 200e-6, 2000
_EVERY_S, _TAKES_S = 10e-3, 10e-6


def _simulated(
    sandbox: Sandbox, ranks: int, kinds: list[tuple[float, float]], *more: str, steps: int = _STEPS
) -> dict[str, Any]:
    """Steps of equal work with a barrier after each, over a network that costs next to nothing."""
    (sandbox.folder / "p.toml").write_text(noisy_nodes(*kinds))
    (sandbox.folder / "w.toml").write_text(
        f'ranks = {ranks}\nsteps = {steps}\n\n[[phase]]\nkind = "barrier"\ncompute_s = {_WORK_S}\n'
    )
    return sandbox.replayed("w.toml", "--platform", "p.toml", "--map", "node", *more)


_NOISE = [(_EVERY_S, _TAKES_S)]


@pytest.mark.parametrize("ranks", [1, 16, 128])
def test_steps_last_as_long_as_the_rank_that_is_interrupted(sandbox: Sandbox, ranks: int) -> None:
    """The share that noise takes of one rank is 0.1 %; of many ranks one is interrupted in nearly each step."""
    quiet_s = _simulated(sandbox, ranks, [])["simulated_s"]
    noisy_s = _simulated(sandbox, ranks, _NOISE)["simulated_s"]
    expected_s = _STEPS * _TAKES_S * (1 - (1 - _WORK_S / _EVERY_S) ** ranks)
    assert noisy_s - quiet_s == pytest.approx(expected_s, rel=0.1)


def test_at_scale_the_longest_interruption_counts_however_rare_it_is(sandbox: Sandbox) -> None:
    """Beckman et al. 2006, doi:10.1109/CLUSTR.2006.311846. One kind takes 1 % in short pieces, the other 0.02 % in long ones."""
    often, rare = [(1e-3, 10e-6)], [(1.0, 200e-6)]
    added = {}
    for ranks in (4, 512):
        quiet_s = _simulated(sandbox, ranks, [], steps=300)["simulated_s"]
        for name, kinds in (("often", often), ("rare", rare)):
            added[ranks, name] = _simulated(sandbox, ranks, kinds, steps=300)["simulated_s"] - quiet_s
    assert added[4, "often"] > 3 * added[4, "rare"]
    assert added[512, "rare"] > added[512, "often"]


def test_noise_is_drawn_with_the_seed_and_the_same_each_time(sandbox: Sandbox) -> None:
    first = _simulated(sandbox, 16, _NOISE)
    assert first["noisy"] is True
    assert _simulated(sandbox, 16, _NOISE)["simulated_s"] == first["simulated_s"]
    assert _simulated(sandbox, 16, _NOISE, "--seed", "7")["simulated_s"] != first["simulated_s"]


@pytest.mark.parametrize(("takes", "heavy"), [('"10"', True), ("10.0", True), ('"10us"', False)])
def test_noise_that_takes_most_of_a_processor_is_cautioned_with_its_keys_and_the_likely_cause(
    sandbox: Sandbox, takes: str, *, heavy: bool
) -> None:
    (sandbox.folder / "p.toml").write_text(noisy_nodes((12.0, 5e-3)).replace("takes_s = 0.005", f"takes_s = {takes}"))
    (sandbox.folder / "w.toml").write_text('ranks = 2\nsteps = 2\n\n[[phase]]\nkind = "barrier"\n')
    said = 'node.noise takes 83% of each processor, most by takes_s of 10 s in every_s of 12 s: a number alone is seconds; write "10us"'
    for line in (("platform", "show", "p.toml"), ("replay", "w.toml", "-p", "p.toml")):
        ended = sandbox.orrery(*line)
        assert ended.code == 0, ended.err
        assert (said in ended.out) == heavy, ended.out


def test_noise_that_takes_all_of_a_processor_is_refused(sandbox: Sandbox) -> None:
    (sandbox.folder / "p.toml").write_text(noisy_nodes((1e-3, 1e-3)))
    ended = sandbox.orrery("platform", "show", "p.toml")
    assert ended.code == 2
    assert "takes all of a processor: the sum of takes_s / every_s is 1, and has to be below 1" in ended.err
