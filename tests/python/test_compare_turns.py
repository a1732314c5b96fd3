# SPDX-License-Identifier: BSD-3-Clause
"""On which values of a platform a verdict hangs that nobody measured: the key and the value at which it turns are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import orrery as o
from harness import Sandbox
from orrery.comparison.turning import turns_of
from orrery.comparison.turns import Turn, TurningPoints
from orrery.errors import InputError
from orrery.platform.core import Plain
from orrery.platform.load import load
from orrery.platform.unmeasured import unmeasured
from orrery.replay.again import ReplayOutcome
from platform_by_hand import platform_by_hand

_NEIGHBOURS = """
ranks = 4
steps = 5
[[phase]]
kind = "halo"
dimensions = 1
bytes = "1MiB"
"""


def _platform(memory: str = "1GB/s", measured: str = "", noise: str = "") -> str:
    return platform_by_hand(measured, cores=4, memory=memory, tables=noise)


def _mappings(sandbox: Sandbox, platform: str, suffix: str = "json", *more: str) -> None:
    """Writes slot.SUFFIX and node.SUFFIX: all ranks on one node, where they share its memory, and each on its own."""
    (sandbox.folder / "it.toml").write_text(_NEIGHBOURS)
    (sandbox.folder / "p.toml").write_text(platform)
    for name in ("slot", "node"):
        ended = sandbox.orrery("replay", "it.toml", "-p", "p.toml", "--map", name, "-o", f"{name}.{suffix}", *more)
        assert ended.code == 0, ended.err


def _seconds(sandbox: Sandbox, memory: str, mapping: str) -> float:
    (sandbox.folder / "other.toml").write_text(_platform(memory))
    ended = sandbox.orrery("replay", "it.toml", "-p", "other.toml", "--map", mapping, "-o", "it.json", "--overwrite")
    assert ended.code == 0, ended.err
    return float(json.loads((sandbox.folder / "it.json").read_text())["simulated_s"])


@pytest.mark.parametrize("suffix", ["json", "trace"])
def test_the_key_is_named_that_turns_the_verdict_and_where(sandbox: Sandbox, suffix: str) -> None:
    """On a node all share 1 GB/s, between nodes each has it in each direction: other mappings are the faster ones with more memory."""
    _mappings(sandbox, _platform(), suffix)
    ended = sandbox.orrery("compare", f"slot.{suffix}", f"node.{suffix}")
    assert ended.code == 0
    (said,) = [line for line in ended.out.splitlines() if line.startswith("Turns with ")]
    assert "memory_bandwidth_bytes_per_s above " in said
    assert "(1 GB/s here)" in said
    document = json.loads(sandbox.orrery("compare", f"slot.{suffix}", f"node.{suffix}", "--json").out)
    (turn,) = [turn for turn in document["turns"]["turns"] if turn["key"] == "memory_bandwidth_bytes_per_s"]
    assert (turn["above"], turn["here"], turn["base"]) == (True, 1e9, "bytes per second")
    assert turn["value"] == pytest.approx(turn["factor"] * 1e9)
    for part, faster in ((0.98, "node"), (1.02, "slot")):  # a bisection to 1 %
        times_s = {name: _seconds(sandbox, f"{part * turn['value']:.0f}B/s", name) for name in ("slot", "node")}
        assert min(times_s, key=times_s.__getitem__) == faster, times_s
    page = sandbox.folder / "page.html"
    assert sandbox.orrery("compare", f"slot.{suffix}", f"node.{suffix}", "--report", str(page)).code == 0
    assert "memory_bandwidth_bytes_per_s above " in page.read_text()


_SUMS = """
ranks = 4
steps = 5
[[phase]]
kind = "allreduce"
bytes = "1MiB"
"""
_RULES = """
[[rule]]
collective = "allreduce"
algorithm = "ring"
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((), ("--coll", "allreduce=ring")),
        (("--coll", "allreduce=ring"), ("--coll", "allreduce=reduce_bcast")),
        (("--selector-rules", "ring.toml"), ("--selector", "mpich-4.0", "--coll", "allreduce=reduce_bcast")),
        (("--map", "file:hosts"), ("--map", "file:hosts", "--coll", "allreduce=ring")),
    ],
)
@pytest.mark.parametrize("suffix", ["json", "trace"])
def test_what_chose_algorithms_chooses_them_again(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, suffix: str, first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    """Wherever they are compared: what names files says them as from the folder of the simulation."""
    (sandbox.folder / "it.toml").write_text(_SUMS)
    (sandbox.folder / "p.toml").write_text(_platform())
    (sandbox.folder / "ring.toml").write_text(_RULES)
    (sandbox.folder / "hosts").write_text("by-hand-4\nby-hand-2\nby-hand-1\nby-hand-3\n")
    for name, options in (("one", first), ("other", second)):
        ended = sandbox.orrery("replay", "it.toml", "-p", "p.toml", "-o", f"{name}.{suffix}", *options)
        assert ended.code == 0, ended.err
    elsewhere = sandbox.folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    of_first, of_second = (sandbox.folder / f"{name}.{suffix}" for name in ("one", "other"))
    turns = o.compare(of_first, of_second).turns if suffix == "json" else o.compare_runs(of_first, of_second).turns
    assert turns is not None
    assert turns.not_tried == ""
    assert "memory_bandwidth_bytes_per_s" in turns.tried


def test_a_record_of_an_earlier_version_is_simulated_again_with_what_it_fixed(sandbox: Sandbox) -> None:
    """Records of 0.2 name what was fixed in the selector, too."""
    (sandbox.folder / "it.toml").write_text(_SUMS)
    (sandbox.folder / "p.toml").write_text(_platform())
    for name in ("ring", "reduce_bcast"):
        coll = f"allreduce={name}"
        record = sandbox.folder / f"{name}.json"
        assert sandbox.orrery("replay", "it.toml", "-p", "p.toml", "--coll", coll, "-o", f"{name}.json").code == 0
        document = json.loads(record.read_text())
        assert (document["selector"], document["coll"]) == ("default", coll)
        record.write_text(json.dumps(document | {"selector": f"default ({coll})"}))
    found = json.loads(sandbox.orrery("compare", "ring.json", "reduce_bcast.json", "--json").out)
    assert found["turns"]["tried"]
    assert list(found["settings"]) == ["coll"]


def test_a_verdict_that_nothing_turns_says_so_in_a_line(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(_NEIGHBOURS)
    (sandbox.folder / "p.toml").write_text(_platform())
    for name, factor in (("one", "1"), ("other", "100")):
        options = ("-p", "p.toml", "--map", "node", "--bytes-scale", factor, "-o", f"{name}.trace")
        assert sandbox.orrery("replay", "it.toml", *options).code == 0
    out = sandbox.orrery("compare", "one.trace", "other.trace").out
    (said,) = [line for line in out.splitlines() if "that may not be measured" in line]
    assert said.startswith("The verdict stays the same with another value of any of the ")
    assert said.endswith(
        " keys that may not be measured, one key at a time: up to 3 times as small or as large, or as far off as in a "
        "template of a platform."
    )


def test_what_is_said_to_be_measured_is_not_varied(sandbox: Sandbox) -> None:
    _mappings(sandbox, _platform(measured='measured = ["memory_bandwidth_bytes_per_s", "network.inside_node"]'))
    tried = json.loads(sandbox.orrery("compare", "slot.json", "node.json", "--json").out)["turns"]["tried"]
    assert "memory_bandwidth_bytes_per_s" not in tried
    assert "send_overhead_s" in tried


def test_no_replay_is_made_where_nobody_wants_it(sandbox: Sandbox) -> None:
    _mappings(sandbox, _platform())
    ended = sandbox.orrery("compare", "slot.json", "node.json", "--no-turns", "--json")
    assert json.loads(ended.out)["turns"] is None


def test_what_cannot_be_simulated_again_says_why(sandbox: Sandbox) -> None:
    _mappings(sandbox, _platform())

    def said() -> str:
        return str(json.loads(sandbox.orrery("compare", "slot.json", "node.json", "--json").out)["turns"]["not_tried"])

    for name in ("slot.json", "node.json"):
        document = json.loads((sandbox.folder / name).read_text())
        (sandbox.folder / name).write_text(json.dumps(document | {"simulated_s": 0.9 * document["simulated_s"]}))
    assert said().startswith("a replay of the first takes ")
    (sandbox.folder / "it.toml").unlink()
    assert said().endswith("it.toml: the trace of the replay is not here")
    document = json.loads((sandbox.folder / "slot.json").read_text())
    (sandbox.folder / "slot.json").write_text(json.dumps(document | {"start": "fork"}))
    assert said() == "a record of a run holds nothing to replay; record traces (-o FILE.trace) and compare these"


def test_a_platform_with_noise_is_not_varied(sandbox: Sandbox) -> None:
    noise = "[node]\nhandling_noise_s = '1us'"
    _mappings(sandbox, _platform(noise=noise), "json", "--replicas", "6")
    out = sandbox.orrery("compare", "slot.json", "node.json").out
    assert "was not tried: the platform has noise" in out


def test_two_platforms_are_no_question_of_values(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text(_NEIGHBOURS)
    for name in ("graphene", "qcg"):
        assert sandbox.orrery("replay", "it.toml", "-p", name, "-o", f"{name}.json").code == 0
    assert json.loads(sandbox.orrery("compare", "graphene.json", "qcg.json", "--json").out)["turns"] is None
    asked = json.loads(sandbox.orrery("compare", "graphene.json", "qcg.json", "--json", "--turns").out)["turns"]
    assert asked["not_tried"] == "they are not two simulations on one platform"


def test_turns_are_for_one_run_of_each_side(sandbox: Sandbox) -> None:
    _mappings(sandbox, _platform())
    ended = sandbox.orrery("compare", "slot.json", "slot.json", "vs", "node.json", "node.json", "--turns")
    assert ended.code == 2
    assert "--turns: is for one run of each side" in ended.err


def test_python_says_it_too(sandbox: Sandbox) -> None:
    _mappings(sandbox, _platform(), "trace")
    trace, platform = sandbox.folder / "it.toml", str(sandbox.folder / "p.toml")
    slot, node = (o.replay(trace, platform=platform, mapping=mapping) for mapping in ("slot", "node"))
    found = o.compare(slot, node)
    assert found.turns is not None
    assert "memory_bandwidth_bytes_per_s" in [turn.key for turn in found.turns.turns]
    assert found.turns.said() in str(found)
    assert o.compare(slot, node, turns=False).turns is None
    files = sandbox.folder / "slot.trace", sandbox.folder / "node.trace"
    of_files = o.compare_runs(*files).turns
    assert of_files is not None
    assert of_files.turns[0].value == pytest.approx(found.turns.turns[0].value, rel=1e-6)
    with pytest.raises(InputError, match="one run of each side"):
        o.compare_runs([files[0]] * 2, [files[1]] * 2, turns=True)


class _Formula:
    """A side whose time is a formula of its platform."""

    def __init__(self, platform: Plain, time_s: Callable[[Plain], float | None], events: int = 1) -> None:
        self.platform, self.digest, self.model, self.stopped = platform, "", "hybrid", False
        self._time_s, self.events = time_s, events
        self.runs = 0

    def run(self, platform: Plain | None = None) -> ReplayOutcome | None:
        self.runs += 1
        time_s = self._time_s(platform or self.platform)
        return None if time_s is None else ReplayOutcome(time_s=time_s, files=False)

    def stop(self) -> None:
        self.stopped = True


def _loaded(tmp_path: Path, **more: str) -> Plain:
    file = tmp_path / "p.toml"
    file.write_text(_platform(**more))
    return load(str(file)).model_dump()


def _cluster(plain: Plain, key: str) -> float:
    return float(plain["clusters"][0][key])


def _found(first: _Formula, second: _Formula, **more: Any) -> TurningPoints:
    times_s = first._time_s(first.platform), second._time_s(second.platform)
    assert times_s[0] is not None
    assert times_s[1] is not None
    found = turns_of(first, second, (times_s[0], times_s[1]), **more)
    assert found is not None
    return found


def test_the_nearest_turn_comes_first_and_each_is_where_both_take_as_long(tmp_path: Path) -> None:
    """The first takes 1 us of latency and 1 / memory; the second 1.5 times a constant, or so."""
    plain = _loaded(tmp_path)
    first = _Formula(
        plain, lambda it: 2 * _cluster(it, "latency_s") / 5e-6 + 1e9 / _cluster(it, "memory_bandwidth_bytes_per_s")
    )
    second = _Formula(plain, lambda _: 2.5)
    found = _found(first, second)
    assert [(turn.key, turn.above) for turn in found.turns] == [
        ("latency_s", False), ("memory_bandwidth_bytes_per_s", True),
    ]  # fmt: skip
    assert found.turns[0].value == pytest.approx(0.75 * 5e-6, rel=0.01)
    assert found.turns[1].value == pytest.approx(2e9, rel=0.01)
    assert found.said().startswith(
        "Turns with latency_s below 3.8 us (5 us here) or memory_bandwidth_bytes_per_s above 2 GB/s (1 GB/s here)"
    )


def test_a_range_reaches_as_far_as_templates_have_values(tmp_path: Path) -> None:
    """Nodes of today move up to 200 GB/s, whatever a file says."""
    memory = {key.key: key for key in unmeasured(_loaded(tmp_path), "hybrid", 3.0)}["memory_bandwidth_bytes_per_s"]
    assert memory.low == pytest.approx(1 / 3)
    assert memory.high == pytest.approx(200)
    plain = _loaded(tmp_path)
    first = _Formula(plain, lambda it: 1e9 / _cluster(it, "memory_bandwidth_bytes_per_s"))
    found = _found(first, _Formula(plain, lambda _: 1 / 60))
    assert [turn.said() for turn in found.turns] == ["memory_bandwidth_bytes_per_s above 60 GB/s (1 GB/s here)"]


def test_replays_that_would_take_long_are_made_only_when_wanted(tmp_path: Path) -> None:
    plain = _loaded(tmp_path)
    sides = (_Formula(plain, lambda _: 1.0, events=10_000_000), _Formula(plain, lambda _: 2.0, events=10_000_000))
    found = _found(*sides)
    assert "events (--turns does it)" in found.said()
    assert [side.runs for side in sides] == [0, 0]
    assert _found(*sides, all_of_them=True).tried


def test_values_that_cannot_be_simulated_are_told(tmp_path: Path) -> None:
    plain = _loaded(tmp_path)
    first = _Formula(plain, lambda it: None if _cluster(it, "latency_s") > 5e-6 else 1.0)
    found = _found(first, _Formula(plain, lambda _: 2.0))
    assert found.left_out == ["latency_s"]
    assert "latency_s" not in found.tried
    assert found.said().endswith("Not all values of latency_s could be simulated.")


def test_no_value_leaves_what_its_key_may_hold(tmp_path: Path) -> None:
    for key in unmeasured(_loaded(tmp_path), "hybrid", 3.0):
        assert key.low <= 1 <= key.high
        assert key.low < key.high
        if key.key == "limiter_factor":
            assert (key.low, key.high) == (0.5, 1.0)  # 2 in the file, and at least 1
        if key.key.endswith("bandwidth_factor"):
            assert key.high == 1.0


def test_a_calibration_that_had_no_two_ranks_on_a_node_leaves_its_inside_open() -> None:
    """Files that `orrery calibrate` wrote: with one rank on each node, and with the same where both were measured."""
    evidence = Path(__file__).parent.parent / "evidence" / "2026-11-25-12h-openmpi" / "platform.toml"
    plain = load(str(evidence)).model_dump()
    keys = [key.key for key in unmeasured(plain, "hybrid", 3.0, files=False)]
    assert "memory_bandwidth_bytes_per_s" in keys
    assert all("inside_node" in str(key.places) or key.key in ("memory_bandwidth_bytes_per_s", "memory_latency_s", "spawn_cost_s")
               for key in unmeasured(plain, "hybrid", 3.0, files=False))  # fmt: skip
    plain["calibration"]["draws"]["network.inside_node[0].send_overhead_s"] = [1e-7]
    assert [key.key for key in unmeasured(plain, "hybrid", 3.0, files=False)] == ["spawn_cost_s"]


def test_a_name_in_measured_that_no_key_has_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(_platform(measured='measured = ["memory_bandwith_bytes_per_s"]'))
    with pytest.raises(InputError, match=r"p.toml:3: measured\[0\] .* did you mean \"memory_bandwidth_bytes_per_s\""):
        load(str(file))


def test_a_key_with_several_values_turns_at_a_factor() -> None:
    turn = Turn(key="between_nodes.send_overhead_s", above=True, factor=1.84, value=None, here=None, base="seconds")
    assert turn.said() == "between_nodes.send_overhead_s above 1.8 times what the platform says"
