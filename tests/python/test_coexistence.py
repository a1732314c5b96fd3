# SPDX-License-Identifier: BSD-3-Clause
"""Who replaces the C library and who provides MPI does not depend on how a program was linked or what it loads."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator.__main__ import generate
from harness import ORRERY, PROGRAMS, Sandbox
from skips import needs

LIBRARIES = {"standard": "libmpi_abi.so.1", "mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}
RANKS = 3
SUM = 3
"""0 + 1 + 2."""


@pytest.fixture(scope="module")
def prefix() -> Path:
    return Path(subprocess.run([ORRERY, "prefix"], check=True, capture_output=True, text=True).stdout.strip())


def built(prefix: Path, folder: Path, source: str | Path, interface: str, name: str, *options: str) -> Path:
    """A program or library of tests/programs for an interface; it finds nothing of Orrery by itself."""
    headers = folder / f"headers-{interface}"
    headers.mkdir(exist_ok=True)
    (headers / "mpi.h").write_text(generate("header", interface))
    library = prefix / "lib" / ("" if interface == "standard" else interface) / LIBRARIES[interface]
    target = folder / name
    subprocess.run(
        [
            "cc",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{headers}",
            PROGRAMS / source,
            "-o",
            target,
            *options,
            library,
            "-ldl",
        ],
        check=True,
    )
    return target


def plugin(prefix: Path, folder: Path, interface: str) -> Path:
    return built(prefix, folder, "plugin.c", interface, f"{interface}.so", "-shared", "-fPIC")


def lines(sandbox: Sandbox, *command: str | Path, ranks: int = RANKS) -> list[str]:
    """What the ranks print in a run that ends well."""
    ended = sandbox.orrery("run", "-n", str(ranks), "-o", "run.json", *map(str, command))
    assert ended.code == 0, ended.out + ended.err
    return ended.out.splitlines()[:ranks]


# One process, several interfaces.


@pytest.mark.parametrize(("program", "loaded"), list(itertools.permutations(LIBRARIES, 2)))
def test_a_plugin_gets_its_own_interface_beside_another_of_the_program(
    prefix: Path, sandbox: Sandbox, program: str, loaded: str
) -> None:
    binary = built(prefix, sandbox.folder, "plugged.c", program, "plugged")
    own, other = plugin(prefix, sandbox.folder, program), plugin(prefix, sandbox.folder, loaded)
    another = Path(shutil.copy(other, sandbox.folder / "another.so"))  # when its interface is there already
    assert lines(sandbox, binary, other, own, another) == [f"sums {SUM} {SUM} {SUM} {SUM}"] * RANKS


@pytest.mark.parametrize("binding", ["-Wl,-z,lazy", "-Wl,-z,now"])
@pytest.mark.parametrize("interface", LIBRARIES)
def test_a_program_without_mpi_gives_each_plugin_its_own(
    prefix: Path, sandbox: Sandbox, interface: str, binding: str
) -> None:
    program = sandbox.folder / "plugged"
    subprocess.run(["cc", "-DWITHOUT_MPI", PROGRAMS / "plugged.c", "-o", program, binding, "-ldl"], check=True)
    plugins = [plugin(prefix, sandbox.folder, name) for name in (interface, *LIBRARIES)]
    assert lines(sandbox, program, *plugins) == ["sums" + f" {SUM}" * 4] * RANKS


def test_a_plugin_without_a_folder_in_its_name_is_looked_for_where_the_program_says(
    prefix: Path, sandbox: Sandbox
) -> None:
    folder = sandbox.folder / "plugins"
    folder.mkdir()
    plugin(prefix, sandbox.folder, "standard").rename(folder / "ours.so")
    program = sandbox.folder / "plugged"
    link = [f"-Wl,-rpath,{folder}", "-Wl,--enable-new-dtags", "-ldl"]
    subprocess.run(["cc", "-DWITHOUT_MPI", PROGRAMS / "plugged.c", "-o", program, *link], check=True)
    assert lines(sandbox, program, "ours.so") == [f"sums {SUM}"] * RANKS


PYTHON = """
import ctypes, sys
{first}
sums = [ctypes.CDLL(path).plugin_sum() for path in sys.argv[1:]]
{then}
print(" ".join(map(str, ["sums", *sums])) + "\\n", end="", flush=True)
"""
MPI4PY = "from mpi4py import MPI; sums_of_mpi4py = MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.rank)"


@pytest.mark.parametrize("interface", LIBRARIES)
def test_a_c_library_called_from_python_gets_the_interface_that_it_was_built_with(
    prefix: Path, sandbox: Sandbox, interface: str
) -> None:
    """Also where mpi4py is installed, which is not imported."""
    script = sandbox.folder / "calls.py"
    script.write_text(PYTHON.format(first="", then=""))
    assert lines(sandbox, sys.executable, script, plugin(prefix, sandbox.folder, interface)) == [f"sums {SUM}"] * RANKS


@pytest.mark.parametrize("flags", ["", "sys.setdlopenflags(0x102)  # RTLD_NOW | RTLD_GLOBAL\n"])
@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("interface", LIBRARIES)
def test_a_c_library_and_mpi4py_are_the_same_rank_whatever_their_interfaces(
    prefix: Path, sandbox: Sandbox, interface: str, order: str, flags: str
) -> None:
    pytest.importorskip("mpi4py")
    imports = f"{MPI4PY}; sums = [sums_of_mpi4py]"
    script = sandbox.folder / "calls.py"
    script.write_text(
        PYTHON.format(first=flags + MPI4PY, then="sums.append(sums_of_mpi4py)")
        if order == "before"
        else PYTHON.format(first=flags, then=imports)
    )
    library = plugin(prefix, sandbox.folder, interface)
    expected = f"sums {SUM} {SUM}" if order == "before" else f"sums {SUM}"
    assert lines(sandbox, sys.executable, script, library) == [expected] * RANKS


# Clocks and sleeps.

SLEEPS = r"""
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
void sleeps(void) {
  MPI_Init(NULL, NULL);
  double wtime = MPI_Wtime();
  time_t start = time(NULL);
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  sleep(3600);
  clock_gettime(CLOCK_MONOTONIC, &after);
  printf("%.0f %.0f %.0f\n", MPI_Wtime() - wtime, (double)(time(NULL) - start), (double)(after.tv_sec - before.tv_sec));
  MPI_Finalize();
}
"""


def sleeping_library(prefix: Path, folder: Path) -> Path:
    source = folder / "sleeps.c"
    source.write_text(SLEEPS)
    library = folder / "libsleeps.so"
    subprocess.run([prefix / "bin" / "mpicc", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def test_sleeps_are_simulated_where_only_a_library_of_the_program_needs_mpi(prefix: Path, sandbox: Sandbox) -> None:
    """The C library comes before MPI in the order in which the loader looks for names."""
    library = sleeping_library(prefix, sandbox.folder)
    source = sandbox.folder / "main.c"
    source.write_text("void sleeps(void);\nint main(void) { sleeps(); return 0; }\n")
    link: list[str | Path] = [library, "-lc", f"-Wl,-rpath,{sandbox.folder}", "-Wl,--as-needed"]
    subprocess.run(["cc", source, "-o", sandbox.folder / "main", *link], check=True)
    assert lines(sandbox, sandbox.folder / "main") == ["3600 3600 3600"] * RANKS


def test_sleeps_are_simulated_where_mpi_is_loaded_by_dlopen(prefix: Path, sandbox: Sandbox) -> None:
    library = sleeping_library(prefix, sandbox.folder)
    source = sandbox.folder / "main.c"
    source.write_text(
        "#include <dlfcn.h>\nint main(int argc, char **argv) { (void)argc;"
        ' ((void (*)(void))dlsym(dlopen(argv[1], RTLD_NOW), "sleeps"))(); return 0; }\n'
    )
    subprocess.run(["cc", source, "-o", sandbox.folder / "main", "-ldl"], check=True)
    assert lines(sandbox, sandbox.folder / "main", library) == ["3600 3600 3600"] * RANKS


@needs("gfortran")
@pytest.mark.parametrize("linked", ["--as-needed", "--no-as-needed"])
def test_clocks_of_fortran_are_simulated_however_the_program_was_linked(
    prefix: Path, sandbox: Sandbox, linked: str
) -> None:
    source = sandbox.folder / "clocks.f90"
    source.write_text(
        "program clocks\nuse mpi\nuse, intrinsic :: iso_fortran_env, only: int64\ninteger(int64) :: first, last, rate\n"
        "integer :: e\ndouble precision :: w\ncall MPI_Init(e)\ncall system_clock(first, rate)\nw = MPI_Wtime()\n"
        "call sleep(3600)\ncall system_clock(last)\nprint '(f6.0,f6.0)', real(last - first, 8) / rate, MPI_Wtime() - w\n"
        "call MPI_Finalize(e)\nend program\n"
    )
    binary = sandbox.folder / "clocks"
    subprocess.run([prefix / "bin" / "mpifort", source, "-o", binary, f"-Wl,{linked}"], check=True)
    assert lines(sandbox, binary) == [" 3600. 3600."] * RANKS


def test_a_program_under_address_sanitizer_runs(prefix: Path, sandbox: Sandbox) -> None:
    """Its runtime wants to be the first library; one that leaves the allocator alone may come before it."""
    binary = sandbox.folder / "hello"
    command: list[str | Path] = [prefix / "bin" / "mpicc", "-fsanitize=address", PROGRAMS / "hello.c", "-o", binary]
    if subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("the compiler has no AddressSanitizer")
    sandbox.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    assert sorted(lines(sandbox, binary)) == [f"rank {rank} of {RANKS}" for rank in range(RANKS)]


def test_a_program_whose_clocks_are_the_hosts_says_so(sandbox: Sandbox) -> None:
    """Something between orrery and the program has taken away what it preloads."""
    ended = sandbox.orrery("run", "-n", "2", "env", "-u", "LD_PRELOAD", sandbox.program("hello"))
    assert ended.code == 0, ended.err
    (line,) = [line for line in ended.err.splitlines() if "clocks and waits of this program follow this host" in line]
    assert "liborrery_rank.so" in line
