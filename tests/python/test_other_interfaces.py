# SPDX-License-Identifier: BSD-3-Clause
"""Binary interfaces of other MPIs: their libraries, and programs that were compiled for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.__main__ import generate
from generator.categories import Category, read_categories
from generator.foreign import foreign_forms
from generator.interface import BinaryInterface, read_interface
from generator.kinds import read_kinds
from generator.table import RoutineTable, read_table
from generator.values import values
from harness import HUNG_S
from skips import needs
from test_abi import ABI, PROGRAMS, STAGING, exported

ORRERY_PREFIX = "ORRERY_PREFIX"
INTERFACES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}

# Routines that MPI-3.0 removed, and that programs of its time still call.
REMOVED = {
    f"{p}MPI_{name}"
    for p in ("", "P")
    for name in (
        *("Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed"),
        *("Type_hvector", "Type_lb", "Type_struct", "Type_ub"),
    )
}


def conversions(*classes: str) -> set[str]:
    """Names of the routines that give handles and statuses to Fortran and back, where they are no macros."""
    return {f"{p}MPI_{c}_{way}" for p in ("", "P") for c in (*classes, "Status") for way in ("c2f", "f2c")}


# What the libraries of MPICH 4.0.2 and Open MPI 4.1.4 have besides the table's routines, and programs may use.
BESIDES = {
    "mpich": conversions("File")
    | {f"MPI_{f}_{status}_IGNORE" for f in ("F", "F08") for status in ("STATUS", "STATUSES")}
    | {"MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_T_PVAR_ALL_HANDLES", "MPIR_Dup_fn"}
    | {"MPII_Op_set_cxx", "MPII_Errhandler_set_cxx", "MPII_Keyval_set_proxy"}
    | STAGING,
    "openmpi": conversions(
        *("Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win")
    )
    | {f"OMPI_C_MPI_{c}_{f}" for c in ("COMM", "TYPE", "WIN") for f in ("DUP_FN", "NULL_COPY_FN", "NULL_DELETE_FN")}
    | {"ompi_mpi_lb", "ompi_mpi_ub", "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE"}
    | {"ompi_attr_create_keyval", "ompi_errcode_intern_lastused", "ompi_errcodes_intern", "ompi_errhandler_create"}
    | {"ompi_errhandler_invoke", "ompi_mpi_errors_throw_exceptions", "ompi_op_set_cxx_callback"}
    | {"ompi_registered_datareps"},
}


@pytest.fixture(scope="module")
def table() -> RoutineTable:
    return read_table(ABI, read_kinds(ABI / "kinds.toml"))


@pytest.fixture(scope="module")
def standard() -> BinaryInterface:
    return read_interface(ABI / "standard" / "standard.toml")


@pytest.fixture(scope="module", params=INTERFACES)
def foreign(request: pytest.FixtureRequest) -> BinaryInterface:
    return read_interface(ABI / request.param / f"{request.param}.toml")


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


def test_names_of_the_interface_are_names_of_the_standard(standard: BinaryInterface, foreign: BinaryInterface) -> None:
    assert set(foreign.values()) <= set(standard.values())
    for type_, handles in (*foreign.handles.items(), *foreign.symbols.items()):
        assert set(handles) <= set(standard.handles[type_])


def test_every_number_of_the_standard_is_in_one_category_or_is_a_length(
    standard: BinaryInterface, categories: list[Category]
) -> None:
    # Numbers in no category are the same in all interfaces, or say something about an interface and are not passed.
    uncategorised = set(standard.values())
    for category in categories:
        names = {name for name, *_ in category.pairs(standard, standard)}
        assert names <= uncategorised, category.name
        uncategorised -= names
    lengths = {name for name in uncategorised if name.startswith(("MPI_MAX_", "MPI_F_"))}
    assert uncategorised - lengths == {"MPI_UNDEFINED", "MPI_BSEND_OVERHEAD"}


def test_mpi_undefined_is_the_same_number(standard: BinaryInterface, foreign: BinaryInterface) -> None:
    assert standard.values()["MPI_UNDEFINED"] == foreign.values()["MPI_UNDEFINED"]


def test_a_number_of_neither_interface_becomes_no_constant(
    standard: BinaryInterface, categories: list[Category]
) -> None:
    # MPI_ANY_TAG is -2 in the standard and -1 in MPICH, where -2 is no tag.
    mpich = read_interface(ABI / "mpich" / "mpich.toml")
    text = values(mpich, standard, categories)
    tag = text[text.index("struct tag {") : text.index("struct error {")]
    assert re.findall(r"case (-?\d+): return (-?\d+);", tag)[:2] == [("-1", "-2"), ("-2", "-98765")]


def test_the_library_exports_the_table_and_what_the_other_has_besides(
    prefix: Path, table: RoutineTable, foreign: BinaryInterface
) -> None:
    expected = {p + form.name for form in foreign_forms(table, foreign) for p in ("", "P")}
    expected |= REMOVED | BESIDES[foreign.name]
    expected |= {symbol for names in foreign.symbols.values() for symbol in names.values()}
    symbols = exported(prefix / "lib" / foreign.name / foreign.library)
    assert sorted(symbols - expected) == []
    assert sorted(expected - symbols) == []


def test_libraries_have_large_counts_from_mpi_4_on(prefix: Path, foreign: BinaryInterface) -> None:
    symbols = exported(prefix / "lib" / foreign.name / foreign.library)
    assert ("MPI_Send_c" in symbols) == (foreign.version["MPI_VERSION"] >= 4)


@pytest.mark.parametrize(
    ("folder", "name", "needs"),
    [
        ("mpich", "libmpi.so.12", None),
        ("mpich", "libmpich.so.12", "libmpi.so.12"),
        ("mpich", "libmpifort.so.12", "libmpi.so.12"),
        ("mpich", "libmpichfort.so.12", "libmpifort.so.12"),
        ("openmpi", "libmpi.so.40", None),
        ("openmpi", "libmpi_mpifh.so.40", "libmpi.so.40"),
        ("openmpi", "libmpi_usempi_ignore_tkr.so.40", "libmpi_mpifh.so.40"),
        ("openmpi", "libmpi_usempif08.so.40", "libmpi_mpifh.so.40"),
    ],
)
def test_libraries_have_the_names_that_programs_look_for(
    prefix: Path, folder: str, name: str, needs: str | None
) -> None:
    dynamic = subprocess.run(
        ["readelf", "-d", prefix / "lib" / folder / name], capture_output=True, text=True, check=True
    ).stdout
    assert f"Library soname: [{name}]" in dynamic
    assert "stdc++" not in dynamic
    assert needs is None or f"[{needs}]" in dynamic


def run_program(prefix: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [prefix / "bin" / "mpiexec", "-n", "3", folder / "program", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG_S,
        env={**os.environ, "XDG_STATE_HOME": str(folder)},
    )


def compiled(
    prefix: Path, folder: Path, interface: str, library: str, *options: str, source: str = "other_interface.c"
) -> None:
    """A program of tests/programs for an interface, with a header of it, which Orrery does not install."""
    (folder / "mpi.h").write_text(generate("header", interface))
    libraries = prefix / "lib" / interface
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    link = [f"-L{libraries}", f"-l:{library}", f"-l:{INTERFACES[interface]}"]
    program: list[str | Path] = ["-o", folder / "program"]
    subprocess.run(["cc", *strict, *options, f"-I{folder}", PROGRAMS / source, *program, *link], check=True)


@pytest.mark.parametrize(
    ("interface", "library", "options"),
    [
        ("mpich", "libmpi.so.12", []),
        ("mpich", "libmpich.so.12", []),
        ("openmpi", "libmpi.so.40", []),
        ("openmpi", "libmpi.so.40", ["-fPIC", "-pie"]),
        ("openmpi", "libmpi.so.40", ["-fno-pie", "-no-pie"]),  # which has copies of the library's variables
    ],
)
def test_a_program_compiled_for_another_mpi_sees_its_interface(
    prefix: Path, tmp_path: Path, interface: str, library: str, options: list[str]
) -> None:
    compiled(prefix, tmp_path, interface, library, *options)
    ended = run_program(prefix, tmp_path)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr


def linked_with_stubs(folder: Path, source: str, library: str, names: tuple[str, ...], *options: str) -> None:
    """A program of tests/programs for MPICH's interface, linked with a library that has nothing but `names`."""
    (folder / "mpi.h").write_text(generate("header", "mpich"))
    (folder / "stubs.c").write_text("".join(f"void {name}(void) {{}}\n" for name in names))
    stubs = folder / library
    subprocess.run(["cc", "-shared", f"-Wl,-soname,{library}", "-o", stubs, folder / "stubs.c"], check=True)
    program: list[str | Path] = [PROGRAMS / source, stubs, "-o", folder / "program"]
    subprocess.run(["cc", *options, f"-I{folder}", *program], check=True)
    stubs.unlink()


