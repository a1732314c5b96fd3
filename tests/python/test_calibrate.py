# SPDX-License-Identifier: BSD-3-Clause
"""`orrery calibrate` as users run it; the cluster that it measures is a simulated one, whose parameters are known."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import HUNG_S, ORRERY, Ended, Sandbox
from orrery.platform import core
from orrery.platform.draws import count_of, drawn
from orrery.platform.load import load
from page_files import parts_of, rows_of

GRAPHENE = load("graphene")


def _prefix() -> str:
    return subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True).stdout.strip()


def _graphene() -> str:
    """The built-in file."""
    folder = Path(sys.modules["orrery"].__file__ or "").parent / "platforms"
    return (folder / "graphene.toml").read_text(encoding="utf-8")


def _simulated(options: str = "--map node --platform graphene") -> list[str]:
    """A launcher and a compiler that make a simulated cluster look like a real one."""
    launcher = f"{ORRERY} run -n {{n}} {options} --compute none"
    return ["--mpicc", f"{_prefix()}/bin/mpicc", "--mpirun", launcher]


def _calibrate(sandbox: Sandbox, *arguments: str) -> Ended:
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.built)
    process = subprocess.run(
        [ORRERY, "calibrate", *arguments],
        env=sandbox.environment,
        cwd=sandbox.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HUNG_S,
        check=False,
    )
    return Ended(process.returncode, process.stdout, process.stderr, 0.0, {})


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Path:
    """A calibration of six simulated nodes of graphene, two ranks on each: folder with g.toml, g.html, g.json."""
    sandbox = Sandbox(tmp_path_factory.mktemp("calibration"), built)
    launcher = _simulated("--map slot --platform two_ranks.toml")
    # graphene with nodes of two cores, so that ranks go to nodes two by two.
    (sandbox.folder / "two_ranks.toml").write_text(_graphene().replace("cores = 4 ", "cores = 2 "), encoding="utf-8")
    ended = _calibrate(sandbox, "--nodes", "6", "--ppn", "2", *launcher, "--budget", "1.5", "-o", "g.toml", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["verdict"]["grade"] == "good", ended.out[:2000]
    (sandbox.folder / "g.json").write_text(ended.out, encoding="utf-8")
    assert sandbox.left_behind() == []
    return sandbox.folder


def _summary(measured: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((measured / "g.json").read_text(encoding="utf-8"))
    return found


def test_the_protocol_limits_of_a_simulated_cluster_are_found_to_the_byte(measured: Path) -> None:
    found = _summary(measured)
    assert found["asynchronous_limit_bytes"] == 65536  # S_a of the paper: the regime ends at 65,537
    assert found["detached_limit_bytes"] == 327680  # S_d


@pytest.mark.parametrize("probe", [64, 5000, 50_000, 200_000, 1_000_000])
def test_latency_rate_and_overheads_of_a_simulated_cluster_are_found_again(measured: Path, probe: int) -> None:
    calibrated = load(str(measured / "g.toml"))
    assert calibrated.network is not None
    assert GRAPHENE.network is not None
    route_s, rate = 2 * GRAPHENE.clusters[0].latency_s, GRAPHENE.clusters[0].bandwidth_bytes_per_s
    true = next(r for r in GRAPHENE.network.between_nodes if r.end_bytes is None or probe < r.end_bytes)
    found = next(r for r in calibrated.network.between_nodes if r.end_bytes is None or probe < r.end_bytes)
    assert found.protocol == true.protocol
    cluster = calibrated.clusters[0]
    # A clock that is read takes 50 ns of simulated time; two readings are in each sample.
    latency_s = found.latency_factor * 2 * cluster.latency_s + found.latency_s
    assert latency_s == pytest.approx(true.latency_factor * route_s, rel=0.01, abs=2e-7)
    if probe > 1000:  # below, the rate of the first regime shows in few nanoseconds
        found_rate = found.bandwidth_factor * cluster.bandwidth_bytes_per_s
        assert found_rate == pytest.approx(true.bandwidth_factor * rate, rel=0.02)
    if true.protocol == "asynchronous":
        for side in ("send", "recv"):
            found_s = getattr(found, f"{side}_overhead_s") + probe * getattr(found, f"{side}_overhead_s_per_byte")
            true_s = getattr(true, f"{side}_overhead_s") + probe * getattr(true, f"{side}_overhead_s_per_byte")
            assert found_s == pytest.approx(true_s, rel=0.03, abs=2e-7)


def test_the_node_limiter_is_found_in_units_of_the_measured_rate(measured: Path) -> None:
    # graphene: 1.5 x 125 MB/s for both directions; one flow reaches 0.9378 of the 125 MB/s: 1.5 / 0.9378 = 1.60.
    assert load(str(measured / "g.toml")).clusters[0].limiter_factor == pytest.approx(1.5 / 0.937794396, rel=0.01)


def test_messages_inside_a_node_have_regimes_of_their_own(measured: Path) -> None:
    calibrated = load(str(measured / "g.toml"))
    assert calibrated.network is not None
    small, large = calibrated.network.inside_node[0], calibrated.network.inside_node[-1]
    assert small.send_overhead_s == pytest.approx(200e-9, abs=1.1e-7)
    assert (small.protocol, large.protocol) == ("asynchronous", "synchronous")
    assert calibrated.network.inside_node[-2].end_bytes == 4097


def test_the_platform_file_says_where_it_came_from_and_runs_programs(measured: Path, sandbox: Sandbox) -> None:
    about = tomllib.loads((measured / "g.toml").read_text(encoding="utf-8"))["calibration"]
    assert about["nodes"] == 6
    assert "Orrery" in about["mpi"]
    low, high = about["intervals"]["cluster[0].latency_s"]
    assert low <= 24.24e-6 * 1.01
    assert high >= 24.24e-6 * 0.99
    ended = sandbox.run(4, "ring", options=("--platform", str(measured / "g.toml")))
    assert ended.code == 0
    assert "measured" in ended.err


def test_the_page_needs_no_network_and_shows_points_and_fits(measured: Path) -> None:
    page = (measured / "g.html").read_text(encoding="utf-8")
    assert len(page) < 1_000_000
    assert '<p class="verdict good">This calibration is good.' in page
    assert "http" not in page.replace("http://www.w3.org/", "")  # names of SVG, which nothing loads
    parts = parts_of(measured / "g.html")
    for where in ("between nodes", "inside a node"):
        assert [series["name"] for series in parts[f"One-way time {where}"]["series"]] == ["measured", "fitted"]
        assert parts[f"Measured over fitted {where}"]["marks"] == [
            row["to"] + 1 for row in rows_of(parts[f"Regimes {where}"])[:-1]
        ]
    # One link, and two: both ways of a pair, sendrecv. Around a ring, each of six nodes sends and receives.
    assert any(label.startswith("sendrecv ring") for label in parts["Transfers at once"]["labels"])
    assert {row["what"] for row in rows_of(parts["Parameters"])} > {"rate of a link", "nodes share processors"}


def test_sets_of_values_that_could_have_been_found_as_well_are_platforms_of_their_own(measured: Path) -> None:
    plain = load(str(measured / "g.toml")).model_dump()
    assert count_of(plain) == 50
    for number in (0, 49):
        other = drawn(plain, number)
        assert other["network"]["between_nodes"] != plain["network"]["between_nodes"]
        core.build(other)
        core.parameters(other, "hybrid", 1)


def test_the_same_cluster_measured_twice_differs_within_its_intervals(sandbox: Sandbox) -> None:
    """Other sizes, by another seed, of a simulated cluster whose messages have noise."""
    text = _graphene().replace("[network]\n", "[network]\nrate_noise = 0.01\n") + "\n[node]\nhandling_noise_s = 2e-6\n"
    (sandbox.folder / "noisy.toml").write_text(text, encoding="utf-8")
    again = [*_simulated("--map node --platform noisy.toml"), "--budget", "0.4", "--nodes", "4"]
    for name, seed in (("first.toml", "1"), ("second.toml", "2")):
        ended = _calibrate(sandbox, *again, "--seed", seed, "-o", name)
        assert ended.code == 0, ended.err
    ended = sandbox.finish(sandbox.start("platform", "diff", "first.toml", "second.toml", "--json"))
    found = [difference for difference in json.loads(ended.out) if difference["verdict"] != "equal"]
    apart = [difference["key"] for difference in found if difference["verdict"] == "apart"]
    # Values of queues have no effect on this cluster: they are remarks in its file, not keys.
    remarks = re.findall(r"^# (\w+) = \d", (sandbox.folder / "first.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(found) + len(remarks) > 40, remarks
    assert len(apart) < 0.1 * len(found), apart


def test_ingest_gives_the_same_file_again_without_starting_anything(measured: Path, sandbox: Sandbox) -> None:
    ended = _calibrate(sandbox, "--ingest", str(measured / "g.calibration"), "-o", "again.toml")
    assert ended.code == 0, ended.err
    strip = [
        line for line in (sandbox.folder / "again.toml").read_text(encoding="utf-8").splitlines() if "speed" not in line
    ]
    assert strip == [
        line for line in (measured / "g.toml").read_text(encoding="utf-8").splitlines() if "speed" not in line
    ]


def test_what_was_measured_but_would_not_act_is_a_remark_in_the_file(measured: Path) -> None:
    """Queues act where messages of two nodes follow each other; a platform refuses them elsewhere."""
    from orrery.calibrate.measure import Files, read_about
    from orrery.calibrate.measure.results import read
    from orrery.calibrate.uncertainty import outcome_of
    from orrery.calibrate.uncertainty.verdict import judge
    from orrery.calibrate.write.document import document
    from orrery.calibrate.write.provenance import provenance
    from orrery.platform.load import parse

    files = Files(measured / "g.calibration")
    about = read_about(files)
    outcome = outcome_of(read(files.plan, files.results), about, most_regimes=6)
    for grants_wait in (True, False):
        sharing = replace(outcome.sharing, grants_wait=grants_wait, queue_bytes=20_000.0, ack_fraction=0.02)
        changed = replace(outcome, sharing=sharing, processors=None)
        text = document(changed, provenance(changed, about, None), judge(changed, accept_bimodal=False))
        found = parse(Path("it.toml"), text).transport.connections
        assert (found is not None) == grants_wait
        if found is not None:
            assert found.queue is not None
            assert (found.queue.depth_bytes, found.ack_fraction) == (20_000, 0.02)
        assert "depth_bytes = 20000" in text
        if not grants_wait:  # who wants it takes the marks away
            _, _, remark = text.partition("exchanges not:\n")
            lines = remark.splitlines()
            table = [
                line.removeprefix("# ") for line in lines[: next(n for n, text in enumerate(lines) if text[:1] != "#")]
            ]
            by_hand = parse(Path("it.toml"), text.replace("\n".join(f"# {line}" for line in table), "\n".join(table)))
            assert by_hand.transport.connections is not None
            assert by_hand.transport.connections.ack_fraction == 0.02


def test_fewer_regimes_are_fitted_where_fewer_are_wanted(measured: Path, sandbox: Sandbox) -> None:
    ended = _calibrate(sandbox, "--ingest", str(measured / "g.calibration"), "-o", "few.toml", "--most-regimes", "1",
                       "--report", "page-of-few.html")  # fmt: skip
    assert (sandbox.folder / "page-of-few.html").exists()
    assert not (sandbox.folder / "few.html").exists()
    assert ended.code == 0, ended.err
    regimes = [
        text.count("[[network.between_nodes]]")
        for text in (_text(measured / "g.toml"), _text(sandbox.folder / "few.toml"))
    ]
    assert regimes[1] < regimes[0]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_name_and_cores_can_be_said_again_when_samples_are_ingested(measured: Path, sandbox: Sandbox) -> None:
    folder = sandbox.folder / "g.calibration"
    shutil.copytree(measured / "g.calibration", folder)
    ended = _calibrate(sandbox, "--ingest", str(folder), "--name", "mine", "--cores", "7", "-o", "mine.toml")
    assert ended.code == 0, ended.err
    platform = load(str(sandbox.folder / "mine.toml"))
    assert (platform.name, platform.clusters[0].cores) == ("mine", 7)


def test_an_interrupted_calibration_goes_on_where_it_was(measured: Path, sandbox: Sandbox) -> None:
    folder = sandbox.folder / "g.calibration"
    folder.mkdir()
    original = measured / "g.calibration"
    lines = (original / "results.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    done = [number for number, line in enumerate(lines) if ",done," in line]
    (folder / "plan.txt").write_text((original / "plan.txt").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "about.json").write_text((original / "about.json").read_text(encoding="utf-8"), encoding="utf-8")
    # Cut in the middle of the last experiment but three, and of a line.
    kept = lines[: done[-4] - 2]
    (folder / "results.csv").write_text("".join(kept) + lines[done[-4] - 2][:9], encoding="utf-8")
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    text = (measured / "two_ranks.toml").read_text(encoding="utf-8")
    (sandbox.folder / "two_ranks.toml").write_text(text, encoding="utf-8")
    options = ["--mpicc", about["mpicc"], "--mpirun", about["command"], "--budget", "1.5"]
    ended = _calibrate(sandbox, "--nodes", "6", "--ppn", "2", *options, "-o", "g.toml", "--json")
    assert ended.code == 0, ended.err
    after = (folder / "results.csv").read_text(encoding="utf-8")
    assert after.startswith("".join(kept))
    assert json.loads(ended.out)["detached_limit_bytes"] == 327680


def test_ranks_that_share_nodes_are_refused_with_the_cure(sandbox: Sandbox) -> None:
    ended = _calibrate(
        sandbox, "--nodes", "4", *_simulated("--map slot --platform graphene"), "--budget", "1", "-o", "x.toml"
    )
    assert ended.code == 1
    assert "the ranks share 1: 4 ranks on graphene-1" in ended.err
    assert "--nodes 1 --ppn 4" in ended.err
    # The cure is all that it takes, although the first attempt has left its folder.
    ended = _calibrate(sandbox, "--nodes", "4", *_simulated(), "--budget", "0.1", "-o", "x.toml")
    assert ended.code in {0, 3}, ended.err  # so short a time may make it poor
    assert "verdict" in ended.out


def test_a_workstation_is_measured_by_itself_and_takes_no_more_ranks_than_it_has_cores(sandbox: Sandbox) -> None:
    # Four ranks fill a node of graphene. Its memory has 300 ns and 6 GB/s, of which a pair gets half with large messages.
    simulated = _simulated("--map slot --platform graphene")
    options = ["--nodes", "1", "--ppn", "4", "--cores", "4", "--budget", "0.4", "-o", "w.toml", "--json"]
    ended = _calibrate(sandbox, *simulated, *options)
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert found["verdict"]["grade"] == "good", found["verdict"]
    platform = load(str(sandbox.folder / "w.toml"))
    assert len(platform.cores_of_hosts()) == 1
    assert platform.network is not None
    small, large = platform.network.inside_node
    assert (small.protocol, large.protocol) == ("asynchronous", "synchronous")
    memory = platform.clusters[0]
    assert memory.memory_latency_s == pytest.approx(300e-9, abs=1e-7)
    assert memory.memory_bandwidth_bytes_per_s == pytest.approx(6e9, rel=0.02)  # of two pairs at once
    assert small.bandwidth_factor == pytest.approx(1.0, rel=0.05)
    assert large.bandwidth_factor == pytest.approx(0.5, rel=0.02)
    assert sandbox.run(4, "ring", options=("--platform", "w.toml")).code == 0
    ended = sandbox.run(5, "ring", options=("--platform", "w.toml"))
    assert ended.code == 2
    assert "5 ranks would need a second node" in ended.err


def test_a_dry_run_prints_a_job_script_that_a_shell_can_read(sandbox: Sandbox) -> None:
    ended = _calibrate(sandbox, "--nodes", "4", "--mpirun", "srun -N {nodes} -n {n}", "--dry-run", "-o", "x.toml")
    assert ended.code == 0, ended.err
    assert "srun -N 4 -n 4 " in ended.out
    assert "#SBATCH --nodes=4" in ended.out
    assert "--ingest" in ended.out
    assert subprocess.run(["sh", "-n"], input=ended.out, text=True, check=False).returncode == 0
    assert (sandbox.folder / "x.calibration" / "plan.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--mpirun", "mpirun -np {n}"], "--nodes is missing"),
        (["--nodes", "4", "--mpirun", "mpirun -np 4"], "says nowhere how many ranks"),
        (["--nodes", "4", "--mpirun", "mpirun -np {n} {ranks}"], "places to fill are {n}"),
        (["--nodes", "4", "--mpicc", "no-such-compiler"], "name the compiler of your MPI"),
        (["--nodes", "4", "--cabinets", "2,1"], "these are 3 nodes, but --nodes says 4"),
        (["--ingest", "nowhere"], "expected the folder of a calibration"),
        (["--ingest", "nowhere", "--budget", "3"], "--budget: not with --ingest"),
        (["--nodes", "4", "--dry-run", "--json"], "--json: not with --dry-run"),
        (["--nodes", "1"], "one rank exchanges no messages; say --ppn 2 or more"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(sandbox: Sandbox, arguments: list[str], said: str) -> None:
    ended = _calibrate(sandbox, *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.strip().splitlines()[-1]) > len(said)


def test_a_launcher_that_fails_is_quoted_and_what_was_measured_is_kept(sandbox: Sandbox) -> None:
    options = ["--nodes", "2", "--mpicc", f"{_prefix()}/bin/mpicc", "-o", "x.toml"]
    ended = _calibrate(sandbox, *options, "--mpirun", "sh -c 'echo no hosts for {n}; exit 7'")
    assert ended.code == 1
    assert "exit code 7" in ended.err
    assert "no hosts for 2" in ended.err
    assert (sandbox.folder / "x.calibration" / "plan.txt").exists()
