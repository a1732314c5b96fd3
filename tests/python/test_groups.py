# SPDX-License-Identifier: BSD-3-Clause
"""Groups that a job asks for: in the program, on Orrery and on real MPIs; where they landed; what they did not get."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import COUPLED, PLAIN
from harness import ORRERY, PROGRAMS, Ended, Sandbox, prefix
from orrery.errors import InputError
from orrery.groups import Groups
from orrery.job import table
from orrery.job.landed import landed
from orrery.job.reading import load, parse
from orrery.platform.core import build
from orrery.platform.load import load as load_platform
from orrery.real_mpi.starter import ranks_of
from real_mpis import MPIS, WHOLE_LINES, RealMpi
from skips import needs

# Of 8 ranks `ocean` has 4, the first that `air` does not have; `io` has what is left.
OF_C = """\
0 ocean in -1 at 0: 1 2 3 4 sum 10 cores 1
1 ocean/east in 0 at 1: 1 2 sum 3 cores -
2 ocean/west in 0 at 1: 3 4 sum 7 cores -
3 air in -1 at 0: 0 7 sum 7 cores -
4 io in -1 at 0: 5 6 sum 11 cores -
innermost: 3 1 1 2 2 4 4 3
no such: -1 0 null
"""
OF_FORTRAN = """\
0 ocean in -1 at 0: 1 2 3 4
sum 10 cores 1
1 ocean/east in 0 at 1: 1 2
sum 3 cores -
2 ocean/west in 0 at 1: 3 4
sum 7 cores -
3 air in -1 at 0: 0 7
sum 7 cores -
4 io in -1 at 0: 5 6
sum 11 cores -
innermost: 3 1 1 2 2 4 4 3
no such: -1 0
"""
OF_PYTHON = """\
0 ocean at 0: 1 2 3 4 sum 10 cores 1
1 ocean/east at 1: 1 2 sum 3 cores -
2 ocean/west at 1: 3 4 sum 7 cores -
3 air at 0: 0 7 sum 7 cores -
4 io at 0: 5 6 sum 11 cores -
innermost: air ocean/east ocean/east ocean/west ocean/west io io air
"""
needs_fortran = needs("gfortran")


@pytest.fixture
def job(sandbox: Sandbox) -> Path:
    file = sandbox.folder / "job.toml"
    file.write_text(COUPLED)
    return file


def on_grid(sandbox: Sandbox, *words: str) -> Ended:
    """Eight ranks with groups, of two cores a node, on the built-in grid of two sites."""
    return sandbox.orrery(
        "run", "-n", "8", "-o", "run.json", "--platform", "grid2", "--compute", "none", "--groups", "job.toml", *words
    )


def fortran(sandbox: Sandbox, name: str) -> str:
    binary = sandbox.built / f"{name}.fortran"
    if not binary.exists():
        subprocess.run(
            [prefix() / "bin" / "mpifort", PROGRAMS / f"{name}.f90", "-o", binary], check=True, cwd=sandbox.built
        )
    return str(binary)


@pytest.mark.usefixtures("job")
def test_a_program_in_c_converts_names_and_colours_and_gets_communicators(sandbox: Sandbox) -> None:
    ended = on_grid(sandbox, "--groups-unmet", "warn", sandbox.program("groups"))
    assert (ended.code, ended.out) == (0, OF_C), ended.err


@pytest.mark.usefixtures("job")
@needs_fortran
def test_a_program_in_fortran_does_the_same(sandbox: Sandbox) -> None:
    ended = on_grid(sandbox, "--groups-unmet", "warn", fortran(sandbox, "groups"))
    assert (ended.code, ended.out) == (0, OF_FORTRAN), ended.err


@pytest.mark.usefixtures("job")
def test_a_program_in_python_does_the_same_and_sees_process_sets(sandbox: Sandbox) -> None:
    pytest.importorskip("mpi4py")
    ended = on_grid(sandbox, "--groups-unmet", "warn", sys.executable, str(PROGRAMS / "groups_mpi4py.py"), "sets")
    assert ended.code == 0, ended.err
    assert ended.out.startswith(OF_PYTHON)
    assert "2 ('orrery://group/ocean/east', 2, '1')" in ended.out
    assert "5 ('orrery://group/io', 2, '4')" in ended.out
    assert "5 ('orrery://site/Orsay', 8, None)" in ended.out


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("start", ["fork", "exec"])
def test_process_sets_are_groups_and_where_they_landed(sandbox: Sandbox, start: str) -> None:
    """Sites get ranks in turn, so that each group is on both: what was asked for, and what there is, need not agree."""
    hosts = "node@orsay-1:2,rennes-1:2,orsay-2:2,rennes-2:2"
    program = sandbox.program("process_sets")
    ended = on_grid(sandbox, "--launch", start, "--map", hosts, program)
    assert ended.code == 0, ended.err
    lines = [line for line in ended.out.splitlines() if line.startswith("2 ")]
    assert lines == [
        "2 mpi://WORLD size 8 sum 28",
        "2 mpi://SELF size 1 sum 2",
        "2 orrery://group/ocean size 4 sum 10 colour 0 cores 1",
        "2 orrery://group/ocean/east size 2 sum 3 colour 1",
        "2 orrery://site/Orsay size 4 sum 12",  # 0, 2, 4, 6
        "2 orrery://cluster/orsay size 4 sum 12",
        "2 orrery://node/orsay-2 size 2 sum 8",  # 2, 6
        "2 orrery://socket/orsay-2-socket-0 size 1 sum 2",
    ]
    assert "1 orrery://site/Rennes size 4 sum 16" in ended.out.splitlines()
    assert ended.record["groups"][0] == {
        "name": "ocean",
        "colour": 0,
        "ranks": "1-4",
        "nodes": 4,
        "clusters": ["rennes", "orsay"],
        "sites": ["Rennes", "Orsay"],
    }
    assert "group           ocean: ranks 1-4 on 4 nodes of rennes, orsay" in ended.err


@pytest.mark.usefixtures("job")
@needs_fortran
def test_fortran_sees_process_sets(sandbox: Sandbox) -> None:
    ended = on_grid(sandbox, "--groups-unmet", "warn", fortran(sandbox, "process_sets"))
    assert ended.code == 0, ended.err
    assert "2 orrery://group/ocean size 4 colour 0" in ended.out.splitlines()
    assert "0 orrery://group/air size 2 colour 3" in ended.out.splitlines()


def test_each_level_of_the_platform_has_process_sets(sandbox: Sandbox) -> None:
    two = PLAIN.replace("nodes = 64\ncores = 1", "cores = 2\nsockets = 2")
    cabinets = '[[cluster.cabinet]]\nname = "left"\nnodes = 2\n[[cluster.cabinet]]\nnodes = 2\n'
    (sandbox.folder / "two.toml").write_text(two + cabinets)
    ended = sandbox.run(8, "process_sets", options=("--platform", "two.toml"))
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert [line for line in lines if line.startswith("3 orrery")] == [
        "3 orrery://cluster/plain size 8 sum 28",
        "3 orrery://cabinet/left size 4 sum 6",
        "3 orrery://node/plain-2 size 2 sum 5",
        "3 orrery://socket/plain-2-socket-1 size 1 sum 3",
    ]
    assert "7 orrery://cabinet/plain-cabinet-2 size 4 sum 22" in lines  # it has no name of its own


def test_without_groups_a_program_sees_where_it_is(sandbox: Sandbox) -> None:
    ended = sandbox.run(2, "process_sets", options=("--platform", "grid2", "--map", "node"))
    assert "1 orrery://node/orsay-2 size 1 sum 1" in ended.out.splitlines()
    assert "orrery://group" not in ended.out
    ended = sandbox.run(2, "groups")
    assert ended.out == "innermost: -1 -1\nno such: -1 0 null\n"


def test_a_table_for_another_number_of_ranks_is_refused_where_it_is_used(sandbox: Sandbox) -> None:
    sandbox.environment[table.VARIABLE] = "1:3:a=0-2"
    ended = sandbox.run(2, "process_sets")
    assert ended.code != 0
    assert "ORRERY_GROUPS is made for 3 ranks, and there are 2" in ended.err
    ended = sandbox.run(2, "groups")
    assert "rank 0: code " in ended.out


@pytest.mark.usefixtures("job")
def test_blanks_are_filled_in_and_written_back(sandbox: Sandbox) -> None:
    ended = on_grid(sandbox, "--groups-out", "filled.toml", "--map", "node", sandbox.program("groups"))
    assert ended.code == 0, ended.err
    profile = load(sandbox.folder / "filled.toml").profile
    ocean, air, _ = profile.groups
    assert ocean.processes == "50 %"
    assert ocean.found is not None
    assert (ocean.found.ranks, ocean.found.nodes) == ("1-4", ["orsay-2", "orsay-3", "orsay-4", "orsay-5"])
    assert ocean.found.inside is not None
    assert ocean.found.inside.latency_s == pytest.approx(100e-6)  # of the platform: 0.1 ms inside of a site
    assert air.found is not None
    assert air.found.colour == 3
    (between,) = ocean.found.between
    assert between.groups == ["east", "west"]
    assert between.latency_s == pytest.approx(100e-6)
    assert len(profile.found_between) == 3
    # What was written is a profile again, with the same groups wherever it runs next.
    (sandbox.folder / "filled.toml").rename(sandbox.folder / "job.toml")
    again = on_grid(sandbox, "--groups-out", "again.xml", "--map", "node", sandbox.program("groups"))
    assert (again.code, again.out) == (0, OF_C), again.err
    assert load(sandbox.folder / "again.xml").profile == profile


@pytest.mark.usefixtures("job")
def test_what_orrery_did_not_write_is_not_replaced(sandbox: Sandbox) -> None:
    (sandbox.folder / "mine.toml").write_text("mine")
    program = sandbox.program("groups")
    ended = on_grid(sandbox, "--groups-unmet", "warn", "--groups-out", "mine.toml", program)
    assert ended.code == 2
    assert "Orrery did not write it" in ended.err
    assert on_grid(sandbox, "--groups-unmet", "warn", "--groups-out", "job.toml", program).code == 2
    for _ in range(2):  # its own it replaces
        ended = on_grid(sandbox, "--groups-unmet", "warn", "--groups-out", "its.xml", program)
        assert ended.code == 0, ended.err
    assert on_grid(sandbox, "--groups-unmet", "warn", "--groups-out", "mine.toml", "--overwrite", program).code == 0


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ('inside = { latency_at_most_s = "1ms" }', 'job.toml:4: group[0].inside.latency_at_most_s: between ranks of "all" at most 1 ms is asked for, but'),
        ('inside = { rate_at_least_bytes_per_s = "1Gbit/s" }', "it is 17.01 MB/s"),
        ("cores = 2", 'job.toml:4: group[0].cores: each rank of "all" needs 2, but orsay-1 has 2 for 4 ranks'),
        ("speed_at_least = 3", 'group[0].speed_at_least: "all" needs 3, but a core of orsay-1 has 1'),
    ],
)  # fmt: skip
def test_what_groups_do_not_get_is_named(sandbox: Sandbox, needs: str, said: str) -> None:
    (sandbox.folder / "job.toml").write_text(f'\n[[group]]\nname = "all"\n{needs}\n')
    places = ("--map", "slot@orsay-1:4,rennes-1:4")
    ended = on_grid(sandbox, *places, sandbox.program("groups"))
    assert ended.code == 2
    assert said in ended.err
    assert "--groups-unmet warn" in ended.err
    ended = on_grid(sandbox, *places, "--groups-unmet", "warn", sandbox.program("groups"))
    assert ended.code == 0
    assert any(said in caution for caution in ended.record["cautions"])


# A ring of three nodes: from a to b it is one link, from b to a two, one of them slow.
RING = """
name = "ring"
model = "fluid"
[[cluster]]
name = "ring"
cores = 2
memory_bandwidth_bytes_per_s = 100
memory_latency_s = 0
[cluster.graph]
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
  { name = "ab", bandwidth_bytes_per_s = 8, latency_s = 1, sharing = "shared" },
  { name = "bc", bandwidth_bytes_per_s = 8, latency_s = 1, sharing = "shared" },
  { name = "ca", bandwidth_bytes_per_s = 5, latency_s = 2, sharing = "shared" },
]
edge = [
  { between = ["a", "b"], links = ["ab"], one_way = true },
  { between = ["b", "c"], links = ["bc"], one_way = true },
  { between = ["c", "a"], links = ["ca"], one_way = true },
]
"""
BESIDE = """
[[group]]
name = "x"
[[group]]
name = "y"
[[between]]
latency_at_most_s = 2
rate_at_least_bytes_per_s = 6
"""


def test_the_network_between_groups_is_the_worse_of_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(RING)
    job, platform = parse("job.toml", BESIDE.encode()), load_platform(str(file)).model_dump()
    found = landed(job, job.resolve(2), build(platform), platform, [0, 1])
    assert [(network.latency_s, network.rate_bytes_per_s) for network in found.found_between] == [
        (3, 5)
    ]  # 1 + 2 s, min(8, 5) B/s
    assert [sentence.partition("but ")[2] for sentence in found.unmet] == [
        "from b to a it is 3 s",
        "from b to a it is 5 B/s (40 bit/s)",
    ]
    assert [group.inside for group in found.found] == [None, None]  # a rank each


def test_what_cannot_be_checked_is_said(sandbox: Sandbox) -> None:
    (sandbox.folder / "job.toml").write_text('[[group]]\nname = "all"\nmemory_bytes = "1GiB"\n')
    ended = on_grid(sandbox, sandbox.program("groups"))
    assert ended.code == 0
    assert any("memory_bytes: not checked" in caution for caution in ended.record["cautions"])


def test_options_of_groups_act_only_with_groups(sandbox: Sandbox) -> None:
    for option in (("--groups-out", "x.toml"), ("--groups-unmet", "warn")):
        ended = sandbox.run(2, "groups", options=option)
        assert ended.code == 2
        assert f"{option[0]}: acts only with --groups" in ended.err


def launched(real: RealMpi, *program: str, options: tuple[str, ...] = ()) -> Ended:
    more = ["--oversubscribe"] if real.name == "openmpi" else []
    line = ["launch", "--groups", "job.toml", *options, "--", real.mpirun, *more, "-n", "8", *program]
    return real.sandbox.finish(real.sandbox.start(*line))


def built_for(real: RealMpi, source: str, *flags: str, compiler: str = "mpicc") -> str:
    """Path of a program that is built with the files for other MPIs."""
    binary = real.sandbox.built / f"{source}.portable.{real.name}"
    whole = WHOLE_LINES if compiler == "mpicc" else ()
    command = [
        real.compiler(compiler),
        *flags,
        *whole,
        f"-I{prefix() / 'portable'}",
        str(PROGRAMS / source),
        "-o",
        str(binary),
    ]
    subprocess.run(command, check=True, cwd=real.sandbox.folder)
    return str(binary)


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("mpi", MPIS)
def test_on_a_real_mpi_the_same_program_gets_the_same_groups(sandbox: Sandbox, mpi: str) -> None:
    real = RealMpi(mpi, sandbox)
    ended = launched(real, built_for(real, "groups.c", "-std=c99", "-Wall", "-Wextra", "-Werror"))
    assert (ended.code, ended.out) == (0, OF_C), ended.err
    assert "not checked" in ended.err  # `cores`


@pytest.mark.usefixtures("job")
@needs_fortran
@pytest.mark.parametrize("mpi", MPIS)
def test_on_a_real_mpi_fortran_does_the_same(sandbox: Sandbox, mpi: str) -> None:
    real = RealMpi(mpi, sandbox)
    ended = launched(real, built_for(real, "groups.f90", compiler="mpifort"))
    assert (ended.code, ended.out) == (0, OF_FORTRAN), ended.err


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("mpi", MPIS)
def test_on_a_real_mpi_python_does_the_same(sandbox: Sandbox, mpi: str) -> None:
    pytest.importorskip("mpi4py")
    real = RealMpi(mpi, sandbox)
    sandbox.environment["MPI4PY_MPIABI"] = mpi
    libraries = Path(real.mpirun).parents[1] / "lib"
    sandbox.environment["LD_LIBRARY_PATH"] = str(libraries)
    loads = [sys.executable, "-c", "import mpi4py; mpi4py.rc.initialize = False; import mpi4py.MPI"]
    # Debian's MPICH has another name than its library has elsewhere.
    if subprocess.run(loads, env=sandbox.environment, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"mpi4py does not find the library of the real {mpi} here")
    ended = launched(real, sys.executable, str(PROGRAMS / "groups_mpi4py.py"))
    assert (ended.code, ended.out) == (0, OF_PYTHON), ended.err


@pytest.mark.usefixtures("job")
@pytest.mark.parametrize("mpi", MPIS)
def test_launching_writes_ranks_and_colours_back(sandbox: Sandbox, mpi: str) -> None:
    real = RealMpi(mpi, sandbox)
    ended = launched(real, "true", options=("--groups-out", "filled.xml"))
    assert ended.code == 0, ended.err
    found = load(sandbox.folder / "filled.xml").profile.groups[1].found
    assert found is not None
    assert (found.ranks, found.colour) == ("0,7", 3)


def test_launching_does_not_keep_what_an_earlier_run_found(sandbox: Sandbox) -> None:
    earlier = '[group.found]\nranks = "0"\ncolour = 0\nclusters = ["old"]\n'
    between = '[[found_between]]\ngroups = ["a", "b"]\nlatency_s = 1\n'
    (sandbox.folder / "job.toml").write_text(f'[[group]]\nname = "a"\n{earlier}[[group]]\nname = "b"\n{between}')
    ended = sandbox.orrery("launch", "--groups", "job.toml", "--ranks", "4", "--groups-out", "new.toml", "--", "true")
    assert ended.code == 0, ended.err
    profile = load(sandbox.folder / "new.toml").profile
    assert [(group.found.ranks, group.found.clusters) for group in profile.groups if group.found] == [
        ("0-1", []),
        ("2-3", []),
    ]
    assert profile.found_between == []


@pytest.mark.usefixtures("job")
def test_another_launcher_gets_the_variable_and_the_user_is_told(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("launch", "--groups", "job.toml", "--ranks", "8", "--", "env")
    assert ended.code == 0
    assert f"{table.VARIABLE}=1:8:ocean=1-4&asked_processes=50 %&asked_cores=1:ocean/east=1-2" in ended.out
    assert "no launcher that Orrery knows" in ended.err
    assert sandbox.orrery("launch", "--groups", "job.toml", "--ranks", "8", "--", "false").code == 1
    ended = sandbox.orrery("launch", "--groups", "job.toml", "--", "env")
    assert ended.code == 2
    assert "--ranks N" in ended.err
    assert sandbox.orrery("launch", "--groups", "job.toml").code == 2


@pytest.mark.parametrize(
    ("line", "ranks"),
    [
        ("mpirun -n 8 ./a -n 3", 8),
        ("mpirun --oversubscribe -np 4 ./a : -np 2 ./b", 6),
        ("mpiexec.hydra -ppn 2 -n=8 ./a", 8),
        ("srun --ntasks=12 ./a", 12),
        ("srun -n12 ./a", 12),
        ("srun -c 4 -n 8 ./a", 8),  # cores
        ("mpirun -c 4 ./a", 4),
        ("mpirun sh -c -n 3", None),  # the program's own
        ("mpirun -n x ./a", None),
        ("mpirun ./a", None),
    ],
)
def test_the_number_of_ranks_is_read_from_the_launchers_line(line: str, ranks: int | None) -> None:
    assert ranks_of(line.split()) == ranks


def test_the_table_survives_as_text_and_is_refused_when_damaged() -> None:
    entries = [table.GroupEntry("a", [0, 2, 4], {"clusters": "x:y&z"}), table.GroupEntry("a/b", [4])]
    size, found = table.read(table.write(5, entries))
    assert size == 5
    assert [(entry.name, entry.ranks) for entry in found] == [("a", [0, 2, 4]), ("a/b", [4])]
    assert found[0].facts == {"clusters": "x%3Ay%26z"}
    assert table.read(table.write(1 << 16, [table.GroupEntry("even", range(0, 1 << 16, 2))]))[1][0].ranks == list(
        range(0, 1 << 16, 2)
    )
    for text in ("", "2:1:a=0", "1:0:a=0", "1:2:a", "1:2:a=2", "1:2:a=0,0", "1:2:=0", "1:99999999999:a=0"):
        with pytest.raises(ValueError, match=r"ORRERY_GROUPS"):
            table.read(text)
    with pytest.raises(ValueError, match="characters"):
        table.write(1 << 20, [table.GroupEntry("odd", [number * number for number in range(20_000)])])


def test_a_group_that_is_not_there_is_refused_with_what_is_near() -> None:
    groups = Groups("1:4:ocean=0-2:air=3")
    assert groups.of(3) == "air"
    assert groups.of(3, 1) is None
    with pytest.raises(InputError, match='did you mean "ocean"'):
        groups.ranks("oceans")
    with pytest.raises(InputError, match="no group of colour 2"):
        groups.name(2)
    assert Groups("").names == []


def test_every_command_of_the_help_is_there() -> None:
    done = subprocess.run([ORRERY, "launch", "--help"], check=True, capture_output=True, text=True)
    assert "groups.f90" in done.stdout
    for file in ("groups.h", "groups.f90"):
        assert (prefix() / "portable" / "orrery" / file).is_file()
        assert (prefix() / "include" / "orrery" / file).is_file()
