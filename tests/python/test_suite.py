# SPDX-License-Identifier: BSD-3-Clause
"""Suites: many validations in groups with bounds, and what each key of their platforms is worth."""

from __future__ import annotations

import gzip
import json
import lzma
import signal
import subprocess
from pathlib import Path

import pytest

from harness import ORRERY, Ended, Sandbox
from orrery.evidence.residuals import evidence as evidence_of_record
from orrery.validate.residuals import JudgedSuite, residuals_of

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "tests" / "evidence" / "suite.toml"

HEAD = "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90\n"
# A star whose messages take 2 ms, of which 1 ms is the model's own start-up time, and 1 us for each byte.
PLATFORM = """
name = "plain"
[[cluster]]
name = "plain"
nodes = 4
cores = 1
bandwidth_bytes_per_s = 1e6
latency_s = 0.5e-3
memory_bandwidth_bytes_per_s = 1e9
memory_latency_s = 0
[network]
tcp_window_bytes = 1_000_000_000
[[network.between_nodes]]
latency_s = 1e-3
protocol = "asynchronous"
[[network.inside_node]]
protocol = "asynchronous"
[transport.connections]
[node.processors]
count = 64
"""
SUITE = """
[[collectives]]
name = "two"
group = "plain"
platform = "plain.toml"
ingest = ["times.csv"]
models = ["hybrid"]
"""


def _validate(sandbox: Sandbox, *arguments: str) -> Ended:
    return sandbox.finish(sandbox.start("validate", *arguments))


@pytest.fixture
def suite(sandbox: Sandbox) -> Sandbox:
    """A suite of one measured case, which the platform predicts exactly: it is what the platform itself says."""
    (sandbox.folder / "plain.toml").write_text(PLATFORM)
    (sandbox.folder / "suite.toml").write_text(SUITE)
    _measure(sandbox, 1000)
    ended = _validate(sandbox, "--platform", "plain.toml", "--ingest", "times.csv", "--model", "hybrid", "--json")
    predicted_s = json.loads(ended.out)["cases"][0]["predicted"]["hybrid"]["median_s"]
    _measure(sandbox, 1e6 * predicted_s)
    return sandbox


def _measure(sandbox: Sandbox, time_us: float) -> None:
    row = f"bcast,2,1000,barrier,10,{time_us},{time_us},{time_us}\n"
    (sandbox.folder / "times.csv").write_text(HEAD + row)


def test_a_suite_runs_all_and_compares_with_the_last_time(suite: Sandbox) -> None:
    assert _validate(suite, "--suite", "suite.toml", "--store", "store").code == 0
    kept = json.loads((suite.folder / "store" / "two.json").read_text())
    assert kept["cases"][0]["collective"] == "bcast"
    assert kept["expected"]["inside"] == 1  # the measured time is the predicted one
    assert kept["expected"]["reach"] > 0
    _measure(suite, 90_000)  # beyond the interval of a platform by hand, too
    ended = _validate(suite, "--suite", "suite.toml", "--store", "store")
    assert ended.code == 1
    assert "worse" in ended.out
    assert "expected times: 0% of 1 measured medians lie in their intervals of 90 %" in ended.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[collectives]]\nnam = 3\n", "collectives.0"),
        ("", "lists nothing"),
        (SUITE + SUITE, "two validations have one name"),
        (SUITE + '[[groups]]\nname = "other"\n', 'no entry has the group "other" (plain)'),
        ('[[programs]]\nname = "x"\nplatform = "plain.toml"\n', "expected either traces"),
        ('[[programs]]\nname = "x"\nplatform = "plain.toml"\neach = "*.no"\n', "no file of"),
    ],
)
def test_a_suite_file_that_is_wrong_is_told(suite: Sandbox, text: str, said: str) -> None:
    (suite.folder / "suite.toml").write_text(text)
    ended = _validate(suite, "--suite", "suite.toml")
    assert ended.code == 2
    assert said in ended.err


def test_a_group_is_judged_by_all_of_its_cases(suite: Sandbox) -> None:
    _measure(suite, 90_000)  # beyond the interval of a platform by hand, too
    (suite.folder / "suite.toml").write_text(SUITE + '[[groups]]\nname = "plain"\nmost_median = 0.01\nmost_p90 = 9.0\n')
    ended = _validate(suite, "--suite", "suite.toml")
    assert ended.code == 1
    assert "group plain: median error" in ended.out
    assert "is above 1.0%" in ended.out
    assert "p90" not in ended.out


