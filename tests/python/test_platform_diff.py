# SPDX-License-Identifier: BSD-3-Clause
"""Two platform files, and whether what differs is more than their calibrations leave open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import CALIBRATION
from orrery.cli.app import main
from orrery.errors import InputError
from orrery.platform.difference import ComparedValue, ValueDifference, compare
from orrery.platform.draws import count_of, drawn
from orrery.platform.load import load
from orrery.platform.schema import Platform

# Two regimes: 10 us and 1 ns per byte up to 1,000 bytes, then 12 us. The sets say 9 to 11 us for the first.
CLUSTER = (
    """
name = "c"
[[cluster]]
name = "c"
nodes = 4
cores = 1
bandwidth_bytes_per_s = {rate}
latency_s = 1e-6
memory_bandwidth_bytes_per_s = 1e9
memory_latency_s = 0
[transport.connections.queue]
depth_bytes = {queue}
[[network.between_nodes]]
end_bytes = {end}
protocol = "asynchronous"
send_overhead_s = {overhead}
send_overhead_s_per_byte = 1e-9
[[network.between_nodes]]
protocol = "synchronous"
send_overhead_s = 12e-6
[[network.inside_node]]
protocol = "asynchronous"
"""
    + CALIBRATION
    + """[calibration.intervals]
