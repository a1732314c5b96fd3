# SPDX-License-Identifier: BSD-3-Clause
"""A run says when other programs used the processors on which its computation was measured."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

from harness import Sandbox
from orrery.run.host_load import HostLoad, cautions_of, used_in

_TEXT = "cpu  100 20 30 4000 500 6 7 8 90 10\ncpu0 100 20 30 4000 500 6 7 8 90 10\n"


def test_used_time_is_all_but_idle_and_waiting_and_counts_guests_once() -> None:
    assert used_in(_TEXT, 100) == pytest.approx((100 + 20 + 30 + 6 + 7 + 8) / 100)


@pytest.mark.parametrize("text", ["", "intr 1 2 3\n", "cpu 1 2\n", "cpu a b c d e f\n"])
def test_a_text_that_does_not_say_it_is_no_load(text: str) -> None:
    with pytest.raises(ValueError, match="does not begin with all processors"):
        used_in(text, 100)


def test_what_others_used_is_what_all_used_less_ones_own() -> None:
    before = HostLoad(used_s=1_000.0, own_s=50.0, at_s=10.0)
    assert HostLoad(used_s=1_006.0, own_s=53.0, at_s=12.0).others_since(before) == pytest.approx(1.5)
    assert HostLoad(used_s=1_006.0, own_s=53.0, at_s=10.1).others_since(before) is None
    assert HostLoad(used_s=None, own_s=53.0, at_s=12.0).others_since(before) is None
    assert HostLoad(used_s=1_001.0, own_s=53.0, at_s=12.0).others_since(before) == 0.0


def test_little_load_is_not_spoken_of() -> None:
    assert cautions_of(None) == []
    assert cautions_of(0.1) == []
    assert f"used 1.5 of this host's {os.cpu_count()} processors" in cautions_of(1.5)[0]


def test_a_run_beside_busy_loops_says_so(sandbox: Sandbox) -> None:
    with ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        ended = sandbox.run(4, "halo", "128", "2000")
        assert any("other programs used" in caution for caution in ended.record["cautions"])
        ended = sandbox.run(4, "halo", "128", "2000", options=("--compute", "none"))
        assert not any("other programs used" in caution for caution in ended.record["cautions"])
