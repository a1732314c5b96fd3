# SPDX-License-Identifier: BSD-3-Clause
"""A result says how fast the simulated processors compute, and a comparison of platforms that nothing tells them apart."""

from __future__ import annotations

import json

import pytest

import orrery as o
from harness import Sandbox
from orrery.record.speed import speed_words
from orrery.report.computed import as_measured

_PLATFORM = """
name = "{name}"
model = "fluid"
[[cluster]]
name = "a"
nodes = 1
cores = 2
speed = {first}
bandwidth_bytes_per_s = "1GB/s"
latency_s = "{latency}"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "300ns"
[[cluster]]
name = "b"
nodes = 1
cores = 2
speed = {second}
bandwidth_bytes_per_s = "1GB/s"
latency_s = "{latency}"
memory_bandwidth_bytes_per_s = "10GB/s"
memory_latency_s = "300ns"
[[wan]]
from = "a"
to = "b"
bandwidth_bytes_per_s = "1GB/s"
latency_s = "1ms"
"""
_WORK = """
ranks = {ranks}
steps = 5
[[phase]]
kind = "compute"
compute_s = 0.001
[[phase]]
kind = "allreduce"
bytes = "1KiB"
"""


def _platform(sandbox: Sandbox, name: str, first: float, second: float = 1, latency: str = "5us") -> str:
    text = _PLATFORM.format(name=name, first=first, second=second, latency=latency)
    (sandbox.folder / f"{name}.toml").write_text(text)
    return f"{name}.toml"


def _replay(sandbox: Sandbox, platform: str, output: str, *more: str, ranks: int = 4) -> str:
    """What it prints."""
    (sandbox.folder / "it.toml").write_text(_WORK.format(ranks=ranks))
    options = ("-p", platform, "-o", output, *more)
    ended = sandbox.orrery("replay", "it.toml", *options)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.parametrize(
    ("speeds", "ranks", "said"),
    [
        ((1, 1), 4, "at the speed of the recording"),
        ((1.5, 1.5), 4, "at the platform's speed, x 1.5 that of the recording"),
        ((0.8, 1.5), 4, "at the platform's speed, x 0.8 to 1.5 that of the recording"),
        ((0.8, 1.5), 2, "at the platform's speed, x 0.8 that of the recording"),  # no rank is on the second
    ],
)
def test_the_summary_says_at_which_speed_ranks_compute(
    sandbox: Sandbox, speeds: tuple[float, float], ranks: int, said: str
) -> None:
    out = _replay(sandbox, _platform(sandbox, "p", *speeds), "it.json", ranks=ranks)
    assert f"computation     as recorded; {said}\n" in out


def test_a_factor_of_the_user_stands_before(sandbox: Sandbox) -> None:
    out = _replay(sandbox, _platform(sandbox, "p", 2, 2), "it.json", "--compute-scale", "3")
    assert "computation     3.0 times as recorded; at the platform's speed, x 2 that of the recording\n" in out


def test_a_run_computes_at_the_speed_of_this_host(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "hello")
    assert "as measured on this host" in ended.err
    assert "; at the speed of this host\n" in ended.err
    assert ended.record["speeds"] == [1.0]


def _compared(sandbox: Sandbox, suffix: str, first: str, second: str, *more: str) -> tuple[list[str], str]:
    """Cautions, and the settings that differ, by name."""
    _replay(sandbox, first, f"one.{suffix}", *more)
    _replay(sandbox, second, f"other.{suffix}", *more)
    document = json.loads(sandbox.orrery("compare", f"one.{suffix}", f"other.{suffix}", "--json").out)
    text = sandbox.orrery("compare", f"one.{suffix}", f"other.{suffix}").out
    assert text.count("computation takes the same time on both platforms") == len(
        [caution for caution in document["cautions"] if caution.startswith("computation takes")]
    )
    return document["cautions"], text


@pytest.mark.parametrize("suffix", ["json", "trace"])
def test_two_platforms_that_compute_alike_are_said_to(sandbox: Sandbox, suffix: str) -> None:
    cautions, text = _compared(sandbox, suffix, _platform(sandbox, "p", 1), _platform(sandbox, "q", 1, latency="9us"))
    assert [caution for caution in cautions if caution.startswith("computation takes the same time on both platforms")]
    assert "\nspeed " not in text


@pytest.mark.parametrize("suffix", ["json", "trace"])
def test_two_platforms_of_other_speeds_show_them(sandbox: Sandbox, suffix: str) -> None:
    cautions, text = _compared(sandbox, suffix, _platform(sandbox, "p", 1), _platform(sandbox, "q", 0.5))
    assert not [caution for caution in cautions if caution.startswith("computation takes")]
    assert any(line.split() == ["speed", "1", "/", "0.5", "to", "1"] for line in text.splitlines())


def test_nothing_is_said_of_speeds_where_nothing_computes_or_one_platform_is_compared(sandbox: Sandbox) -> None:
    p, q = _platform(sandbox, "p", 1), _platform(sandbox, "q", 1, latency="9us")
    assert _compared(sandbox, "json", p, q, "--compute-scale", "0", "--overwrite")[0] == []
    assert _compared(sandbox, "json", p, p, "--overwrite")[0] == []


def test_python_says_it_too(sandbox: Sandbox) -> None:
    for name, latency in (("p", "5us"), ("q", "9us")):
        _replay(sandbox, _platform(sandbox, name, 1, latency=latency), f"{name}.json")
    found = o.compare(sandbox.folder / "p.json", sandbox.folder / "q.json")
    assert "computation takes the same time on both platforms" in str(found)
    assert len(found.cautions) == 1


def test_speeds_are_a_number_or_a_range() -> None:
    assert [speed_words(speeds) for speeds in ([], [1.0], [1.5, 1.5], [2, 0.75, 1])] == ["", "1", "1.5", "0.75 to 2"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "as measured, before the host's noise is taken out"),
        (("--compute", "raw"), ""),
        (("--compute", "2"), "as measured, before the host's noise is taken out and it is scaled"),
        (("--compute", "raw", "-p", "fast.toml"), "as measured, before it is scaled"),
    ],
)
def test_a_profile_of_a_trace_says_what_its_computation_is(
    sandbox: Sandbox, options: tuple[str, ...], said: str
) -> None:
    _platform(sandbox, "fast", 2, 2)
    sandbox.run(2, "halo", options=("-o", "it.trace", *options))
    lines = sandbox.orrery("profile", "it.trace").out.splitlines()
    assert [line for line in lines if line.startswith("computation: ")] == ([f"computation: {said}"] if said else [])
    (info,) = [line for line in sandbox.orrery("trace", "info", "it.trace").out.splitlines() if "of all ranks" in line]
    assert info.endswith(f"of all ranks together{'; ' * bool(said)}{said}")


def test_a_profile_of_a_real_run_says_that_noise_is_in_its_computation() -> None:
    assert as_measured({"source": "orrery capture"}) == "as measured, noise of its hosts included"
    assert as_measured({"source": "simulated", "charged": "raw", "compute": "1", "speed": "1"}) == ""
    assert as_measured({"source": "simulated", "speed": "0.8 to 1"}) == "as measured, before it is scaled"
    assert as_measured({}) == ""