@pytest.mark.parametrize(("ending", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_each_trace_of_a_pattern_is_a_program_and_may_be_compressed(
    sandbox: Sandbox, ending: str, compress: type
) -> None:
    ended = sandbox.run(4, "ring", options=("-o", "ring.trace", "--platform", "graphene", "--map", "node"))
    assert ended.code == 0, ended.err
    trace = (sandbox.folder / "ring.trace").read_bytes()
    for name in ("one", "two"):
        (sandbox.folder / f"{name}.trace{ending}").write_bytes(compress(trace))
    (sandbox.folder / "suite.toml").write_text(
        f'[[programs]]\nname = "rings"\nplatform = "graphene"\neach = "*.trace{ending}"\n'
        '[[groups]]\nname = "all"\nmost_mean = 0.001\n'
    )
    ended = _validate(sandbox, "--suite", "suite.toml", "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert list(found) == ["rings.one", "rings.two", "groups"]
    (group,) = found["groups"]
    assert group["programs"] == 2
    assert group["mean"] < 1e-5
    assert not list(sandbox.folder.glob("*/*.trace"))


@pytest.fixture
def many(sandbox: Sandbox) -> Sandbox:
    """A suite of so many programs that it takes seconds, of which the last one is no trace."""
    ended = sandbox.run(4, "ring", options=("-o", "ring.trace", "--platform", "graphene", "--map", "node"))
    assert ended.code == 0, ended.err
    for number in range(400):
        (sandbox.folder / f"{number:03}.trace").hardlink_to(sandbox.folder / "ring.trace")
    (sandbox.folder / "suite.toml").write_text(
        '[[programs]]\nname = "many"\nplatform = "graphene"\neach = "???.trace"\n'
    )
    return sandbox


def test_nothing_is_left_of_a_suite_that_fails(many: Sandbox) -> None:
    (many.folder / "001.trace").unlink()
    (many.folder / "001.trace").write_text("nothing")
    ended = _validate(many, "suite", "suite.toml")
    assert ended.code == 2
    assert "001.trace" in ended.err
    assert many.orphans() == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_of_a_suite_that_is_ended(many: Sandbox, number: signal.Signals) -> None:
    command = [str(ORRERY), "validate", "suite", "suite.toml"]
    with subprocess.Popen(command, cwd=many.folder, env=many.environment, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        assert "many.000" in started.stdout.readline()  # its processes are there
        started.send_signal(number)
    assert many.orphans() == []


def test_a_trace_that_cannot_be_decompressed_is_told_by_its_name(sandbox: Sandbox) -> None:
    (sandbox.folder / "cut.trace.xz").write_bytes(lzma.compress(b"x" * 100_000)[:40])
    ended = sandbox.finish(sandbox.start("replay", "cut.trace.xz"))
    assert ended.code == 2
    assert "cut.trace.xz: cannot decompress it" in ended.err


def test_a_key_is_worth_the_error_without_it(suite: Sandbox) -> None:
    ended = _validate(suite, "--suite", "suite.toml", "--ablate", "-o", "accuracy.md", "-o", "accuracy.json")
    assert ended.code == 0, ended.err
    found = json.loads((suite.folder / "accuracy.json").read_text())
    assert found["groups"]["plain"]["median"] < 1e-6
    by_key = {ablation["key"]: ablation for ablation in found["ablations"]}
    # Each way takes 2 ms and 1 ms for the bytes: without the model's own 1 ms both the barrier and the call are shorter.
    assert by_key["network.between_nodes.latency_s"]["worth"]["plain"]["median"] > 0.2
    assert abs(by_key["network.tcp_window_bytes"]["worth"]["plain"]["median"]) < 1e-6
    assert by_key["network.between_nodes"]["needed"]
    # Shared processors act only beside connections.
    assert by_key["transport.connections"]["also"] == ["node.processors"]
    page = (suite.folder / "accuracy.md").read_text()
    assert "| `network.tcp_window_bytes` | 1 | " in page
    assert page.count("| none |") >= 1
    again = _validate(suite, "--suite", "suite.toml", "--ablate", "-o", "accuracy.md")
    assert again.code == 0, "its own page is replaced"


def test_one_key_is_left_out_where_it_is_named(suite: Sandbox) -> None:
    ended = _validate(suite, "--suite", "suite.toml", "--ablate", "--key", "network.tcp_window_bytes", "--json")
    assert ended.code == 0, ended.err
    assert [ablation["key"] for ablation in json.loads(ended.out)["ablations"]] == ["network.tcp_window_bytes"]
    ended = _validate(suite, "--suite", "suite.toml", "--ablate", "--key", "network.nothing")
    assert ended.code == 2
    assert "no platform of the suite has this key (network, " in ended.err
    assert _validate(suite, "ablate").code == 2
    assert _validate(suite, "ablate", "suite.toml", "--key", "network.tcp_window_bytes").code == 0


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """What `orrery validate suite --json` says of the evidence in the repository."""
    store = tmp_path_factory.mktemp("evidence")
    command = [str(ORRERY), "validate", "suite", str(EVIDENCE), "--store", str(store), "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_evidence_in_the_repository_is_predicted_as_well_as_it_was(
    evidence: subprocess.CompletedProcess[str],
) -> None:
    assert evidence.returncode == 0, json.loads(evidence.stdout)["groups"]


def test_the_residuals_that_come_with_orrery_are_those_of_the_evidence(
    evidence: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    more = EVIDENCE.with_name("intervals.toml")
    command = [str(ORRERY), "validate", "suite", str(more), "--store", str(tmp_path), "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    judged = [JudgedSuite(EVIDENCE, json.loads(evidence.stdout)), JudgedSuite(more, json.loads(ended.stdout))]
    files = " ".join(str(suite.relative_to(ROOT)) for suite in (EVIDENCE, more))
    again = f"orrery validate residuals {files} -o python/orrery/evidence/residuals.json"
    assert residuals_of(judged) == evidence_of_record(), f"renew them: {again}"
