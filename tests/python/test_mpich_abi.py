# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's binary interface: the library of that name, and programs that were compiled for it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from generator.__main__ import generate
from generator.categories import Category, read_categories
from generator.foreign import foreign_forms
from generator.interface import Interface, read_interface
from generator.kinds import read_kinds
from generator.table import Table, read_table
from generator.values import values
from test_abi import ABI, EXPORTED_TOO, PROGRAMS, exported

ORRERY_PREFIX = "ORRERY_PREFIX"

# What MPICH 4.0.2's library has besides the table's routines, and programs may use: routines that MPI-3.0 removed,
# conversions of what is no int in Fortran, variables.
OF_MPICH = {
    *(f"{p}MPI_{name}" for p in ("", "P") for name in (
        "Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed",
        "Type_hvector", "Type_lb", "Type_struct", "Type_ub", "File_c2f", "File_f2c", "Status_c2f", "Status_f2c",
    )),
    "MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_T_PVAR_ALL_HANDLES", "MPIR_Dup_fn",
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Table:
    return read_table(ABI, read_kinds(ABI / "kinds.toml"))


@pytest.fixture(scope="module")
def standard() -> Interface:
    return read_interface(ABI / "standard" / "standard.toml")


@pytest.fixture(scope="module")
def mpich() -> Interface:
    return read_interface(ABI / "mpich" / "mpich.toml")


@pytest.fixture(scope="module")
def categories() -> list[Category]:
    return read_categories(ABI / "foreign" / "categories.toml")


@pytest.fixture(scope="module")
def prefix() -> Path:
    if ORRERY_PREFIX in os.environ:
        return Path(os.environ[ORRERY_PREFIX])
    orrery = pytest.importorskip("orrery")
    folder = Path(orrery.__file__).parent / "prefix"
    if not folder.is_dir():
        pytest.skip(f"Orrery is not installed; {ORRERY_PREFIX} may name a build tree's prefix")
    return folder


@pytest.fixture(scope="module")
def header(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an mpi.h of the interface, which Orrery does not install."""
    folder = tmp_path_factory.mktemp("include")
    (folder / "mpi.h").write_text(generate("header", "mpich"))
    return folder


def test_names_of_the_interface_are_names_of_the_standard(standard: Interface, mpich: Interface) -> None:
    assert set(mpich.values()) <= set(standard.values())
    for type_, handles in mpich.handles.items():
        assert set(handles) <= set(standard.handles[type_])


def test_every_number_of_the_standard_is_in_one_category_or_is_a_length(
    standard: Interface, categories: list[Category]
) -> None:
    # Numbers in no category are the same in all interfaces, or say something about an interface and are not passed.
    uncategorised = set(standard.values())
    for category in categories:
        names = {name for name, *_ in category.pairs(standard, standard)}
        assert names <= uncategorised, category.name
        uncategorised -= names
    lengths = {name for name in uncategorised if name.startswith(("MPI_MAX_", "MPI_F_"))}
    assert uncategorised - lengths == {"MPI_UNDEFINED", "MPI_BSEND_OVERHEAD"}


def test_mpi_undefined_is_the_same_number(standard: Interface, mpich: Interface) -> None:
    assert standard.values()["MPI_UNDEFINED"] == mpich.values()["MPI_UNDEFINED"]


def test_a_number_of_neither_interface_becomes_no_constant(
    standard: Interface, mpich: Interface, categories: list[Category]
) -> None:
    # MPI_ANY_TAG is -2 in the standard and -1 in MPICH, where -2 is no tag.
    text = values(mpich, standard, categories)
    tag = text[text.index("struct tag {") : text.index("struct error {")]
    assert re.findall(r"case (-?\d+): return (-?\d+);", tag)[:2] == [("-1", "-2"), ("-2", "-98765")]


def test_the_library_exports_the_table_and_what_mpich_has_besides(prefix: Path, table: Table, mpich: Interface) -> None:
    expected = {p + form.name for form in foreign_forms(table, mpich) for p in ("", "P")} | EXPORTED_TOO | OF_MPICH
    symbols = exported(prefix / "lib" / "mpich" / "libmpi.so.12")
    assert sorted(symbols - expected) == []
    assert sorted(expected - symbols) == []


@pytest.mark.parametrize(("name", "needs"), [("libmpi.so.12", None), ("libmpich.so.12", "libmpi.so.12")])
def test_libraries_have_the_names_that_programs_look_for(prefix: Path, name: str, needs: str | None) -> None:
    dynamic = subprocess.run(
        ["readelf", "-d", prefix / "lib" / "mpich" / name], capture_output=True, text=True, check=True
    ).stdout
    assert f"Library soname: [{name}]" in dynamic
    assert "stdc++" not in dynamic
    assert needs is None or f"[{needs}]" in dynamic


def simulated(prefix: Path, header: Path, folder: Path, library: str) -> subprocess.CompletedProcess[str]:
    """tests/programs/mpich.c on three ranks, compiled for MPICH's interface."""
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    libraries = prefix / "lib" / "mpich"
    binary = folder / "mpich"
    link = [f"-L{libraries}", f"-l:{library}", "-l:libmpi.so.12"]
    subprocess.run(["cc", *strict, f"-I{header}", PROGRAMS / "mpich.c", "-o", binary, *link], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "XDG_STATE_HOME": str(folder)}
    return subprocess.run(
        [prefix / "bin" / "mpiexec", "-n", "3", binary],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )


@pytest.mark.parametrize("library", ["libmpi.so.12", "libmpich.so.12"])
def test_a_program_compiled_for_mpich_sees_mpichs_interface(
    prefix: Path, header: Path, tmp_path: Path, library: str
) -> None:
    ended = simulated(prefix, header, tmp_path, library)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr
