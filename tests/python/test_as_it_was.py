# SPDX-License-Identifier: BSD-3-Clause
"""A replay is as the recording was; what differs is said. Times of equal runs, and of compared ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import PLAIN_HYBRID
from harness import Sandbox
from orrery.noise.intervals import MedianInterval

_SAID = "orrery: not as recorded: "


def _said(err: str) -> list[str]:
    return [line.removeprefix(_SAID) for line in err.splitlines() if line.startswith(_SAID)]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--map", "node", "--platform", "graphene"),
        ("--platform", "mine.toml", "--model", "fluid"),
        ("--selector", "openmpi-5.0", "--map", "random:3"),
        ("--coll", "allreduce=ring", "--compute", "0.5", "--seed", "7"),
    ],
)
def test_a_replay_takes_the_time_of_the_recording_whatever_its_settings_were(
    sandbox: Sandbox, options: tuple[str, ...]
) -> None:
    (sandbox.folder / "mine.toml").write_text(PLAIN_HYBRID)
    ended = sandbox.run(6, "collectives", options=("-o", "it.trace", *options))
    assert ended.code == 0, ended.err
    again = sandbox.replay("it.trace")
    assert again.record["simulated_s"] == ended.record["simulated_s"]
    assert _said(again.err) == again.record["differs"] == []
    for key in ("platform", "model", "mapping", "selector", "coll", "seed"):
        assert again.record[key] == ended.record[key], key


def test_what_is_said_instead_is_told_with_what_it_was(sandbox: Sandbox) -> None:
    assert sandbox.run(4, "ring", options=("-o", "it.trace", "--compute", "2")).code == 0
    said = ("--platform", "graphene", "--map", "node", "--model", "loggps", "--selector", "mpich-5.0", "--seed", "3")
    ended = sandbox.replay("it.trace", *said, "--coll", "bcast=binomial", "--compute-scale", "1")
    assert _said(ended.err) == ended.record["differs"]
    assert ended.record["differs"] == [
        "platform graphene, recorded on default",
        "model loggps, recorded with hybrid",
        "mapping node, recorded with slot",
        "selector mpich-5.0, recorded with default",
        "fixed algorithms bcast=binomial, recorded with none",
        "computation times 1, recorded with 2",
        "seed 3, recorded with 0",
    ]


def test_a_platform_file_that_changed_is_told_and_one_that_is_gone_is_refused(sandbox: Sandbox) -> None:
    mine = sandbox.folder / "mine.toml"
    mine.write_text(PLAIN_HYBRID)
    assert sandbox.run(4, "ring", options=("-o", "it.trace", "--platform", "mine.toml")).code == 0
    mine.write_text(f"# a comment changes nothing\n{PLAIN_HYBRID}")
    assert sandbox.replay("it.trace").record["differs"] == []
    mine.write_text(PLAIN_HYBRID.replace('latency_s = "500ns"', 'latency_s = "900ns"'))
    assert sandbox.replay("it.trace").record["differs"] == [
        "platform plain has other values than when the trace was recorded"
    ]
    mine.unlink()
    ended = sandbox.orrery("replay", "it.trace")
    assert ended.code == 2
    assert re.search(r"was recorded on platform plain \(.*/mine\.toml\), which is not here; name one with", ended.err)
    assert sandbox.orrery("replay", "it.trace", "--platform", "graphene").code == 0


def test_the_trace_of_a_replay_says_how_that_was(sandbox: Sandbox) -> None:
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    there = sandbox.replayed("it.trace", "-p", "graphene", "--map", "node", "--compute-scale", "3", "-o", "there.trace")
    again = sandbox.replayed("there.trace")
    assert again["simulated_s"] == there["simulated_s"]
    assert again["differs"] == []
    ideal = sandbox.replayed("it.trace", "--ideal", "-o", "ideal.trace")
    assert sandbox.replayed("ideal.trace")["simulated_s"] == ideal["simulated_s"]


def test_of_several_traces_each_says_what_differs_for_it(sandbox: Sandbox) -> None:
    assert sandbox.run(4, "ring", options=("-o", "a.trace")).code == 0
    assert sandbox.run(4, "ring", options=("-o", "b.trace", "--map", "node")).code == 0
    assert sandbox.replay("a.trace", "b.trace").record["differs"] == ["b.trace: mapping slot, recorded with node"]


def test_the_last_run_is_that_of_the_folder_with_its_date(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    assert sandbox.orrery("run", "-n", "2", ring).code == 0
    shown = sandbox.orrery("profile").out.splitlines()[0]
    assert re.fullmatch(rf"{re.escape(ring)}   \(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00, in {sandbox.folder}\)", shown)
    elsewhere = sandbox.folder / "elsewhere"
    elsewhere.mkdir()
    before, sandbox.folder = sandbox.folder, elsewhere
    ended = sandbox.orrery("profile")
    assert ended.code == 2
    assert f"no run was started in this folder yet; the last one elsewhere was in {before}" in ended.err
    assert sandbox.orrery("run", "-n", "3", ring).code == 0
    assert "3 ranks" in sandbox.orrery("profile").out
    sandbox.folder = before
    assert "2 ranks" in sandbox.orrery("profile").out


@pytest.mark.parametrize(
    ("count", "first", "last", "confidence"),
    [
        (2, 0, 1, 0.5),  # 1 - 2 / 4
        (5, 0, 4, 0.9375),  # 1 - 2 / 32
        (6, 0, 5, 0.96875),  # 1 - 2 / 64
        (8, 0, 7, 0.9921875),  # without its ends: 1 - 2 (1 + 8) / 256 = 0.930
        (9, 1, 7, 0.9609375),  # 1 - 2 (1 + 9) / 512
        (
            20,
            5,
            14,
            0.9586105346679688,
        ),  # 1 - 2 (1 + 20 + 190 + 1140 + 4845 + 15504) / 2^20, as in tables of the sign test
    ],
)
def test_an_interval_of_the_median_is_the_narrowest_of_95_percent(
    count: int, first: int, last: int, confidence: float
) -> None:
    found = MedianInterval.of([float(value) for value in reversed(range(count))])
    assert (found.low_s, found.high_s) == (first, last)
    assert found.confidence == pytest.approx(confidence)
    assert found.median_s == (count - 1) / 2


def test_equal_runs_give_a_median_with_an_interval_and_the_trace_of_the_run_in_the_middle(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "ring", "100", "3", options=("--repeat", "3", "-o", "it.trace"))
    assert ended.code == 0, ended.err
    times = ended.record["repeats_s"]
    assert len(times) == 3
    assert ended.record["simulated_s"] == sorted(times)[1] == ended.record["repeats"]["median_s"]
    assert sandbox.replayed("it.trace")["simulated_s"] == ended.record["simulated_s"]
    assert "from the order of 3 runs" in ended.err
    assert [path.name for path in sandbox.folder.iterdir() if "it.trace" in path.name] == ["it.trace"]


def test_a_program_that_is_repeated_prints_once(sandbox: Sandbox) -> None:
    once = sandbox.orrery("run", "-n", "2", sandbox.program("hello")).out
    assert sorted(sandbox.orrery("run", "-n", "2", "--repeat", "3", sandbox.program("hello")).out) == sorted(once)


def test_a_repeated_run_that_fails_is_told_at_once(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "abort", options=("--repeat", "3"))
    assert ended.code != 0
    assert ended.record["repeats_s"] == []


def test_a_difference_of_two_single_runs_is_called_unknown_and_of_replays_it_counts(sandbox: Sandbox) -> None:
    ring = sandbox.program("ring")
    for name in ("a", "b"):
        assert sandbox.orrery("run", "-n", "4", "-o", f"{name}.json", "-o", f"{name}.trace", ring).code == 0
    for name, options in (("same", ()), ("other", ("-p", "graphene", "--map", "node"))):
        assert sandbox.orrery("replay", "a.trace", "-o", f"{name}.json", *options).code == 0
    for name in ("c", "d"):
        assert sandbox.orrery("run", "-n", "4", "--compute", "none", "-o", f"{name}.json", ring).code == 0
    assert sandbox.orrery("run", "-n", "4", "--repeat", "2", "-o", "e.json", ring).code == 0

    def verdict(first: str, second: str) -> str:
        ended = sandbox.orrery("compare", f"{first}.json", f"{second}.json", "--json")
        assert ended.code == 0, ended.err
        return str(json.loads(ended.out)["verdict"])

    assert verdict("a", "b") == "unknown"
    assert verdict("a", "same") == "equal"
    assert verdict("same", "other") == "apart"
    assert verdict("b", "other") == "unknown"
    assert verdict("c", "d") == "equal"
    assert verdict("e", "e") == "within noise"


def test_a_damaged_trace_ends_info_with_1(sandbox: Sandbox, tmp_path: Path) -> None:
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    whole = (sandbox.folder / "it.trace").read_bytes()
    (tmp_path / "cut.trace").write_bytes(whole[: len(whole) * 3 // 4])
    assert sandbox.orrery("trace", "info", "it.trace").code == 0
    for more in ((), ("--json",)):
        ended = sandbox.orrery("trace", "info", "cut.trace", *more)
        assert (ended.code, "damage" in ended.out) == (1, True)


def test_ctrl_c_keeps_the_tables_that_are_there(sandbox: Sandbox) -> None:
    process = sandbox.start_on_terminal(
        "collective", "alltoall", "-n", "16,256", "-s", "8,64,512,4K,32K,256K", "--algorithm", "all", "-p", "graphene",
        "--map", "node", "--model", "hybrid", "-o", "part.json",
    )  # fmt: skip
    process.until(r"[4-9]\d/170")
    process.interrupt()
    ended = process.finish("part.json")
    assert ended.code == 130
    assert "alltoall, 16 ranks" in ended.out
    found = re.search(r"interrupted: (\d+) of 12 calls are there; missing from alltoall of", ended.err)
    assert found is not None
    assert len(ended.record["missing"]) == 12 - int(found[1]) > 0
