# SPDX-License-Identifier: BSD-3-Clause
"""The table of the MPI API, what is generated from it, and the library and wrappers that are built of that."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.__main__ import generate
from generator.bindings import entries
from generator.errors import TableError
from generator.header import header
from generator.interface import BinaryInterface, read_interface
from generator.interoperability import VARIABLES, prototypes
from generator.kinds import Direction, ParameterKind, read_kinds
from generator.names import names
from generator.prototype import prototype
from generator.table import Form, RoutineTable, read_table
from harness import HUNG_S
from replaced import TABLE

ROOT = Path(__file__).parent.parent.parent
ABI = ROOT / "src" / "abi"
PROGRAMS = ROOT / "tests" / "programs"

# Routines of the C header of the standard ABI, MPI-5.0, by chapter: with and without their large-count forms. Counted in
# the header that the MPI Forum's ABI working group publishes (mpi-forum/mpi-abi-stubs): its 664 names less those of
# NOT_STANDARD.
ROUTINES_BY_CHAPTER = {
    3: (61, 89),
    4: (6, 6),
    5: (34, 57),
    6: (
        55,
        105,
    ),  # 3 forms of 17 collectives and 4 others; all but the barriers and two of the others have a large form
    7: (56, 56),
    8: (35, 50),
    9: (33, 33),
    10: (9, 9),
    11: (26, 26),
    12: (36, 48),
    13: (4, 5),
    14: (56, 86),
    15: (52, 52),
    16: (12, 12),
    20: (28, 28),
}

# Forms that the working group's header has and the standard has not: the count is large in MPI_Psend_init itself.
NOT_STANDARD = {"MPI_Psend_init_c", "MPI_Precv_init_c", "PMPI_Psend_init_c", "PMPI_Precv_init_c"}

# Exported besides MPI_ and PMPI_: what is replaced of the C library, the functions behind orrery.h, and where entry points of all
# interfaces say from where the program called.
EXPORTED_TOO = {function for row in TABLE for function in row["functions"]} | {
    "orrery_compute", "orrery_sample_begin", "orrery_sample_end",
    "orrery_shared_malloc", "orrery_shared_free",
    "orrery_called_from",
    "dlopen",
    # Of these it is noted that the program has called them.
    "getpid", "gettid",
    "getrandom", "getentropy", "arc4random", "arc4random_uniform", "arc4random_buf", "_ZNSt13random_device9_M_getvalEv",
    "open", "open64", "openat", "openat64", "fopen", "fopen64",
    "mkstemp", "mkstemp64", "mkostemp", "mkostemp64", "mkstemps", "mkstemps64", "mkostemps", "mkostemps64",
    "mkdtemp",
}  # fmt: skip

# What the library of Fortran's entry points asks of that of C's, where arrays come by descriptor.
STAGING = {"orrery_stage_request", "orrery_stage_window", "orrery_refuse_section"}

# Conversions to and from Fortran, which the standard's table does not number.
FOR_FORTRAN = {text.partition("(")[0].split()[-1].lstrip("*") for p in ("", "P") for text in prototypes(p)} | set(
    VARIABLES
)


@pytest.fixture(scope="module")
def kinds() -> dict[str, ParameterKind]:
    return read_kinds(ABI / "kinds.toml")


@pytest.fixture(scope="module")
def table(kinds: dict[str, ParameterKind]) -> RoutineTable:
    return read_table(ABI, kinds)


@pytest.fixture(scope="module")
def interface() -> BinaryInterface:
    return read_interface(ABI / "standard" / "standard.toml")


@pytest.fixture(scope="module")
def prefix() -> Path:
    """Folder with bin, include and lib: $ORRERY_PREFIX (a build tree's prefix), or that of the installed package."""
    if "ORRERY_PREFIX" in os.environ:
        return Path(os.environ["ORRERY_PREFIX"])
    orrery = pytest.importorskip("orrery")
    folder = Path(orrery.__file__).parent / "prefix"
    if not folder.is_dir():
        pytest.skip("Orrery is not installed; ORRERY_PREFIX may name a build tree's prefix")
    return folder


def form(table: RoutineTable, name: str) -> Form:
    return next(form for form in table.forms() if form.name == name)


def chapter_of(folder: Path, text: str, kinds: dict[str, ParameterKind]) -> RoutineTable:
    """A table that has one chapter, with these lines."""
    (folder / "api").mkdir()
    (folder / "missing.toml").write_text('window = "Not there yet."\n')
    (folder / "api" / "test.api").write_text(f"chapter 1 Test\n{text}")
    return read_table(folder, kinds)


# The table.


def test_the_table_has_every_routine_of_the_standard_by_chapter(table: RoutineTable) -> None:
    counted = {
        chapter.number: (len(list(chapter.routines())), sum(len(r.forms()) for r in chapter.routines()))
        for chapter in table.chapters
    }
    assert counted == ROUTINES_BY_CHAPTER
    assert sum(forms for _, forms in counted.values()) == 662


def test_every_reason_is_used_and_every_kind_too(table: RoutineTable) -> None:
    routines = list(table.routines())
    assert {r.missing for r in routines if r.missing is not None} == set(table.reasons)
    used = {p.kind.name for r in routines for p in r.parameters} | {r.returns.name for r in routines if r.returns}
    assert used == set(table.kinds)


def test_a_routine_has_a_large_form_exactly_when_a_parameter_needs_one(table: RoutineTable) -> None:
    # MPI-4.1, section 2.5.8. Those whose small form is int for other reasons have no kind that widens.
    for routine in table.routines():
        widens = any(p.kind.large != p.kind.c for p in routine.parameters)
        assert routine.large == widens, routine.name


def test_what_a_parameter_says_is_read(table: RoutineTable) -> None:
    waitsome = form(table, "MPI_Waitsome")
    requests = waitsome.parameters[1]
    assert (requests.name, requests.kind.name) == ("array_of_requests", "request")
    assert requests.direction is Direction.INOUT
    assert requests.length == ("incount",)
    assert waitsome.parameters[4].used == "outcount"
    assert form(table, "MPI_Send_c").since == "4.0"
    assert form(table, "MPI_Comm_attach_buffer_c").since == "4.1"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Send(buf: bufer)  since 1.0", "bufer is no kind"),
        ("Send(buf: buffer[n])  since 1.0", "there is no n"),
        ("Send(buf: buffer)  since 1.5", "1.5 is no version"),
        ("Send(buf: buffer)  since 1.0, missing windows", "windows is no reason"),
        ("Send(buf: buffer)  since 1.0, lrage", "unknown attribute: lrage"),
        ("Send(buf: buffer", "not a routine"),
        ("Send(comm)  since 1.0\nSend(comm)  since 1.0", "MPI_Send is there twice"),
    ],
)
def test_a_mistake_in_the_table_is_named(
    tmp_path: Path, kinds: dict[str, ParameterKind], line: str, problem: str
) -> None:
    with pytest.raises(TableError, match=re.escape(problem)):
        chapter_of(tmp_path, line, kinds)


def test_missing_holds_to_the_end_of_its_section(tmp_path: Path, kinds: dict[str, ParameterKind]) -> None:
    text = "section A\nmissing window\nPut(comm)  since 2.0\nsection B\nGet(comm)  since 2.0\n"
    put, get = chapter_of(tmp_path, text, kinds).routines()
    assert (put.missing, get.missing) == ("window", None)


def test_a_routine_may_go_over_several_lines(tmp_path: Path, kinds: dict[str, ParameterKind]) -> None:
    (routine,) = chapter_of(
        tmp_path, "Recv(buf: out buffer[count],\n    count)  since 1.0,\n    large\n", kinds
    ).routines()
    assert [p.name for p in routine.parameters] == ["buf", "count"]
    assert routine.large


# What is generated.


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Signatures as the standard prints them: MPI-4.1, sections 3.2.4, 4.2.1, 3.7.5, 7.3.2, 5.1.2, 9.5, 15.2.4,
        # 11.2.1.
        (
            "MPI_Recv",
            (
                "int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, "
                "MPI_Status *status)"
            ),
        ),
        (
            "MPI_Psend_init",
            (
                "int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, "
                "int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)"
            ),
        ),
        (
            "MPI_Waitall",
            "int MPI_Waitall(int count, MPI_Request *array_of_requests, MPI_Status *array_of_statuses)",
        ),
        (
            "MPI_Group_range_incl",
            "int MPI_Group_range_incl(MPI_Group group, int n, int (*ranges)[3], MPI_Group *newgroup)",
        ),
        (
            "MPI_Type_create_hindexed_c",
            (
                "int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count *array_of_blocklengths, "
                "const MPI_Count *array_of_displacements, MPI_Datatype oldtype, MPI_Datatype *newtype)"
            ),
        ),
        ("MPI_Op_create_c", "int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)"),
        ("MPI_Wtime", "double MPI_Wtime(void)"),
        ("MPI_Pcontrol", "int MPI_Pcontrol(int level, ...)"),
        ("MPI_Init", "int MPI_Init(int *argc, char ***argv)"),
    ],
)
def test_prototypes_are_the_standards_with_pointers_for_arrays(table: RoutineTable, name: str, expected: str) -> None:
    assert prototype(form(table, name)) == expected


def test_the_header_declares_every_routine_under_both_names(table: RoutineTable, interface: BinaryInterface) -> None:
    routines = header(table, interface).partition("/* Fortran.")[0]
    declared = re.findall(r"^[a-zA-Z_]+ (P?MPI_\w+)\(", routines, re.MULTILINE)
    expected = [prefix + form.name for prefix in ("", "P") for form in table.forms()]
    assert declared == expected


@pytest.mark.parametrize("level", ["-O2", "-O3"])
@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
@pytest.mark.parametrize("name", ["standard", "mpich", "openmpi"])
def test_compilers_warn_of_no_address_that_has_a_meaning_of_its_own(
    tmp_path: Path, name: str, compiler: str, language: str, level: str
) -> None:
    (tmp_path / "mpi.h").write_text(generate("header", name))
    warnings = [level, "-Wall", "-Wextra", "-Werror", f"-DINTERFACE_{name}"]
    words: list[str | Path] = [
        compiler,
        "-x",
        language,
        *warnings,
        f"-I{tmp_path}",
        "-S",
        PROGRAMS / "addresses.c",
        "-o",
        "/dev/null",
    ]
    ended = run(*words)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_numbers_of_routines_are_their_places_in_the_table(table: RoutineTable) -> None:
    listed = re.findall(r'^    "(\w+)",$', names(table), re.MULTILINE)
    assert listed == ["Application", *(form.name for form in table.forms())]


def test_a_missing_routine_ends_the_run_with_its_name(tmp_path: Path, kinds: dict[str, ParameterKind]) -> None:
    table = chapter_of(tmp_path, "Get(comm)  since 2.0\nPut(comm)  since 2.0, missing window\n", kinds)
    (entry,) = re.findall(r"MPI_Put\(.*\{.*\}", entries(table))
    assert entry.endswith("{ missing(2); }")


def test_generated_files_say_where_they_come_from() -> None:
    for product in ("header", "bindings", "names", "coverage"):
        assert "Generated from src/abi/api" in generate(product).splitlines()[0]


def test_the_coverage_page_is_current() -> None:
    page = ROOT / "docs" / "mpi-coverage.md"
    assert page.read_text() == generate("coverage"), (
        "in src/abi: python -m generator coverage ../../docs/mpi-coverage.md"
    )


# The library.


def exported(library: Path) -> set[str]:
    nm = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in nm.stdout.splitlines()}


def test_the_library_exports_the_table_and_nothing_else(
    prefix: Path, table: RoutineTable, interface: BinaryInterface
) -> None:
    expected = {p + form.name for form in table.forms() for p in ("", "P")} | FOR_FORTRAN | STAGING
    expected |= set(interface.exported) | NOT_STANDARD
    symbols = exported(prefix / "lib" / "libmpi_abi.so.1")
    assert sorted(symbols - expected) == []
    assert sorted(expected - symbols) == []


def test_what_all_ranks_have_exports_no_routine_of_mpi(prefix: Path) -> None:
    """It is preloaded: a routine of MPI in it would come before those of the interface that a plug-in was linked with."""
    symbols = {name for name in exported(prefix / "lib" / "liborrery_rank.so") if not re.match("_ZNK?6orrery", name)}
    assert sorted(symbols ^ EXPORTED_TOO) == []


def test_tools_may_replace_a_routine_by_its_weak_name(prefix: Path) -> None:
    library = prefix / "lib" / "libmpi_abi.so.1"
    nm = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert re.search(r" W MPI_Send$", nm, re.MULTILINE)
    assert re.search(r" T PMPI_Send$", nm, re.MULTILINE)


def test_the_library_has_the_name_of_the_standard(prefix: Path) -> None:
    dynamic = subprocess.run(
        ["readelf", "-d", prefix / "lib" / "libmpi_abi.so"], capture_output=True, text=True, check=True
    ).stdout
    assert "Library soname: [libmpi_abi.so.1]" in dynamic
    assert "stdc++" not in dynamic  # the program may bring another


# The header and the wrappers.

PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, sum = 0;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(&rank, 1, MPI_INT, rank, 0, &sum, 1, MPI_INT, rank, 0, MPI_COMM_SELF, &status);
  switch (status.MPI_TAG) { case MPI_ANY_TAG: sum = MPI_UNDEFINED; break; default: break; }
  return MPI_Finalize();
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    (tmp_path / "program.cpp").write_text(PROGRAM)
    return path


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env={**os.environ, **environment}, timeout=HUNG_S
    )


@pytest.mark.parametrize(
    ("wrapper", "standard", "suffix"),
    [("mpicc", "c99", ".c"), ("mpicc", "c17", ".c"), ("mpicxx", "c++11", ".cpp"), ("mpic++", "c++20", ".cpp")],
)
def test_programs_compile_without_warnings(
    prefix: Path, source: Path, wrapper: str, standard: str, suffix: str
) -> None:
    program = source.with_suffix(suffix)
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    ended = run(prefix / "bin" / wrapper, f"-std={standard}", *warnings, program, "-o", program.with_suffix(""))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_program_finds_its_library_without_help(prefix: Path, source: Path) -> None:
    program = source.with_suffix("")
    assert run(prefix / "bin" / "mpicc", source, "-o", program).returncode == 0
    assert f"libmpi_abi.so.1 => {prefix}/lib/libmpi_abi.so.1" in run("ldd", program).stdout


