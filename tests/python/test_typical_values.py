# SPDX-License-Identifier: BSD-3-Clause
"""Whether a simulation used values that nothing says were measured is decided by the platform's keys, not by words of its source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.collective.laboratory import Laboratory
from orrery.platform.find import builtin_names
from orrery.platform.load import load
from orrery.platform.prepared import prepare
from orrery.platform.typical import caution_of_typical
from orrery.platform.unmeasured import unmeasured_keys
from platform_by_hand import platform_by_hand

_SAID = "parts of the platform are typical, not measured"
_EVIDENCE = Path(__file__).parent.parent / "evidence"
_STORAGE = """
[storage]
servers = 1
read_bandwidth_bytes_per_s = "1GB/s"
write_bandwidth_bytes_per_s = "1GB/s"
latency_s = "1ms"
metadata_latency_s = "1ms"
node_bandwidth_bytes_per_s = "1GB/s"
"""
_ALL = 'measured = ["cluster", "network", "compute"]'


def _file(folder: Path, head: str) -> str:
    (folder / "p.toml").write_text(platform_by_hand(head, tables=_STORAGE))
    return str(folder / "p.toml")


@pytest.mark.parametrize(
    ("head", "is_said"),
    [
        ("", True),
        ('source = "my guess"', True),
        ('source = "typical values"', True),
        ('source = "measured by me"', True),
        ('source = "from a friend, who says that some were not measured"\n' + _ALL, False),
        ('measured = ["cluster.latency_s", "network"]', True),
        (_ALL, False),
    ],
)
def test_no_word_of_the_source_adds_or_removes_the_caution(sandbox: Sandbox, head: str, *, is_said: bool) -> None:
    platform = _file(sandbox.folder, head)
    (sandbox.folder / "it.toml").write_text('ranks = 2\n[[phase]]\nkind = "barrier"\n')
    record = sandbox.replayed("it.toml", "-p", platform)
    predicted = json.loads(
        sandbox.orrery("collective", "allreduce", "-n", "2", "-s", "8", "-p", platform, "--json").out
    )
    for cautions in (record["cautions"], predicted["cautions"]):
        assert any(_SAID in caution for caution in cautions) == is_said


def test_files_are_a_reason_only_where_they_are_accessed(tmp_path: Path) -> None:
    platform = prepare(_file(tmp_path, _ALL))
    assert caution_of_typical(platform, "hybrid") == []
    assert caution_of_typical(platform, "hybrid", files=True) != []


def test_a_model_that_does_not_read_a_table_is_not_cautioned_for_it(tmp_path: Path) -> None:
    platform = prepare(_file(tmp_path, 'measured = ["cluster", "compute"]'))
    assert caution_of_typical(platform, "hybrid") != []
    assert caution_of_typical(platform, "fluid") == []


@pytest.mark.parametrize("name", builtin_names())
def test_a_builtin_platform_is_cautioned(name: str) -> None:
    """None of them is measured in all of its values; those of a study say of some that they were published."""
    (caution,) = [caution for caution in Laboratory(name, None, "node").cautions([2]) if "typical" in caution]
    assert caution == f"{_SAID}, as far as its key `measured` says: trust comparisons more than figures"


def test_a_calibration_is_cautioned_where_it_had_one_rank_on_each_node() -> None:
    file = str(_EVIDENCE / "2026-11-25-12h-openmpi" / "platform.toml")
    platform = prepare(file)
    assert "inside a node: typical, not measured" in platform["source"]
    assert caution_of_typical(platform, "hybrid") == [f"{_SAID}: trust comparisons more than figures"]


def test_a_calibration_of_several_ranks_on_each_node_is_not() -> None:
    """What it lacks is the cost of starting ranks, which few programs do."""
    plain = load(str(_EVIDENCE / "2026-11-25-12h-openmpi" / "platform.toml")).model_dump()
    plain["calibration"]["draws"]["network.inside_node[0].send_overhead_s"] = [1e-7]
    plain["source"] = "of nobody knows whom: not measured"
    assert caution_of_typical(plain | {"unmeasured": unmeasured_keys(plain)}, "hybrid") == []
