# SPDX-License-Identifier: BSD-3-Clause
"""Ray2mesh and the hierarchical collectives of the paper on grids: what they compute is right, and wrong where it should be."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from harness import HUNG_S, Sandbox
from orrery.errors import InputError
from orrery.papers.compiled import compiled
from orrery.papers.library import FOLDER
from orrery.papers.on_clusters import on_clusters
from orrery.platform import toml_writer
from orrery.run.prefix import prefix
from real_mpis import MPIS, RealMpi, tool

GRID = FOLDER / "grid"


@pytest.fixture(scope="module")
def ray2mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(GRID / "ray2mesh.c", tmp_path_factory.mktemp("grid"))


def simulated(sandbox: Sandbox, ranks: int, program: Path, *arguments: object) -> tuple[int, str]:
    """Exit code and output."""
    line = ("-n", str(ranks), "--platform", "grid2", "--map", "node", "--compute", "none", str(program))
    ended = sandbox.orrery("run", *line, *map(str, arguments))
    return ended.code, ended.out


@pytest.mark.parametrize("form", ["flat", "hierarchical", "spared"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 6, 9, 20])
def test_each_ray_arrives_as_the_closed_form_says(sandbox: Sandbox, ray2mesh: Path, ranks: int, form: str) -> None:
    code, output = simulated(sandbox, ranks, ray2mesh, form, 3001, 10, 1000, 3)
    assert code == 0, output
    assert "check: ok" in output.splitlines()
    assert "rays 3001, mean time" in output
    # Three groups: bosses as far as a group has others to lead.
    bosses = {1: 0, 2: 0, 3: 0, 6: 2, 9: 3, 20: 3}[ranks]
    workers = max(1, ranks - 1 - (bosses if form != "flat" else 0))
    assert f"workers: {workers}" in output.splitlines()


def test_what_is_found_does_not_depend_on_ranks_or_form(sandbox: Sandbox, ray2mesh: Path) -> None:
    found = {
        re.search("rays .*", simulated(sandbox, ranks, ray2mesh, form, 2000, chunk, 1000, 2)[1]).group()  # type: ignore[union-attr]
        for ranks, form, chunk in ((1, "flat", 100), (5, "flat", 7), (8, "hierarchical", 30))
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("angle + above / s.power)", "angle + above / s.power * 1.0001)"),  # the ray to another place
        ("velocities[s] = VELOCITY_KM_S *", "velocities[s] = (s == 3 ? 1.001 : 1) * VELOCITY_KM_S *"),
        ("segments[i].time_s * (is_lowest ? 2 : 1)", "segments[i].time_s"),  # the mesh lacks the lowest parts
        ("means_s[i % EVENTS] +=", "means_s[(i + 1) % EVENTS] +="),
    ],
)
def test_the_check_fails_where_something_is_wrong(sandbox: Sandbox, tmp_path: Path, right: str, wrong: str) -> None:
    source = (GRID / "ray2mesh.c").read_text(encoding="utf-8")
    assert right in source
    (tmp_path / "ray2mesh.c").write_text(source.replace(right, wrong), encoding="utf-8")
    code, output = simulated(sandbox, 4, compiled(tmp_path / "ray2mesh.c", tmp_path), "flat", 2000)
    assert code == 1
    assert "check: failed: off by" in output


def test_a_wrong_form_is_refused(sandbox: Sandbox, ray2mesh: Path) -> None:
    assert simulated(sandbox, 2, ray2mesh, "flatt")[0] != 0
    assert simulated(sandbox, 2, ray2mesh, "flat", 0)[0] != 0


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("form", ["flat", "hierarchical"])
def test_ray2mesh_runs_on_a_real_mpi(sandbox: Sandbox, mpi: str, form: str) -> None:
    real = RealMpi(mpi, sandbox)
    program = sandbox.built / f"ray2mesh.{mpi}"
    if not program.exists():
        flags = ("-O2", "-idirafter", str(prefix() / "include"))
        line = [str(tool("mpicc", mpi)), *flags, str(GRID / "ray2mesh.c"), "-o", str(program), "-lm"]
        subprocess.run(line, check=True)
    more = ["--oversubscribe"] if mpi == "openmpi" else []
    line = [real.mpirun, *more, "-n", "6", str(program), form, "2000", "50", "0", "2"]
    ended = subprocess.run(line, env=sandbox.environment, capture_output=True, text=True, timeout=HUNG_S, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "check: ok" in ended.stdout.splitlines()


@pytest.mark.parametrize("where", [("grid2", "node", "site"), ("qcg", "ppr:8", "node"), ("grid3", "node", "cluster")])
@pytest.mark.parametrize("kind", ["bcast", "reduce", "gather"])
def test_collectives_by_communicators_leave_the_right_numbers(
    sandbox: Sandbox, tmp_path: Path, kind: str, where: tuple[str, str, str]
) -> None:
    platform, mapping, resource = where
    program = compiled(GRID / "collectives.c", tmp_path)
    line = ("-n", "32", "--platform", platform, "--map", mapping, "--compute", "none", str(program))
    ended = sandbox.orrery("run", *line, kind, resource, "8", "8192", "1000", "4096")
    assert ended.code == 0, ended.err
    assert "check: ok" in ended.out.splitlines()
    sizes = {name: re.findall(rf"^{name} of (\d+) B", ended.out, re.MULTILINE) for name in ("standard", "whole")}
    assert sizes == {"standard": [str(8 << step) for step in range(11)], "whole": ["4096", "8192"]}


def test_ranks_are_put_on_clusters_in_equal_parts() -> None:
    assert on_clusters(["orsay", "rennes"], "grid3", 7) == "slot@orsay-1:2,orsay-2:2,rennes-1:2,rennes-2:1"
    assert on_clusters(["rennes"], "grid3", 3) == "slot@rennes-1:2,rennes-2:1"
    with pytest.raises(InputError, match=r'there is no cluster "orsey".*did you mean "orsay"'):
        on_clusters(["orsey"], "grid3", 2)
    with pytest.raises(InputError, match="rennes: 199 ranks on 198 cores"):
        on_clusters(["rennes"], "grid3", 199)


def test_clusters_whose_names_begin_alike_are_told_apart(tmp_path: Path) -> None:
    plain = {
        "nodes": 2, "cores": 1, "bandwidth_bytes_per_s": 1e8, "latency_s": 1e-6, "memory_bandwidth_bytes_per_s": 1e9,
        "memory_latency_s": 1e-6,
    }  # fmt: skip
    file = tmp_path / "it.toml"
    wan = {"from": "a", "to": "a-b", "bandwidth_bytes_per_s": 1e8, "latency_s": 1e-3}
    clusters = [{"name": "a-b"} | plain, {"name": "a"} | plain]
    file.write_text(toml_writer.write({"name": "it", "model": "fluid", "cluster": clusters, "wan": [wan]}))
    assert on_clusters(["a"], str(file), 2) == "slot@a-1:1,a-2:1"
