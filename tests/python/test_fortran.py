# SPDX-License-Identifier: BSD-3-Clause
"""Fortran: mpif.h, the modules, their entry points, and the wrappers that compile programs with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.__main__ import HERE, generate
from generator.errors import TableError
from generator.fortran.constants import OLD_FUNCTIONS, PREDEFINED_FUNCTIONS
from generator.fortran.entries import symbols
from generator.fortran.spec import FortranSpec, read_spec
from generator.kinds import read_kinds
from generator.table import RoutineTable, read_table
from harness import HUNG_S
from skips import needs

PROGRAMS = Path(__file__).parent.parent / "programs"
WRAPPERS = ("mpifort", "mpif77", "mpif90")

needs_compiler = needs("gfortran")


@pytest.fixture(scope="module")
def table() -> RoutineTable:
    return read_table(HERE, read_kinds(HERE / "kinds.toml"))


@pytest.fixture(scope="module")
def spec(table: RoutineTable) -> FortranSpec:
    return read_spec(HERE / "fortran.toml", table)


@pytest.fixture(scope="module")
def prefix() -> Path:
    """Folder with bin, include, fortran and lib: $ORRERY_PREFIX, or that of the installed package."""
    if "ORRERY_PREFIX" in os.environ:
        return Path(os.environ["ORRERY_PREFIX"])
    orrery = pytest.importorskip("orrery")
    folder = Path(orrery.__file__).parent / "prefix"
    if not folder.is_dir():
        pytest.skip("Orrery is not installed; ORRERY_PREFIX may name a build tree's prefix")
    return folder


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=HUNG_S
    )


# What is generated.


def test_lines_of_mpif_h_fit_both_source_forms() -> None:
    # Fixed form ends at column 72, and begins statements at column 7; neither may be continued the other's way.
    lines = generate("mpif").splitlines()
    assert [line for line in lines if not line.startswith("!") and not re.fullmatch(r" {6}\S.{0,65}", line)] == []


def test_lines_of_the_modules_are_not_too_long_for_compilers() -> None:
    assert max(len(line) for line in generate("fortran-modules").splitlines()) <= 132


def test_handles_are_the_numbers_that_c_converts_to() -> None:
    text = generate("mpif")
    assert "parameter (MPI_COMM_WORLD=257)" in text  # 0x101, MPI-5.0, chapter 20
    assert "parameter (MPI_MAX_ERROR_STRING=511)" in text  # one less than C's, which counts the zero


def test_a_kind_that_fortran_does_not_have_is_an_error(table: RoutineTable, tmp_path: Path) -> None:
    text = (HERE / "fortran.toml").read_text().replace("MPI_Offset = ", "MPI_Other = ")
    (tmp_path / "fortran.toml").write_text(text)
    with pytest.raises(TableError, match="kind offset of File_set_size is missing"):
        read_spec(tmp_path / "fortran.toml", table)


def test_large_counts_share_a_name_only_where_the_compiler_can_tell() -> None:
    text = generate("fortran-modules")
    send = re.search(r"interface MPI_Send\n(.*?)end interface", text, re.DOTALL)
    extent = re.search(r"interface MPI_Type_get_extent\n(.*?)end interface", text, re.DOTALL)
    assert send is not None
    assert extent is not None
    assert "MPI_Send_c_f08ts" in send[1]
    assert "_c_f08" not in extent[1]  # MPI_ADDRESS_KIND and MPI_COUNT_KIND are the same
    assert "interface MPI_Type_get_extent_c\n" in text


# The library.


def exported(library: Path) -> set[str]:
    nm = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in nm.stdout.splitlines()}


def test_every_routine_has_its_entry_points_and_nothing_else_has(
    prefix: Path, table: RoutineTable, spec: FortranSpec
) -> None:
    names = {
        name
        for form in table.forms()
        if spec.has(form.routine)
        for f08 in (False, True)
        for name in symbols(spec, form, f08=f08)
    }
    names |= ONLY_FORTRAN
    expected = {f"{p}{name}_" for name in names for p in ("mpi_", "pmpi_")} | PREDEFINED
    found = exported(prefix / "lib" / "libmpi_abi_fortran.so.1")
    assert sorted(expected - found) == []
    assert sorted(name for name in found - expected if not name.startswith("orrery_")) == []


ONLY_FORTRAN = {
    *("sizeof", "f_sync_reg", "f_sync_reg_f08ts"),
    *("address", "type_extent", "type_lb", "type_ub", "type_hvector", "type_hindexed", "type_struct"),
    *("errhandler_create", "errhandler_set", "errhandler_get"),
    *("status_f2f08", "status_f2f08_f08", "status_f082f", "status_f082f_f08"),
}
PREDEFINED = {f"{name.lower()}_" for name in (*PREDEFINED_FUNCTIONS, *OLD_FUNCTIONS)}


def test_the_library_needs_no_runtime_of_a_compiler(prefix: Path) -> None:
    dynamic = run("readelf", "-d", prefix / "lib" / "libmpi_abi_fortran.so.1").stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    assert "libmpi_abi.so.1" in needed
    assert [name for name in needed if "fortran" in name or "stdc++" in name] == []


# The wrappers.


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_word_when_there_is_no_compiler(prefix: Path, wrapper: str, tmp_path: Path) -> None:
    for tool in ("dirname", "readlink", "sh"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    ended = run(prefix / "bin" / wrapper, "a.f90", PATH=str(tmp_path), ORRERY_FC="")
    assert ended.returncode == 1
    assert "no Fortran compiler found" in ended.stderr
    assert "ORRERY_FC" in ended.stderr


@needs_compiler
def test_modules_are_compiled_once(prefix: Path, tmp_path: Path) -> None:
    first = run(prefix / "bin" / "mpifort", "-showme:incdirs", XDG_CACHE_HOME=str(tmp_path))
    folder = Path(first.stdout.split()[1])
    assert (folder / "mpi.mod").is_file()
    assert (folder / "mpi_f08.mod").is_file()
    made = folder.stat().st_mtime_ns
    assert run(prefix / "bin" / "mpifort", "-showme:incdirs", XDG_CACHE_HOME=str(tmp_path)).stdout == first.stdout
    assert folder.stat().st_mtime_ns == made


@needs_compiler
def test_many_wrappers_at_once_make_the_modules_once(prefix: Path, tmp_path: Path) -> None:
    command = [str(prefix / "bin" / "mpifort"), "-showme:incdirs"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    answers = {process.communicate(timeout=HUNG_S)[0] for process in started}
    assert len(answers) == 1
    assert [path.name for path in (tmp_path / "orrery" / "fortran").iterdir() if path.name.startswith("making")] == []


def test_a_compiler_that_cannot_compile_the_modules_is_named(prefix: Path, tmp_path: Path) -> None:
    ended = run(prefix / "bin" / "mpifort", "-showme:compile", ORRERY_FC="false", XDG_CACHE_HOME=str(tmp_path))
    assert "false cannot compile the modules" in ended.stderr
    assert ended.stdout == f"-I{prefix}/include\n"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("-showme:libs", "mpi_abi_fortran mpi_abi"),
        ("-showme:libdirs", "{prefix}/lib"),
        (
            "-showme:link",
            "-L{prefix}/lib -Wl,-rpath,{prefix}/lib -Wl,--enable-new-dtags -lmpi_abi_fortran -lmpi_abi",
        ),
    ],
)
def test_questions_about_linking(prefix: Path, question: str, answer: str) -> None:
    ended = run(prefix / "bin" / "mpifort", question, ORRERY_FC="gfortran")
    assert ended.stdout == answer.format(prefix=prefix) + "\n"


@pytest.mark.slow
@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_cmake_finds_the_modules(prefix: Path, tmp_path: Path) -> None:
    shutil.copy(PROGRAMS / "fortran_f08.f90", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "project(uses_mpi LANGUAGES C Fortran)\n"
        "find_package(MPI REQUIRED COMPONENTS Fortran)\n"
        "if(NOT MPI_Fortran_HAVE_F90_MODULE OR NOT MPI_Fortran_HAVE_F08_MODULE)\n"
        '  message(FATAL_ERROR "modules are not found")\n'
        "endif()\n"
        "add_executable(program fortran_f08.f90)\n"
        "target_link_libraries(program PRIVATE MPI::MPI_Fortran)\n"
    )
    build = tmp_path / "build"
    configured = run("cmake", "-S", tmp_path, "-B", build, f"-DMPI_HOME={prefix}")
    assert configured.returncode == 0, configured.stdout + configured.stderr
    built = run("cmake", "--build", build)
    assert built.returncode == 0, built.stdout + built.stderr


# What programs see.


@needs_compiler
@pytest.mark.parametrize(
    "name",
    ["fortran_mpif.f", "fortran_mpi.f90", "fortran_f08.f90", "fortran_f08_mpi4.f90", "fortran_f08_sections.f90"],
)
def test_programs_see_the_standard(prefix: Path, tmp_path: Path, name: str) -> None:
    program = tmp_path / Path(name).stem
    compiled = run(prefix / "bin" / "mpifort", "-g", f"-J{tmp_path}", PROGRAMS / name, "-o", program)
    assert compiled.returncode == 0, compiled.stderr
    ended = run(prefix / "bin" / "mpiexec", "-n", "3", program, XDG_STATE_HOME=str(tmp_path))
    if ended.returncode == 127:
        pytest.skip(ended.stderr)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr


@needs_compiler
def test_a_section_that_mpi_would_have_to_keep_is_refused_by_the_name_of_the_routine(
    prefix: Path, tmp_path: Path
) -> None:
    program = tmp_path / "sections"
    source = PROGRAMS / "fortran_f08_sections.f90"
    compiled = run(prefix / "bin" / "mpifort", f"-J{tmp_path}", source, "-o", program)
    assert compiled.returncode == 0, compiled.stderr
    ended = run(prefix / "bin" / "mpiexec", "-n", "3", program, "a window", XDG_STATE_HOME=str(tmp_path))
    if ended.returncode == 127:
        pytest.skip(ended.stderr)
    assert ended.returncode != 0
    assert "MPI_Win_create" in ended.stderr
    assert "pass a contiguous array" in ended.stderr