def test_a_program_that_needs_debians_name_alone_sleeps_in_simulated_time(prefix: Path, tmp_path: Path) -> None:
    """Its MPI stands before the C library, though what it needs by name does nothing but name that MPI."""
    linked_with_stubs(tmp_path, "sleeper.c", "libmpich.so.12", ("MPI_Init", "MPI_Wtime", "MPI_Finalize"))
    needed = subprocess.run(["readelf", "-d", tmp_path / "program"], capture_output=True, text=True, check=True).stdout
    assert "[libmpich.so.12]" in needed
    assert "[libmpi.so.12]" not in needed
    ended = run_program(prefix, tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "3600.000\n" * 3), ended.stdout + ended.stderr


@pytest.mark.parametrize("options", [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]])
def test_a_program_linked_with_another_mpi_declares_computation(
    prefix: Path, tmp_path: Path, options: list[str]
) -> None:
    """That MPI knows nothing of orrery.h; the functions behind it are looked for when the program runs."""
    shutil.copy(prefix / "include" / "orrery.h", tmp_path)
    names = ("MPI_Init", "MPI_Comm_rank", "MPI_Wtime", "MPI_Barrier", "MPI_Finalize")
    linked_with_stubs(tmp_path, "declared.c", "libmpi.so.12", names, *options)
    ended = run_program(prefix, tmp_path, "100")
    assert (ended.returncode, ended.stdout[:9]) == (0, "took 100."), ended.stdout + ended.stderr


