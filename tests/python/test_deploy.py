# SPDX-License-Identifier: BSD-3-Clause
"""`orrery deploy` on the real MPIs that are installed: programs whose results are known, with collectives of ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness import HUNG_S, ORRERY, Ended, Sandbox
from orrery import _core
from orrery.deploy.places import places_of_platform, read_places
from orrery.deploy.rules import DeployRule, read_rules
from orrery.deploy.session import DeployOutcome
from orrery.errors import InputError
from orrery.platform.find import find
from orrery.report.deployed import text as text_of
from real_mpis import MPIS, RealMpi, tool
from skips import needs

KEPT = Path(__file__).parents[2] / "build" / "deploy"
"""Compiling the library takes a minute; what it was compiled from is part of its name."""
KINDS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")
PLACES = '[[place]]\nhosts = ["no-such-*"]\nsite = "a"\n\n[[place]]\nhosts = ["*"]\nsite = "b"\ncluster = "c"\ncabinet = "d"\n'


@pytest.fixture(scope="module", params=MPIS)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, built: Path) -> str:
    """The name of a real MPI for which the library is compiled."""
    sandbox = Sandbox(tmp_path_factory.mktemp("library"), built)
    mpi = RealMpi(request.param, sandbox)
    mpi.compiler("mpicxx")
    sandbox.environment["XDG_CACHE_HOME"] = str(KEPT)
    deploy(mpi, rules_text({"bcast": "binomial"}), 1, "true")
    assert list((KEPT / "orrery" / "measure").glob("deploy-*")) != []
    return mpi.name


@pytest.fixture
def real(library: str, sandbox: Sandbox) -> RealMpi:
    mpi = RealMpi(library, sandbox)
    mpi.compiler("mpicxx")
    sandbox.environment["XDG_CACHE_HOME"] = str(KEPT)
    return mpi


def rules_text(algorithms: dict[str, str]) -> str:
    return "".join(f'[[rule]]\ncollective = "{kind}"\nalgorithm = "{name}"\n' for kind, name in algorithms.items())


def deploy(real: RealMpi, rules: str, ranks: int, *program: str, options: Sequence[str] = ("--check",)) -> Ended:
    folder = real.sandbox.folder
    (folder / "rules.toml").write_text(rules)
    more = ["--oversubscribe"] if real.name == "openmpi" else []
    line = [str(ORRERY), "deploy", "--collectives", "rules.toml", *options, "--", real.mpirun, *more, "-n", str(ranks)]
    done = subprocess.run(
        [*line, *program],
        cwd=folder,
        env=real.sandbox.environment,
        capture_output=True,
        text=True,
        timeout=HUNG_S,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr, 0.0, {})


def uses(real: RealMpi) -> list[dict[str, Any]]:
    """What became of calls, as -o wrote it."""
    document = json.loads((real.sandbox.folder / "used.json").read_text())
    assert document["finalized"]
    return list(document["uses"])


def used(real: RealMpi) -> dict[str, dict[str, Any]]:
    """By collective, what became of its calls, as -o wrote it: on communicators of several ranks, where there are any."""
    return {use["collective"]: use for use in sorted(uses(real), key=lambda use: use["algorithm"] != "")}


def run_and_use(real: RealMpi, rules: str, ranks: int, *program: str) -> dict[str, dict[str, Any]]:
    ended = deploy(real, rules, ranks, *program, options=("--check", "-o", "used.json"))
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    return used(real)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8, 17])
def test_every_collective_moves_the_right_bytes_level_by_level(real: RealMpi, ranks: int) -> None:
    slices = {"bcast", "reduce", "allreduce", "gather", "scatter"}
    rules = rules_text({kind: "hierarchical" + ":segment=100" * (kind in slices) for kind in KINDS})
    sizes = ("1", "130") if ranks < 17 else ("20",)
    found = run_and_use(real, rules, ranks, real.program("deployed.c"), *sizes)
    for kind in KINDS:
        if ranks > 1:
            assert found[kind]["algorithm"].startswith("hierarchical"), kind
        else:
            assert "no private copy" in found[kind]["left"], kind


@pytest.mark.slow
def test_thirty_three_ranks(real: RealMpi) -> None:
    rules = rules_text(dict.fromkeys(KINDS, "hierarchical"))
    found = run_and_use(real, rules, 33, real.program("deployed.c"), "10")
    assert {use["algorithm"] for use in found.values()} == {"hierarchical"}


def usable(kind: str) -> list[str]:
    """Names in the registry that a rule may have."""
    names = []
    for algorithm in _core.algorithms():
        if algorithm.collective == kind:
            try:
                DeployRule(collective=kind, algorithm=algorithm.name)  # type: ignore[arg-type]
            except ValueError:
                continue
            names += [algorithm.name, *([f"{algorithm.name}:segment=100"] if algorithm.segments else [])]
    return names


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [4, 5])
def test_every_algorithm_of_the_registry_moves_the_right_bytes(real: RealMpi, ranks: int) -> None:
    names = {kind: usable(kind) for kind in KINDS}
    assert len(names["bcast"]) > 20
    barriers = names.pop("barrier")
    sizes = [25 * number for number in range(1, 1 + -(-max(map(len, names.values())) // len(barriers)))]
    served = set()
    for turn, barrier in enumerate(barriers):  # the other collectives take an algorithm for each size, in one run
        rules = rules_text({"barrier": barrier}) + "".join(
            f'[[rule]]\ncollective = "{kind}"\nmin_bytes = {4 * size}\nmax_bytes = {4 * size}\n'
            f'algorithm = "{of_kind[(turn * len(sizes) + number) % len(of_kind)]}"\n'
            for kind, of_kind in names.items()
            for number, size in enumerate(sizes)
        )
        ended = deploy(
            real, rules, ranks, real.program("deployed.c"), *map(str, sizes), options=("--check", "-o", "used.json")
        )
        assert (ended.code, ended.out) == (0, "ok\n"), (rules, ended.err)
        served |= {(use["collective"], use["algorithm"]) for use in uses(real)}
    every = {(kind, name) for kind, of_kind in [*names.items(), ("barrier", barriers)] for name in of_kind}
    # These are for several nodes; there is one.
    assert {name for _, name in every - served} == {"han", "han_unbalanced", "multi_lane"}


@needs("gfortran")
@pytest.mark.parametrize("module", [(), ("-DF08",)], ids=["mpi", "mpi_f08"])
def test_sentinels_of_fortran_are_those_of_c(real: RealMpi, module: tuple[str, ...]) -> None:
    program = real.program("deployed.F90", "mpifort", ("-w", "-fallow-argument-mismatch", *module))
    found = run_and_use(real, rules_text(dict.fromkeys(KINDS, "hierarchical")), 3, program)
    assert {kind: use["calls"] for kind, use in found.items() if use["algorithm"]} == {
        "allreduce": 3,
        "reduce": 6,
        "allgather": 3,
        "bcast": 3,
    }


def test_calls_that_rules_do_not_name_are_left_to_the_library_with_the_reason(real: RealMpi) -> None:
    rules = (
        '[[rule]]\ncollective = "bcast"\nmax_bytes = 100\nmin_ranks = 3\nalgorithm = "binomial"\n'
        '[[rule]]\ncollective = "reduce"\nalgorithm = "library"\n'
        '[[rule]]\ncollective = "allreduce"\nmin_ranks = 3\nalgorithm = "ring"\n'
    )
    ended = deploy(real, rules, 4, real.program("deployed_left.c"), options=())
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    # Of 4 ranks each: 1 short broadcast, 1 long one, 1 on a communicator of 2 ranks; an operation that does not commute.
    for line in (
        "bcast: 4 calls by binomial (rule 1)",
        "bcast: 4 calls left to the library: no rule fits",
        "bcast: 4 calls left to the library: no private copy",
        "reduce: 4 calls left to the library: rule 2",
        "allreduce: 4 calls left to the library: operation that does not commute",
        "allreduce: 4 calls left to the library: reduction of a derived datatype",
    ):
        assert line in ended.err, ended.err


def test_a_program_with_several_threads_in_mpi_is_left_alone(real: RealMpi) -> None:
    ended = deploy(real, rules_text({"bcast": "binomial"}), 2, real.program("deployed_left.c"), "threads")
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    if "MPI_THREAD_MULTIPLE" not in ended.err:  # an MPI that gives less
        assert "bcast:" in ended.err


def test_a_result_that_differs_from_the_library_s_ends_the_job(real: RealMpi) -> None:
    # The program's operation is none: it gives something else each time.
    ended = deploy(real, rules_text({"reduce": "linear"}), 3, real.program("deployed_left.c"), "differs")
    assert ended.code != 0
    # The launcher may lose what ranks write to standard error before they end the job: the report has it, too.
    (why, *_) = [line for line in ended.err.splitlines() if "orrery: a rank ended the job: " in line]
    assert "reduce by linear of 8 bytes gives rank 0 of 3 another result than the library" in why
    assert 'algorithm = "library"' in why


def test_hosts_that_the_topology_does_not_name_are_said(real: RealMpi) -> None:
    (real.sandbox.folder / "places.toml").write_text(PLACES.replace('"*"', '"nor-this-*"'))
    options = ("--topology", "places.toml")
    ended = deploy(real, rules_text({"bcast": "hierarchical"}), 2, real.program("deployed_left.c"), options=options)
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    assert f"the topology does not say where {os.uname().nodename}" in ended.err


def test_another_tool_in_front_of_mpi_is_named(real: RealMpi) -> None:
    source, other = real.sandbox.folder / "other.c", real.sandbox.folder / "libother.so"
    source.write_text(
        "#include <mpi.h>\nint MPI_Bcast(void* b, int n, MPI_Datatype t, int r, MPI_Comm c) { return PMPI_Bcast(b, n, t, r, c); }\n"
    )
    compiler = tool("mpicc", real.name)
    assert compiler is not None
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", other], check=True)
    real.sandbox.environment["LD_PRELOAD"] = str(other)
    ended = deploy(real, rules_text({"bcast": "binomial"}), 2, real.program("deployed_left.c"), options=())
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    assert "libother.so wraps MPI, too" in ended.err


def test_a_summary_is_about_the_program_that_was_started_not_about_those_that_it_spawns(real: RealMpi) -> None:
    options = ("-o", "used.json")
    # MPICH's UCX at times writes to standard output that a peer which has just ended has no files any more.
    real.sandbox.environment["UCX_LOG_LEVEL"] = "fatal"
    ended = deploy(real, rules_text({"allreduce": "ring"}), 1, real.program("deployed_spawn.c"), options=options)
    assert (ended.code, ended.out) == (0, "ok\n"), ended.err
    document = json.loads((real.sandbox.folder / "used.json").read_text())
    (use,) = document["uses"]
    assert (document["ranks"], use["collective"], use["calls"]) == (1, "allreduce", 1)
    assert "no private copy" in use["left"]


def test_a_program_that_makes_no_use_of_mpi_is_told(real: RealMpi) -> None:
    ended = deploy(real, rules_text({"bcast": "binomial"}), 2, "true", options=())
    assert ended.code == 1
    assert f"no rank used the library (exit code 0 of {real.mpirun})" in ended.err
    assert "--mpicxx" in ended.err
    assert list(real.sandbox.folder.glob("orrery-deploy.*")) == []


@needs("mpi4py", "openmpi")
def test_mpi4py_gives_what_it_gives_without(sandbox: Sandbox) -> None:
    real = RealMpi("openmpi", sandbox)
    sandbox.environment["XDG_CACHE_HOME"] = str(KEPT)
    script = sandbox.folder / "sums.py"
    script.write_text(
        "from mpi4py import MPI\nimport numpy as np\n"
        "comm = MPI.COMM_WORLD\nrow = np.arange(1000.0) + comm.rank\ntotal = np.empty(1000)\n"
        "comm.Allreduce(row, total)\ncomm.Bcast(total, root=1)\nwords = comm.allgather('rank %d' % comm.rank)\n"
        "parts = comm.Split(comm.rank % 2).gather(comm.rank, root=0)\n"
        "if comm.rank == 0: print(total.sum(), words, parts)\n"
    )
    # mpi4py asks for MPI_THREAD_MULTIPLE; its own setting asks for less.
    sandbox.environment["MPI4PY_RC_THREAD_LEVEL"] = "serialized"
    real.mpirun = str(shutil.which("mpirun.openmpi"))
    rules = rules_text({"allreduce": "ring", "bcast": "hierarchical", "allgather": "bruck", "gather": "binomial"})
    ended = deploy(real, rules, 4, "/usr/bin/python3", str(script), options=("--check",))
    assert ended.code == 0, ended.err
    # 1000 columns, of which each sums to 4 times its number and 0 + 1 + 2 + 3.
    assert ended.out == f"{4 * 499500.0 + 6 * 1000} ['rank 0', 'rank 1', 'rank 2', 'rank 3'] [0, 2]\n"
    assert "allreduce: 4 calls by ring" in ended.err, ended.err


@pytest.mark.slow
@needs("lammps", "openmpi")
def test_lammps_prints_the_same_energies(sandbox: Sandbox) -> None:
    real = RealMpi("openmpi", sandbox)
    sandbox.environment["XDG_CACHE_HOME"] = str(KEPT)
    real.mpirun = str(shutil.which("mpirun.openmpi"))
    (sandbox.folder / "melt.in").write_text(
        "units lj\natom_style atomic\nlattice fcc 0.8442\nregion box block 0 6 0 6 0 6\ncreate_box 1 box\n"
        "create_atoms 1 box\nmass 1 1.0\nvelocity all create 3.0 87287\npair_style lj/cut 2.5\n"
        "pair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\nneigh_modify every 20 delay 0 check no\n"
        "fix 1 all nve\nthermo 10\nrun 50\n"
    )
    program = ("lmp", "-in", "melt.in", "-log", "none")
    rules = {"bcast": "hierarchical", "allreduce": "ring", "reduce": "binomial", "allgather": "hierarchical"}
    ours = deploy(real, rules_text(rules), 2, *program)
    theirs = deploy(real, rules_text(dict.fromkeys(rules, "library")), 2, *program, options=())
    assert (ours.code, theirs.code) == (0, 0), ours.err + theirs.err
    assert "calls by hierarchical" in ours.err

    def energies(text: str) -> list[str]:
        lines = text.splitlines()
        first = next(number for number, line in enumerate(lines) if line.split()[:2] == ["Step", "Temp"])
        return lines[first : first + 7]

    assert energies(ours.out) == energies(theirs.out)


def check_refused(file: Path, text: str, read: Callable[[Path], object], words: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as told:
        read(file)
    assert words in str(told.value)
    assert str(file) in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "rule: is missing"),
        ('[[rule]]\ncollective = "bcast"\n', "rules.toml:1: rule[0].algorithm: is missing"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "rong"\n', 'no algorithm of bcast is named "rong"; there are: '),
        ('[[rule]]\ncollective = "bcast"\nalgorithms = "ring"\n', 'did you mean "algorithm"'),
        ('[[rule]]\ncollective = "bkast"\nalgorithm = "ring"\n', "rules.toml:2: rule[0].collective: "),
        ('[[rule]]\ncollective = "allgatherv"\nalgorithm = "ring"\n', "rules.toml:2: rule[0].collective: "),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "binomial, ring"\n', "without blanks"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "binomial,reduce=binomial"\n', "expected NAME"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "remote_send_local_bcast"\n', "between two groups"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "linear:segment=1KiB"\n', "is not segmented"),
        ('[[rule]]\ncollective = "bcast"\nmin_bytes = "1MiB"\nmax_bytes = 8\nalgorithm = "linear"\n', "no call fits"),
        ('[[rule]]\ncollective = "bcast"\nmin_ranks = 9\nmax_ranks = 8\nalgorithm = "linear"\n', "no call fits"),
        (
            '[[rule]]\ncollective = "bcast"\nmax_bytes = "1 lot"\nalgorithm = "linear"\n',
            "rules.toml:3: rule[0].max_bytes: ",
        ),
        ('[[rule]]\ncollective = "barrier"\nmax_bytes = 8\nalgorithm = "linear"\n', "a barrier has no bytes"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = """ring\nring"""\n', "expected one line of printable"),
        ('[[rule]]\ncollective = "bcast"\nalgorithm = "linear"\n"a\\nb" = 1\n', "expected one line of printable"),
        ('[[rules]]\ncollective = "bcast"\nalgorithm = "linear"\n', 'unknown key, did you mean "rule"'),
        (
            '[rule]\ncollective = "bcast"\nalgorithm = "linear"\n',
            "rules.toml:1: rule: expected tables, each below [[rule]]",
        ),
        ("[[rule]\n", "not TOML"),
    ],
)
def test_a_mistake_in_a_rules_file_is_named_with_its_cure(tmp_path: Path, text: str, words: str) -> None:
    check_refused(tmp_path / "rules.toml", text, read_rules, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "place: is missing"),
        ('[[place]]\nsite = "a"\n', "places.toml:1: place[0].hosts: is missing"),
        ("[[place]]\nhosts = []\n", "places.toml:2: place[0].hosts: "),
        ('[[place]]\nhosts = ["a"]\nsites = "a"\n', 'did you mean "site"'),
        ('[[place]]\nsite = "a"\nhosts = ["a", "b c"]\n', 'places.toml:3: place[0].hosts: "b c": a host'),
        ('[[place]]\nhosts = [""]\n', "has no blanks"),
        ('[[place]]\nhosts = ["a\\u0000b"]\n', "expected one line of printable"),
        ('[[places]]\nhosts = ["a"]\n', 'unknown key, did you mean "place"'),
    ],
)
def test_a_mistake_in_a_topology_file_is_named_with_its_cure(tmp_path: Path, text: str, words: str) -> None:
    check_refused(tmp_path / "places.toml", text, read_places, words)


def test_a_platform_whose_hosts_have_no_names_of_hosts_is_refused(tmp_path: Path) -> None:
    text = find("graphene").read_text(encoding="utf-8")
    assert 'prefix = "graphene-"' in text
    check_refused(
        tmp_path / "blank.toml",
        text.replace('prefix = "graphene-"', 'prefix = "a b-"'),
        lambda file: places_of_platform(str(file)),
        '"a b-1": a host\'s name has no blanks',
    )


@pytest.mark.parametrize(
    ("hosts", "named"), [(1, "where h0 is:"), (5, "where h0, h1, h2, h3, h4 are:"), (7, "h3, h4 and 2 more are:")]
)
def test_a_summary_names_a_few_of_the_hosts_that_the_topology_lacks(hosts: int, named: str) -> None:
    unknown = [f"h{number}" for number in range(hosts)]
    said = text_of(DeployOutcome(exit_code=0, ranks=8, finalized=True, multiple_threads=False, unknown_hosts=unknown))
    assert named in said.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--", "mpirun", "-n", "2", "./a"], "--collectives"),
        (["--collectives", "missing.toml", "--", "mpirun"], "No such file"),
        (["--collectives", "rules.toml"], "--prepare FOLDER"),
        (["--collectives", "rules.toml", "--prepare", "f", "--", "mpirun"], "--prepare FOLDER"),
        (["--collectives", "rules.toml", "--topology", "missing.toml", "--", "mpirun"], "--topology missing.toml"),
        (["--collectives", "rules.toml", "-p", "no-such", "--", "mpirun"], "no-such"),
        (["--collectives", "rules.toml", "-p", "default", "--topology", "p.toml", "--", "mpirun"], "use one of them"),
        (["--collectives", "rules.toml", "-o", "-", "--", "mpirun"], "standard output is the program's"),
        (["--collectives", "rules.toml", "-o", "p.toml", "--", "mpirun"], "--overwrite"),
        (
            ["--collectives", "rules.toml", "--topology", "p.toml", "-o", "p.toml", "--overwrite", "--", "mpirun"],
            "is what is read",
        ),
        (["--collectives", "rules.toml", "-o", "x.json", "--prepare", "f"], "acts only on a program that runs"),
        (["--collectives", "rules.toml", "--mpicxx", "mpicxx", "--prepare", "p.toml/f"], "p.toml/f: Not a directory"),
        (["--collectives", "rules.toml", "--mpicxx", "no-such-mpicxx", "--", "mpirun"], "no-such-mpicxx"),
    ],
)
def test_what_cannot_be_deployed_is_refused_in_one_line(sandbox: Sandbox, arguments: list[str], words: str) -> None:
    (sandbox.folder / "rules.toml").write_text(rules_text({"bcast": "binomial"}))
    (sandbox.folder / "p.toml").write_text(PLACES)
    ended = sandbox.orrery("deploy", *arguments)
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert words in ended.err
