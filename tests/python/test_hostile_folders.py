# SPDX-License-Identifier: BSD-3-Clause
"""Commands act alike whatever the folder is called in which they are given and whose files they name."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import hostile
from harness import ORRERY, Sandbox
from real_mpis import MPIS, RealMpi, tool

BUILD = Path(__file__).parents[2] / "build"
"""Where other tests keep libraries that take a minute to compile."""
_GROUPS = '[[group]]\nname = "a"\nprocesses = 1\n[[group]]\nname = "b"\nprocesses = "rest"\n'
_RULES = '[[rule]]\ncollective = "allreduce"\nalgorithm = "ring"\n'


@pytest.fixture
def inside(sandbox: Sandbox) -> Iterator[Sandbox]:
    """A sandbox in such a folder, in which no name makes a file."""
    outside = sandbox.folder
    sandbox.folder = outside / hostile.FOLDER
    sandbox.folder.mkdir()
    yield sandbox
    sandbox.folder = outside
    assert not any(Path(place, hostile.MADE).exists() for place in (outside, outside / hostile.FOLDER, Path.cwd()))


@pytest.fixture(params=MPIS)
def real(request: pytest.FixtureRequest, inside: Sandbox) -> RealMpi:
    mpi = RealMpi(request.param, inside)
    slots = "localhost slots=8\n" if mpi.name == "openmpi" else "localhost:8\n"
    (inside.folder / "hosts").write_text(slots, encoding="utf-8")
    return mpi


def mpirun(real: RealMpi, ranks: str) -> list[str]:
    """The launcher, which reads a host file that is named by its whole path."""
    hosts = str(real.sandbox.folder / "hosts")
    if real.name == "openmpi":
        return [real.mpirun, "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--hostfile", hosts, "-n", ranks]
    return [real.mpirun, "-bind-to", "none", "-f", hosts, "-n", ranks]


def ended_of(sandbox: Sandbox, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that may compile a library first, which takes minutes on a busy machine."""
    line = [str(ORRERY), *words]
    return subprocess.run(
        line, cwd=sandbox.folder, env=sandbox.environment, capture_output=True, text=True, check=False, timeout=600
    )


def done(sandbox: Sandbox, *words: str) -> subprocess.CompletedProcess[str]:
    """One that has to end well."""
    ended = ended_of(sandbox, *words)
    assert ended.returncode == 0, ended.stderr
    return ended


def test_programs_are_captured_watched_and_launched(real: RealMpi) -> None:
    own = real.sandbox.folder / "a program"
    own.write_bytes(Path(real.program("captured.c")).read_bytes())
    own.chmod(0o755)
    (real.sandbox.folder / "job.toml").write_text(_GROUPS, encoding="utf-8")
    line = [*mpirun(real, "4"), "./a program"]
    assert "4 ranks" in done(real.sandbox, "capture", "-o", "a trace.trace", "--", *line).stderr
    done(real.sandbox, "replay", str(real.sandbox.folder / "a trace.trace"))
    done(real.sandbox, "watch", "-o", "a watch.json", "--", *line)
    done(real.sandbox, "launch", "--groups", "job.toml", "--groups-out", "as it was.toml", "--", *line)


def test_clusters_are_calibrated_and_timed(real: RealMpi) -> None:
    template = f"{shlex.join(mpirun(real, '{n}'))}".replace("'{n}'", "{n}")
    mpicc = ["--mpicc", str(tool("mpicc", real.name))]
    options = ["--nodes", "1", "--ppn", "2", "--budget", "0.02", *mpicc, "--mpirun", template, "-o", "a platform.toml"]
    ended = ended_of(real.sandbox, "calibrate", *options)
    assert ended.returncode in (0, 1, 3), ended.stderr  # so little time may be too little for a fit
    assert ",done," in (real.sandbox.folder / "a platform.calibration" / "results.csv").read_text(encoding="utf-8")
    done(real.sandbox, "benchmark", "bcast", "-s", "8", "-n", "2", "--budget", "1s", *mpicc, "--mpirun", template)


def test_a_script_for_a_batch_system_names_its_folder(inside: Sandbox) -> None:
    """The compiler and the launcher are echoes of their words."""
    for name in ("cc", "run"):
        script = inside.folder / name
        script.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\necho\n", encoding="utf-8")
        script.chmod(0o755)
    options = ["--mpicc", "./cc", "--mpirun", "./run -n {n}", "-o", "a platform.toml", "--dry-run"]
    script_text = done(inside, "calibrate", "--nodes", "4", *options).stdout
    said = subprocess.run(["sh"], input=script_text, cwd=inside.folder, capture_output=True, text=True, check=True)
    compiled, started, now = said.stdout.splitlines()
    folder = inside.folder / "a platform.calibration"
    assert f"<-o><{folder / 'orrery_bench'}>" in compiled
    assert started.startswith(f"<-n><4><{folder / 'orrery_bench'}><{folder}/")
    assert shlex.split(now)[1:] == ["orrery", "calibrate", "--ingest", str(folder), "-o", "a platform.toml"]


def test_rules_are_deployed_by_what_a_shell_is_told(real: RealMpi) -> None:
    real.sandbox.environment["XDG_CACHE_HOME"] = str(BUILD / "deploy")
    (real.sandbox.folder / "rules.toml").write_text(_RULES, encoding="utf-8")
    mpicxx = ["--mpicxx", str(tool("mpicxx", real.name))]
    prepared = done(real.sandbox, "deploy", "--collectives", "rules.toml", *mpicxx, "--prepare", "a job")
    line = ["sh", "-c", f'{prepared.stdout}\nprintf %s "$ORRERY_DEPLOY"']
    said = subprocess.run(line, capture_output=True, text=True, check=True, cwd=real.sandbox.folder)
    assert Path(said.stdout) == real.sandbox.folder / "a job" / "settings"
    program = real.program("deployed.c")
    ended = done(real.sandbox, "deploy", "--collectives", "rules.toml", "--", *mpirun(real, "2"), program)
    assert "ring" in ended.stderr


@pytest.mark.slow
def test_settings_that_are_tuned_are_loaded_by_the_library(real: RealMpi) -> None:
    template = f"{shlex.join(mpirun(real, '{n}'))}".replace("'{n}'", "{n}")
    mpicc = ["--mpicc", str(tool("mpicc", real.name))]
    cells = ["-p", "graphene", "-n", "2", "-s", "64KiB:256KiB", "--budget", "5s"]
    ended = done(real.sandbox, "tune", "bcast", *cells, *mpicc, "--mpirun", template, "-o", "as tuned")
    assert "calls of the real library sent what the rules say" in ended.stdout


def test_a_library_that_cannot_be_preloaded_from_its_folder_is_refused(real: RealMpi) -> None:
    real.sandbox.environment["XDG_CACHE_HOME"] = str(real.sandbox.folder / "cache")
    ended = ended_of(real.sandbox, "capture", "-o", "it.trace", "--", *mpirun(real, "2"), "true")
    assert ended.returncode == 2
    assert "set XDG_CACHE_HOME" in ended.stderr.splitlines()[-1]