def test_bindings_of_cxx_on_top_of_mpich_call_the_functions_of_programs(prefix: Path, tmp_path: Path) -> None:
    compiled(prefix, tmp_path, "mpich", "libmpi.so.12", "-Wno-cast-function-type", source="mpich_language.c")
    ended = run_program(prefix, tmp_path)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr


@needs("openmpi")
@pytest.mark.parametrize("options", [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]])
def test_bindings_of_cxx_on_top_of_open_mpi_call_the_functions_of_programs(
    prefix: Path, tmp_path: Path, options: list[str]
) -> None:
    """Operations, error handlers, attributes, data representations, and errors that are thrown."""
    compile_: list[str | Path] = ["mpicxx.openmpi", *options, PROGRAMS / "openmpi_cxx.cpp"]
    subprocess.run([*compile_, "-o", tmp_path / "program"], check=True)
    ended = run_program(prefix, tmp_path)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr


# What mpif.h of MPICH 4.0.2 and of Open MPI 4.1.4 has.
FORTRAN = {
    "mpich": """
      integer world, int, sum, any_source, any_tag, tag_ub, comm_null
      integer status_size, source, tag
      parameter (world = 1140850688, int = 1275069467)
      parameter (sum = 1476395011, any_source = -2, any_tag = -1)
      parameter (tag_ub = 1681915906, comm_null = 67108864)
      parameter (status_size = 5, source = 3, tag = 4)
      integer bottom, in_place, status_ignore(5)
      common /mpipriv1/ bottom, in_place, status_ignore
      save /mpipriv1/
""",
    "openmpi": """
      integer world, int, sum, any_source, any_tag, tag_ub, comm_null
      integer status_size, source, tag
      parameter (world = 0, int = 7, sum = 3, any_source = -1)
      parameter (any_tag = -1, tag_ub = 0, comm_null = 2)
      parameter (status_size = 6, source = 1, tag = 2)
      integer in_place, status_ignore(6)
      common /mpi_fortran_in_place/ in_place
      common /mpi_fortran_status_ignore/ status_ignore
""",
}


@needs("gfortran")
@pytest.mark.parametrize(
    ("interface", "libraries"),
    [
        ("mpich", ["libmpifort.so.12", "libmpi.so.12"]),
        ("mpich", ["libmpichfort.so.12", "libmpich.so.12"]),
        ("openmpi", ["libmpi_mpifh.so.40"]),
        ("openmpi", ["libmpi_usempif08.so.40", "libmpi_usempi_ignore_tkr.so.40", "libmpi_mpifh.so.40", "libmpi.so.40"]),
    ],
)
@pytest.mark.parametrize("options", [["-fPIE", "-pie"], ["-fno-pie", "-no-pie"]])
def test_a_fortran_program_compiled_for_another_mpi_sees_its_interface(
    prefix: Path, tmp_path: Path, interface: str, libraries: list[str], options: list[str]
) -> None:
    (tmp_path / "interface.h").write_text(FORTRAN[interface])
    folder = prefix / "lib" / interface
    # The linker must look behind the libraries of other names, as the loader does.
    behind = ["-Wl,--no-as-needed", "-Wl,--copy-dt-needed-entries", f"-Wl,-rpath-link,{folder}"]
    link = [*behind, f"-L{folder}", *(f"-l:{library}" for library in libraries)]
    compile_ = ["gfortran", "-fallow-argument-mismatch", "-w", f"-I{tmp_path}", *options]
    subprocess.run([*compile_, PROGRAMS / "other_fortran.f", "-o", tmp_path / "program", *link], check=True)
    ended = run_program(prefix, tmp_path)
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr
