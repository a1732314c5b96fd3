# SPDX-License-Identifier: BSD-3-Clause
"""Which binary interface a program needs: programs and libraries of a few lines, built for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orrery.run.elf import read_elf
from orrery.run.interface import STANDARD, ProgramNeeds, needs, preload

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


RANK = STANDARD.folder / "liborrery_rank.so"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def library(folder: Path, soname: str, *link: str) -> Path:
    """A shared library with a function and that name."""
    source = folder / "library.c"
    source.write_text("int answer(void) { return 42; }\n")
    path = folder / soname
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", path, f"-Wl,-soname,{soname}", *link], check=True)
    return path


def program(folder: Path, *link: str | Path) -> Path:
    source = folder / "program.c"
    source.write_text("int main(void) { return 0; }\n")
    path = folder / "program"
    subprocess.run(["cc", source, "-o", path, "-Wl,--no-as-needed", *link], check=True)
    return path


def needed(path: Path, **environment: str) -> ProgramNeeds:
    return needs([str(path)], {"PATH": os.environ["PATH"], **environment})


@pytest.mark.parametrize(
    ("soname", "name"),
    [
        ("libmpi_abi.so.1", "standard"),
        ("libmpi_abi_fortran.so.1", "standard"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.40", "openmpi"),
        ("libmpi_mpifh.so.40", "openmpi"),
        ("libmpi_usempi_ignore_tkr.so.40", "openmpi"),
        ("libmpi_usempif08.so.40", "openmpi"),
    ],
)
def test_a_program_gets_the_interface_that_it_was_linked_with(folder: Path, soname: str, name: str) -> None:
    wanted = needed(program(folder, library(folder, soname)))
    assert wanted.interface.name == name
    folders = wanted.environment["LD_LIBRARY_PATH"].split(":")
    assert folders[0] == str(wanted.interface.folder)
    assert sorted(Path(path).name for path in folders) == ["lib", "mpich", "openmpi"]  # a plug-in may need another
    assert not wanted.is_script


def test_only_what_replaces_functions_of_the_c_library_is_preloaded(folder: Path) -> None:
    wanted = needed(program(folder, library(folder, "libmpi.so.12")), LD_PRELOAD="/usr/lib/theirs.so")
    assert wanted.environment["LD_PRELOAD"] == f"{RANK}:/usr/lib/theirs.so"


def test_a_library_that_is_preloaded_already_is_not_put_before_itself() -> None:
    given = {"LD_PRELOAD": "/usr/lib/libasan.so.8:/other/lib/liborrery_rank.so"}
    assert preload(given, RANK) == given


def test_a_folder_whose_name_would_divide_the_list_is_left_to_the_search_path() -> None:
    libraries = (Path("/opt/my tools/lib/libfirst.so"), Path("/opt/tools/lib/libsecond.so"))
    assert preload({}, *libraries) == {"LD_PRELOAD": "libfirst.so:/opt/tools/lib/libsecond.so"}


def test_address_sanitizer_is_told_that_another_library_comes_first(folder: Path) -> None:
    binary = program(folder, library(folder, "libmpi.so.12"), library(folder, "libasan.so.8"))
    assert needed(binary).environment["ASAN_OPTIONS"] == "verify_asan_link_order=0"
    given = needed(binary, ASAN_OPTIONS="detect_leaks=0").environment["ASAN_OPTIONS"]
    assert given == "verify_asan_link_order=0:detect_leaks=0"


def test_a_library_of_the_program_may_be_what_needs_mpi(folder: Path) -> None:
    library(folder, "libmpich.so.12")
    solver = library(folder, "libsolver.so.1", "-Wl,--no-as-needed", f"-L{folder}", "-l:libmpich.so.12")
    binary = program(folder, solver, "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags", f"-Wl,-rpath-link,{folder}")
    elf = read_elf(binary)
    assert elf is not None
    assert "libsolver.so.1" in elf.needed
    assert elf.runpath == (str(folder),)
    assert needed(binary).interface.name == "mpich"


def test_folders_of_the_environment_are_searched_too(folder: Path) -> None:
    library(folder, "libmpi.so.12")
    solver = library(folder, "libsolver.so.1", "-Wl,--no-as-needed", f"-L{folder}", "-l:libmpi.so.12")
    binary = program(folder, solver, f"-Wl,-rpath-link,{folder}")
    assert needed(binary).interface.name == "standard"  # nobody finds libsolver.so.1
    wanted = needed(binary, LD_LIBRARY_PATH=str(folder))
    assert wanted.interface.name == "mpich"
    assert wanted.environment["LD_LIBRARY_PATH"].endswith(f":{folder}")


def test_a_folder_that_comes_before_the_environment_is_overridden(folder: Path) -> None:
    # DT_RPATH, which older builds have, comes before LD_LIBRARY_PATH.
    binary = program(folder, library(folder, "libmpi.so.12"), "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags")
    wanted = needed(binary)
    assert wanted.environment["LD_PRELOAD"] == f"{RANK}:{wanted.interface.folder}/libmpi.so.12"


def test_all_libraries_that_such_a_folder_has_are_overridden(folder: Path) -> None:
    needs_both = (library(folder, "libmpi_mpifh.so.40"), library(folder, "libmpi.so.40"))
    binary = program(folder, *needs_both, "-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags")
    wanted = needed(binary)
    assert wanted.environment["LD_PRELOAD"].split(":") == [
        str(RANK),
        *(f"{wanted.interface.folder}/{path.name}" for path in needs_both),
    ]


def test_linear_algebra_starts_no_threads_unless_the_user_says_so(folder: Path) -> None:
    binary = program(folder, library(folder, "libmpi.so.40"), library(folder, "libblas.so.3"))
    assert needed(binary).environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "OPENBLAS_NUM_THREADS" not in needed(binary, OMP_NUM_THREADS="2").environment


def test_a_script_finds_every_interface(folder: Path) -> None:
    script = folder / "job.sh"
    script.write_text("#!/bin/sh\nexec ./program\n")
    folders = needed(script).environment["LD_LIBRARY_PATH"].split(":")
    assert [Path(path).name for path in folders] == ["lib", "mpich", "openmpi"]


def test_a_program_that_is_not_there_is_left_to_who_starts_it() -> None:
    assert needs(["./no-such-program"], {}) == ProgramNeeds()


@pytest.mark.parametrize("damage", [0, 4, 32, 54, 64, 100, 200])
def test_a_damaged_file_is_no_program(folder: Path, damage: int) -> None:
    binary = program(folder, library(folder, "libmpi.so.12"))
    data = bytearray(binary.read_bytes())
    data[damage : damage + 8] = b"\xff" * 8
    binary.write_bytes(data)
    elf = read_elf(binary)
    assert elf is None or elf.path == binary  # and nothing is raised
    binary.write_bytes(data[:damage])
    assert read_elf(binary) is None


# Python programs.


def package(folder: Path, *variants: str) -> None:
    """A package mpi4py that has extension modules for these interfaces."""
    (folder / "mpi4py").mkdir()
    (folder / "mpi4py" / "__init__.py").touch()
    sonames = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "mpiabi": "libmpi_abi.so.1"}
    for variant in variants:
        extension = library(folder, "MPI.so", "-Wl,--no-as-needed", str(library(folder, sonames[variant])))
        extension.rename(folder / "mpi4py" / f"MPI.{variant}.cpython-311-x86_64-linux-gnu.so")


def python(folder: Path, **environment: str) -> ProgramNeeds:
    return needs([sys.executable, "-m", "mpi4py.bench"], {"PYTHONPATH": str(folder), **environment})


@pytest.mark.parametrize(
    ("variants", "chosen", "name"),
    [
        (("mpich", "openmpi"), "mpich", "mpich"),  # the wheel of PyPI
        (("mpich", "mpiabi"), "mpiabi", "standard"),
        (("mpiabi",), "mpiabi", "standard"),
        (("openmpi",), "openmpi", "openmpi"),
    ],
)
def test_mpi4py_is_told_which_of_its_modules_to_import(
    folder: Path, variants: tuple[str, ...], chosen: str, name: str
) -> None:
    package(folder, *variants)
    wanted = python(folder)
    assert wanted.is_script
    assert wanted.interface.name == name
    assert wanted.environment["MPI4PY_MPIABI"] == chosen
    assert wanted.environment["LD_PRELOAD"] == str(RANK)  # mpi4py may not even be imported


def test_what_the_user_says_about_mpi4py_holds(folder: Path) -> None:
    package(folder, "mpich", "mpiabi")
    assert python(folder, MPI4PY_MPIABI="mpich").interface.name == "mpich"


def test_a_python_script_is_a_python_program(folder: Path) -> None:
    script = folder / "simulate"
    script.write_text("#!/usr/bin/env python3\nimport mpi4py.MPI\n")
    assert needed(script).is_script


def test_linear_algebra_of_a_python_program_starts_no_threads_unless_told(folder: Path) -> None:
    script = folder / "program.py"
    script.write_text(f"#!{sys.executable}\n")
    script.chmod(0o755)
    assert needed(script).environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "OPENBLAS_NUM_THREADS" not in needed(script, OMP_NUM_THREADS="4").environment
    assert "MKL_NUM_THREADS" not in needed(script, OPENBLAS_NUM_THREADS="2").environment
