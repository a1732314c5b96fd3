# SPDX-License-Identifier: BSD-3-Clause
"""Each file of examples/ does what examples/README.md says of it."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from harness import EXAMPLES, HUNG_S, ORRERY, Sandbox
from skips import needs

REPOSITORY = EXAMPLES.parent
MPICH = REPOSITORY / "build" / "mpi" / "mpich" / "bin"


@pytest.fixture
def there(sandbox: Sandbox) -> Sandbox:
    """A sandbox with the examples in it, in which a shell finds `orrery`."""
    for file in EXAMPLES.iterdir():
        if file.is_file():
            shutil.copy(file, sandbox.folder)
    sandbox.environment["PATH"] = f"{ORRERY.parent}{os.pathsep}{os.environ['PATH']}"
    return sandbox


def shell(sandbox: Sandbox, line: str) -> str:
    """What a command prints that ends well."""
    ended = subprocess.run(
        ["bash", "-c", line], cwd=sandbox.folder, env=sandbox.environment, capture_output=True, text=True, timeout=HUNG_S,
        check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def recorded(sandbox: Sandbox) -> None:
    """Leave heat.trace: 16 ranks of heat2d."""
    shell(sandbox, f"orrery run -n 16 --platform graphene --map node -o heat.trace {sandbox.program('heat2d')} 64 20")


def test_each_example_is_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    files = [path.name for path in EXAMPLES.iterdir() if path.is_file() and path.name != "README.md"]
    assert [name for name in files if f"({name})" not in listed] == []


@needs("gfortran")
def test_the_fortran_program_finds_pi(there: Sandbox) -> None:
    shell(there, "$(orrery prefix)/bin/mpifort -O2 pi.f90 -o pi")
    # The midpoint rule is off by h^2 / 12 here: (f'(1) - f'(0)) h^2 / 24 with f'(1) = -2; h = 0.01 makes 8.3e-6.
    assert "error 8.3E-06" in shell(there, "orrery run -n 8 ./pi 100")


def test_the_python_program_finds_the_eigenvalue(there: Sandbox) -> None:
    pytest.importorskip("mpi4py")
    assert "largest eigenvalue 101.000000000, right" in shell(there, "orrery run -n 3 power_method.py 100 60")


def test_training_goes_half_of_the_way_in_each_step(there: Sandbox) -> None:
    pytest.importorskip("mpi4py")
    assert "3.125e-02 left, right" in shell(there, "orrery run -n 3 training.py 100 5")


def test_the_platform_by_hand_runs_programs(there: Sandbox) -> None:
    assert "16 hosts, 128 cores" in shell(there, "orrery platform show two_racks.toml")
    assert "right" in shell(there, f"orrery run -n 16 -p two_racks.toml --map node {there.program('heat2d')} 64 10")


def test_the_workload_computes_for_twenty_milliseconds_at_least(there: Sandbox) -> None:
    replayed = there.replayed("halo.toml", "--platform", "two_racks.toml", "--map", "node")
    # Ten steps, in each of which the slowest of 64 ranks computes for 2 ms at least; the mean is 2 ms.
    assert 20e-3 < replayed["simulated_s"] < 30e-3


def test_groups_sum_their_ranks(there: Sandbox) -> None:
    shell(there, "$(orrery prefix)/bin/mpicc groups.c -o groups")
    said = shell(there, "orrery run -n 8 --groups groups.toml ./groups")
    # 0 to 3, of which half are east; 4 to 6; and what is left.
    for line in (
        "ocean: 4 ranks, sum 6",
        "ocean/east: 2 ranks, sum 1",
        "air: 3 ranks, sum 15",
        "output: 1 ranks, sum 7",
    ):
        assert line in said


def test_what_if_compares_each_replay_on_common_computation(there: Sandbox) -> None:
    recorded(there)
    said = shell(there, "./what_if.sh heat.trace")
    assert said.count("computation is common and there is no noise") == 4
    assert "reduce-then-broadcast.json" in said


@pytest.mark.skipif(not (MPICH / "mpicc").exists(), reason="there is no MPICH of PyPI")
def test_a_capture_is_replayed_elsewhere(there: Sandbox) -> None:
    there.environment["PATH"] = f"{MPICH}{os.pathsep}{there.environment['PATH']}"
    said = shell(there, "./capture_to_replay.sh two_racks.toml")
    assert "ranks    4 on 1 host" in said
    assert "two-racks, 4 ranks on 4 hosts" in said
    assert (there.folder / "there.json").exists()
