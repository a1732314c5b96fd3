# SPDX-License-Identifier: BSD-3-Clause
"""Time-outs of crowded switches, the first message of a pair, and data that come before their receive."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import PLAIN_HYBRID
from harness import Sandbox
from orrery import _core
from orrery.collective.call import Call
from orrery.collective.laboratory import Laboratory

# 1 us from node to node, 1 GB/s; a fifth message to one port waits 0.2 s.
CROWDED = (
    PLAIN_HYBRID
    + """
[transport.timeouts]
flows = 4
probability = 1.0
"""
)


def test_a_gather_of_many_runs_into_time_outs_and_the_report_says_so(sandbox: Sandbox) -> None:
    platform = sandbox.folder / "crowded.toml"
    platform.write_text(CROWDED, encoding="utf-8")

    def gathered(ranks: int) -> str:
        options = ("-n", str(ranks), "-s", "1MiB", "-p", str(platform), "--algorithm", "linear")
        ended = sandbox.finish(sandbox.start("collective", "gather", *options))
        assert ended.code == 0, ended.err
        return ended.out

    assert "time-outs" not in gathered(5)
    assert "time-outs of crowded switches acted in 1 predictions, on 3 messages" in gathered(8)


def test_time_outs_of_a_run_are_counted(sandbox: Sandbox) -> None:
    platform = sandbox.folder / "crowded.toml"
    platform.write_text(CROWDED.replace("flows = 4", "flows = 1"), encoding="utf-8")
    run = sandbox.run(8, "wildcard", options=("-p", str(platform), "--map", "node", "--compute", "none"))
    assert run.code == 0, run.err
    assert run.record["stalled"] > 0
    assert run.record["stalled_s"] == pytest.approx(0.2 * run.record["stalled"])
    assert "lost in crowded switches waited" in run.err


def test_the_first_message_of_two_ranks_takes_longer(tmp_path: Path) -> None:
    platform = tmp_path / "first.toml"
    call = Call("allgather", 1000, 4)

    def time_of(first_s: str) -> float:
        platform.write_text(PLAIN_HYBRID + f"[transport]\nconnection_setup_s = {first_s}\n", encoding="utf-8")
        with Laboratory(str(platform), None, "node").open() as laboratory:
            return laboratory.time(call, _core.named_choice(call.core(0), "ring"))

    # Each rank meets both its neighbours in the first of three steps.
    assert abs(time_of("1e-3") - time_of("0.0") - 1e-3) < 1e-9
