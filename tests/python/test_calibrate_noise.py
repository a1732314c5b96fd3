# SPDX-License-Identifier: BSD-3-Clause
"""What interrupts computation on nodes: from samples that are known, and from simulated nodes whose noise is known."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness import Sandbox
from noisy_nodes import noisy_nodes
from orrery.calibrate.fit.node.interruptions import interruptions_of
from orrery.calibrate.measure.results import CalibrationExperiment, CalibrationResults, CalibrationSample, read


def _noise(*ranks: Mapping[int, tuple[int, float]], window_s: float = 1.0) -> CalibrationResults:
    """Results from each rank's interruptions: by length, how many there were, and their seconds together."""
    samples = []
    for rank, lengths in enumerate(ranks):
        samples.append(CalibrationSample("window", rank, rank, 0, 0, window_s))
        for from_ns, (count, seconds) in lengths.items():
            samples.append(CalibrationSample("interruptions", rank, rank, from_ns, 0, float(count)))
            samples.append(CalibrationSample("interrupted", rank, rank, from_ns, 0, seconds))
    return CalibrationResults([CalibrationExperiment("noise", "noise", {"window_us": "1000000"}, samples, done=True)])


def test_kinds_are_those_of_all_ranks_together() -> None:
    tick, daemon = interruptions_of(_noise({2000: (250, 1e-3), 128000: (6, 3e-3)}, {2000: (150, 0.6e-3)}))
    assert (tick.count, daemon.count) == (400, 6)
    assert [tick.every_s, tick.takes_s] == pytest.approx([2 / 400, 4e-6])
    assert [daemon.every_s, daemon.takes_s] == pytest.approx([2 / 6, 500e-6])


def test_rare_lengths_join_their_neighbours_so_that_the_share_of_time_stays() -> None:
    kinds = interruptions_of(_noise({500: (2, 2e-6), 2000: (250, 1e-3), 32000: (3, 0.2e-3), 512000: (1, 0.9e-3)}))
    assert [kind.count for kind in kinds] == [256]
    assert kinds[0].share == pytest.approx(2e-6 + 1e-3 + 0.2e-3 + 0.9e-3)


def test_fewer_than_five_interruptions_are_none() -> None:
    assert interruptions_of(_noise({2000: (3, 1e-5), 512000: (1, 1e-3)})) == ()
    assert interruptions_of(_noise({})) == ()
    assert interruptions_of(CalibrationResults([])) == ()


def test_the_noise_of_simulated_nodes_is_found_again(sandbox: Sandbox) -> None:
    """1 s of four ranks has 80 interruptions of 5 ms. What disturbs this host comes on top, and is hardly ever as long."""
    prefix = Path(sandbox.orrery("prefix").out.strip())
    sources = [str(source) for source in sorted((prefix / "measure" / "bench").glob("*.c"))]
    bench = sandbox.folder / "bench"
    subprocess.run([str(prefix / "bin" / "mpicc"), "-O2", *sources, "-o", str(bench), "-lm"], check=True)
    (sandbox.folder / "p.toml").write_text(noisy_nodes((50e-3, 5e-3)))
    (sandbox.folder / "plan").write_text("n noise window_us=1000000\n")
    on = ("--platform", "p.toml", "--map", "node", "--compute", "cpu")
    ended = sandbox.orrery("run", "-n", "4", *on, str(bench), "plan", "results")
    assert ended.code == 0, ended.err
    kinds = interruptions_of(read(sandbox.folder / "plan", sandbox.folder / "results"))
    (found,) = (kind for kind in kinds if 2.048e-3 <= kind.takes_s < 8.192e-3)
    assert found.every_s == pytest.approx(50e-3, rel=0.1)
    assert found.takes_s == pytest.approx(5e-3, rel=0.1)