def test_options_are_put_where_users_expect_them(prefix: Path) -> None:
    shown = run(prefix / "bin" / "mpicc", "-show", "-O2", "a b.c", "-o", "ab", ORRERY_CC="clang").stdout
    assert shown == (
        f"clang -I{prefix}/include -O2 'a b.c' -o ab "
        f"-L{prefix}/lib -Wl,-rpath,{prefix}/lib -Wl,--enable-new-dtags -lmpi_abi\n"
    )


def test_nothing_is_linked_when_only_compiling(prefix: Path) -> None:
    assert run(prefix / "bin" / "mpicxx", "-showme", "-c", "a.cpp", ORRERY_CXX="g++").stdout == (
        f"g++ -I{prefix}/include -c a.cpp\n"
    )


def test_a_compiler_may_come_with_options(prefix: Path) -> None:
    shown = run(prefix / "bin" / "mpicc", "-show", "-c", "a.c", ORRERY_CC="ccache gcc -m64").stdout
    assert shown.startswith("ccache gcc -m64 -I")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("-showme:compile", "-I{prefix}/include"),
        ("-showme:link", "-L{prefix}/lib -Wl,-rpath,{prefix}/lib -Wl,--enable-new-dtags -lmpi_abi"),
        ("-showme:incdirs", "{prefix}/include"),
        ("-showme:libdirs", "{prefix}/lib"),
        ("-showme:libs", "mpi_abi"),
        ("-compile-info", "cc -I{prefix}/include"),
        ("-link-info", "cc -L{prefix}/lib -Wl,-rpath,{prefix}/lib -Wl,--enable-new-dtags -lmpi_abi"),
    ],
)
def test_wrappers_answer_the_questions_of_build_systems(prefix: Path, question: str, answer: str) -> None:
    ended = run(prefix / "bin" / "mpicc", question, ORRERY_CC="cc")
    assert ended.stdout == answer.format(prefix=prefix) + "\n"


def test_a_wrapper_works_through_a_link(prefix: Path, tmp_path: Path) -> None:
    link = tmp_path / "my mpicc"
    link.symlink_to(prefix / "bin" / "mpicc")
    assert run(link, "-showme:incdirs").stdout == f"{prefix}/include\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_cmake_finds_it(prefix: Path, source: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "project(uses_mpi LANGUAGES C CXX)\n"
        "find_package(MPI REQUIRED COMPONENTS C CXX)\n"
        'if(NOT MPI_C_VERSION STREQUAL "5.0")\n'
        '  message(FATAL_ERROR "MPI ${MPI_C_VERSION}")\n'
        "endif()\n"
        f"add_executable(in_c {source.name})\n"
        "target_link_libraries(in_c PRIVATE MPI::MPI_C)\n"
        "add_executable(in_cxx program.cpp)\n"
        "target_link_libraries(in_cxx PRIVATE MPI::MPI_CXX)\n"
    )
    build = tmp_path / "build"
    configured = run("cmake", "-S", tmp_path, "-B", build, f"-DMPI_HOME={prefix}")
    assert configured.returncode == 0, configured.stdout + configured.stderr
    built = run("cmake", "--build", build)
    assert built.returncode == 0, built.stdout + built.stderr
    assert f"{prefix}/lib/libmpi_abi.so.1" in run("ldd", build / "in_c").stdout


# What programs see.


def simulated(prefix: Path, folder: Path, ranks: int, name: str) -> subprocess.CompletedProcess[str]:
    """tests/programs/NAME.c on simulated ranks, compiled and started as users of any MPI would."""
    strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    compiled = run(prefix / "bin" / "mpicc", *strict, "-O1", PROGRAMS / f"{name}.c", "-o", folder / name)
    assert compiled.returncode == 0, compiled.stderr
    ended = run(prefix / "bin" / "mpiexec", "-n", str(ranks), folder / name, XDG_STATE_HOME=str(folder))
    if ended.returncode == 127:
        pytest.skip(ended.stderr)
    return ended


def test_handles_statuses_callbacks_and_errors_are_the_standards(prefix: Path, tmp_path: Path) -> None:
    ended = simulated(prefix, tmp_path, 3, "bindings")
    assert (ended.returncode, ended.stdout.count("fine\n")) == (0, 3), ended.stdout + ended.stderr


def test_a_program_may_put_its_own_routine_before_the_librarys(prefix: Path, tmp_path: Path) -> None:
    ended = simulated(prefix, tmp_path, 2, "intercept")
    assert ended.returncode == 0, ended.stderr
    assert "1 intercepted\n" in ended.stdout