"cluster[0].bandwidth_bytes_per_s" = [{low}, {high}]
[calibration.draws]
"network.between_nodes[0].send_overhead_s" = [9e-6, 10e-6, 11e-6]
"cluster[0].bandwidth_bytes_per_s" = [0.9e9, 1e9, 1.1e9]
"transport.connections.queue.depth_bytes" = [100.4, 200.6, 300.0]
"""
)
VALUES: dict[str, Any] = {"rate": 1e9, "low": 0.9e9, "high": 1.1e9, "queue": 200, "end": 1001, "overhead": 10e-6}


def _file(tmp_path: Path, name: str, **values: Any) -> str:
    path = tmp_path / f"{name}.toml"
    path.write_text(CLUSTER.format(**VALUES | values), encoding="utf-8")
    return str(path)


def _found(tmp_path: Path, **values: Any) -> dict[str, ValueDifference]:
    first, second = load(_file(tmp_path, "a")), load(_file(tmp_path, "b", **values))
    return {difference.key: difference for difference in compare(first, second)}


def _verdicts(tmp_path: Path, **values: Any) -> dict[str, str]:
    """The verdicts on what is not equal, by key."""
    return {
        key: difference.verdict
        for key, difference in _found(tmp_path, **values).items()
        if difference.verdict != "equal"
    }


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (ComparedValue(1.0, 0.9, 1.1), ComparedValue(1.2, 1.1, 1.3), "within"),
        (ComparedValue(1.0, 0.9, 1.1), ComparedValue(1.2, 1.15, 1.3), "apart"),
        (
            ComparedValue(1.0, 0.9, 1.1),
            ComparedValue(1.05),
            "within",
        ),  # a number without an interval is taken at its word
        (ComparedValue(1.0, 0.9, 1.1), ComparedValue(1.2), "apart"),
        (ComparedValue(1), ComparedValue(2), "apart"),
        (ComparedValue("d-mod-k"), ComparedValue("random"), "apart"),
        (ComparedValue(None), ComparedValue(1001), "apart"),
        (
            ComparedValue(1.0, 1.1, 1.2),
            ComparedValue(0.95, 0.9, 1.0),
            "within",
        ),  # the value belongs to its interval in any case
    ],
)
def test_values_are_within_when_their_intervals_have_something_in_common(
    first: ComparedValue, second: ComparedValue, verdict: str
) -> None:
    assert ValueDifference("k", first, second).verdict == verdict
    assert ValueDifference("k", second, first).verdict == verdict
    assert ValueDifference("k", first, first).verdict == "equal"


def test_a_rate_is_compared_by_the_intervals_that_are_stated(tmp_path: Path) -> None:
    key = "cluster[0].bandwidth_bytes_per_s"
    assert _verdicts(tmp_path, rate=1.15e9, low=1.05e9, high=1.2e9)[key] == "within"
    assert _verdicts(tmp_path, rate=1.3e9, low=1.2e9, high=1.4e9)[key] == "apart"
    assert _verdicts(tmp_path) == {}


def test_what_has_no_interval_has_to_be_equal(tmp_path: Path) -> None:
    assert _verdicts(tmp_path, queue=201) == {"transport.connections.queue.depth_bytes": "apart"}


def test_regimes_are_compared_by_what_messages_cost(tmp_path: Path) -> None:
    found = _found(tmp_path, overhead=11.5e-6)
    # 2.5 % and 97.5 % of 9, 10, 11 us are 9.05 and 10.95 us, for either platform: its own value of 11.5 us is beyond that.
    overhead = found["network.between_nodes.send_overhead_s of 64 B"]
    assert overhead.first.value == pytest.approx(10.064e-6)
    assert (overhead.first.low, overhead.first.high) == pytest.approx((9.114e-6, 11.014e-6))
    assert overhead.verdict == "within"
    assert overhead.about == "processors"
    assert found["network.between_nodes.send_overhead_s of 4096 B"].verdict == "equal"
    # 4,096 bytes at 1 GB/s, and twice 1 us.
    transfer = found["network.between_nodes.transfer_s of 4096 B"]
    assert transfer.first.value == pytest.approx(6.096e-6)
    assert (transfer.first.low, transfer.first.high) == pytest.approx(
        (2e-6 + 4.096e-6 / 1.095, 2e-6 + 4.096e-6 / 0.905), rel=1e-3
    )
    assert transfer.about == "network"


def test_where_a_protocol_ends_is_exact(tmp_path: Path) -> None:
    assert _verdicts(tmp_path, end=1002) == {"network.between_nodes.asynchronous_end_bytes": "apart"}


def test_values_that_belong_together_are_put_in_place_together(tmp_path: Path) -> None:
    plain = load(_file(tmp_path, "a")).model_dump()
    assert count_of(plain) == 3
    second = drawn(plain, 4)  # the sets are used again
    assert second["network"]["between_nodes"][0]["send_overhead_s"] == 10e-6
    assert second["clusters"][0]["bandwidth_bytes_per_s"] == 1e9
    assert second["transport"]["connections"]["queue"]["depth_bytes"] == 201  # a whole number
    assert plain["transport"]["connections"]["queue"]["depth_bytes"] == 200


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"network.between_nodes[7].latency_s" = [1, 2, 3]', "no number of this platform has this key"),
        ('"transport.connections.queue" = [1, 2, 3]', "no number of this platform"),
        ('"network.burst_bytes" = [1, 2]', "expected 3 values"),
    ],
)
def test_sets_that_do_not_fit_are_told_with_their_key(tmp_path: Path, line: str, said: str) -> None:
    path = Path(_file(tmp_path, "a"))
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=said):
        load(str(path))


def test_the_exit_code_says_whether_anything_is_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def diff(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["orrery", "platform", "diff", *arguments])
        return main()

    first = _file(tmp_path, "a")
    near, far = _file(tmp_path, "b", overhead=10.5e-6), _file(tmp_path, "c", queue=999)
    assert diff(first, near) == 0
    assert "within" in capsys.readouterr().out
    assert diff(first, far, "--json") == 1
    report = {difference["key"]: difference for difference in json.loads(capsys.readouterr().out)}
    assert report["transport.connections.queue.depth_bytes"]["verdict"] == "apart"
    assert report["network.burst_bytes"]["verdict"] == "equal"
    assert diff("graphene", "graphene") == 0
    assert diff("graphene", "grid2") == 1  # other clusters altogether
    assert diff(first, "nowhere.toml") == 2


def _slower(tmp_path: Path) -> tuple[Platform, Platform]:
    """Two calibrations; during the second one processors took 1.5 times as long for everything."""
    first = CLUSTER.format(**VALUES).replace("samples = 1\n", "samples = 1\narithmetic_s = 4e-3\n")
    second = first.replace("arithmetic_s = 4e-3", "arithmetic_s = 6e-3")
    for before, after in (
        ("= 1e-05", "= 1.5e-05"),
        ("= 12e-6", "= 18e-6"),
        ("[9e-6, 10e-6, 11e-6]", "[13.5e-6, 15e-6, 16.5e-6]"),
        ("send_overhead_s_per_byte = 1e-9", "send_overhead_s_per_byte = 1.5e-9"),
    ):
        assert before in second
        second = second.replace(before, after)
    paths = [tmp_path / "first.toml", tmp_path / "second.toml"]
    for path, text in zip(paths, (first, second), strict=True):
        path.write_text(text, encoding="utf-8")
    return load(str(paths[0])), load(str(paths[1]))


def test_what_only_a_slower_host_made_longer_is_the_same_at_one_pace(tmp_path: Path) -> None:
    first, second = _slower(tmp_path)
    assert {difference.about for difference in compare(first, second) if difference.verdict == "apart"} == {
        "processors"
    }
    for difference in compare(first, second, same_pace=True):
        assert not difference.key.endswith(".speed")
        assert difference.first.value == difference.second.value or difference.second.value == pytest.approx(
            difference.first.value
        ), difference.key
        if difference.key == "network.between_nodes.send_overhead_s of 64 B":
            assert (difference.second.low, difference.second.high) == pytest.approx((9.114e-6, 11.014e-6))


def test_a_faster_network_is_not_explained_by_the_pace(tmp_path: Path) -> None:
    first, second = _slower(tmp_path)
    path = tmp_path / "second.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("depth_bytes = 200", "depth_bytes = 300"), encoding="utf-8"
    )
    second = load(str(path))
    assert [
        difference.key for difference in compare(first, second, same_pace=True) if difference.verdict == "apart"
    ] == ["transport.connections.queue.depth_bytes"]


def test_one_pace_needs_the_arithmetic_of_both(tmp_path: Path) -> None:
    first, _ = _slower(tmp_path)
    without = load(_file(tmp_path, "b"))
    with pytest.raises(InputError, match="platform c says nothing of arithmetic_s"):
        compare(first, without, same_pace=True)
    with pytest.raises(InputError, match="platform graphene says nothing"):
        compare(load("graphene"), first, same_pace=True)
