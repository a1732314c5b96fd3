# SPDX-License-Identifier: BSD-3-Clause
"""What programs and tools read through MPI_T of the run that they are in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    place = Sandbox(tmp_path, tmp_path)
    yield place
    assert place.left_behind() == []


def test_settings_are_control_variables_and_what_a_rank_sent_performance_variables(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "tool", options=("--compute", "none", "--clock", "host"))
    assert ended.code == 0, ended.err
    told = dict(line.split(" ", 1) for line in ended.out.splitlines())
    assert told["ranks"] == "2"
    assert told["clock"] == "host"
    assert told["compute"] == "none"
    assert told["host"] == "node-1"
    assert int(told["buffered_limit"]) > 0
