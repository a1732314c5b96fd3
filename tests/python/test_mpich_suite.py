# SPDX-License-Identifier: BSD-3-Clause
"""`bench/mpich_suite.py`: how it reads testlists and judges what tests wrote. The suite itself is not here."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from harness import HUNG_S, module_of, until

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "mpich_suite.py"
REPORT = "simulated time  1 us\nwall time       1 ms\n"
ABORTED = "\norrery: the run failed: rank 0 called MPI_Abort with code 16\n"
DEADLOCK = "\norrery: the run failed: no rank can go on: 2 wait for each other in a circle\n"
NOT_MPI = "\norrery: the run failed: ./exitst1 ended with status 1 before it called MPI_Init\n"


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    return module_of(SCRIPT)


def test_a_line_of_a_testlist_gives_program_ranks_arguments_rule_and_limit(suite: ModuleType) -> None:
    test = suite.test_of(
        "coll/allred", ["4", "arg=-count=10", "arg=x", "env=A=b=c", "timeLimit=600", "resultTest=TestStatus"]
    )
    assert test.name == "coll/allred 4 -count=10 x"
    assert test.environment == ("A=b=c",)
    assert (test.rule, test.time_limit_s) == ("TestStatus", 600)


@pytest.mark.parametrize(
    ("words", "seconds"), [(["2"], 60), (["2", "timeLimit=600"], 600), (["2", "timeLimit=10"], 10)]
)
def test_a_line_has_the_time_that_it_asks_for_and_others_have_what_the_user_says(
    suite: ModuleType, words: list[str], seconds: float
) -> None:
    asked = argparse.Namespace(orrery="orrery", option=[], timeout=60, library=None, preload="")
    assert suite.Runner(Path(), asked).limit_s(suite.test_of("coll/allred", words)) == seconds


def test_folders_named_in_a_testlist_are_read_too_and_lines_come_once(suite: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "errors" / "pt2pt").mkdir(parents=True)
    (tmp_path / "errors" / "testlist").write_text("# what is here\npt2pt\nown 3\n")
    (tmp_path / "errors" / "pt2pt" / "testlist").write_text(
        "proberank 1\nproberank 1\nproberank 1 env=CVAR=1\nloose 1 strict=FALSE\nhuge 1 mem=17.2\n"
    )
    tests = suite.tests_of(tmp_path, tmp_path, "errors", ("testlist",))
    asked = argparse.Namespace(env=False, loose=False, memory=4, ranks=None)
    names = [test.name for test in suite.chosen(tests, set(), asked)]
    assert names == ["errors/pt2pt/proberank 1", "errors/own 3"]


def test_a_list_names_what_is_run_whatever_else_its_lines_say(suite: ModuleType) -> None:
    tests = [
        suite.test_of("pt2pt/rqfree", ["4", "env=CVAR=1"]),
        suite.test_of("pt2pt/rqfree", ["4", "env=CVAR=2"]),
        suite.test_of("pt2pt/loose", ["1", "strict=false"]),
        suite.test_of("pt2pt/plain", ["2", "env=CVAR=1"]),
        suite.test_of("pt2pt/plain", ["2"]),
        suite.test_of("pt2pt/other", ["2"]),
    ]
    asked = argparse.Namespace(env=False, loose=False, memory=4, ranks=None)
    chosen = suite.chosen(tests, {"pt2pt/rqfree 4", "pt2pt/loose 1", "pt2pt/plain 2"}, asked)
    assert [(test.name, test.environment) for test in chosen] == [
        ("pt2pt/rqfree 4", ("CVAR=1",)),
        ("pt2pt/loose 1", ()),
        ("pt2pt/plain 2", ()),
    ]


def test_all_tests_run_on_as_many_ranks_as_asked_for_and_those_that_are_then_alike_once(suite: ModuleType) -> None:
    tests = [suite.test_of("coll/allred", [ranks, "arg=x"]) for ranks in ("4", "7")]
    tests.append(suite.test_of("coll/bcast", ["10"]))
    asked = argparse.Namespace(env=False, loose=False, memory=4, ranks=64)
    assert [test.name for test in suite.chosen(tests, set(), asked)] == ["coll/allred 64 x", "coll/bcast 64"]
    listed = {"coll/bcast 10"}  # a list names the lines as they are
    assert [test.name for test in suite.chosen(tests, listed, asked)] == ["coll/bcast 64"]


def test_processes_of_a_test_are_known_by_its_mark(suite: ModuleType) -> None:
    mark = f"MPICH_SUITE_TEST={os.getpid()}"
    assert list(suite.processes_with(mark)) == []
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "MPICH_SUITE_TEST": str(os.getpid())}) as process:
        try:
            until(lambda: list(suite.processes_with(mark)))  # a program that has just begun has no environment yet
            assert [Path(program).name for program in suite.processes_with(mark)] == [
                Path(shutil.which("sleep") or "").resolve().name
            ]
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("rule", "run", "verdict"),
    [
        ("", (0, " No Errors\n", REPORT), "passes"),
        ("", (1, " No Errors\n", REPORT), "fails"),
        ("", (0, " No Errors\nand more\n", REPORT), "fails"),
        ("", (0, " No Errors\n", "a warning\n" + REPORT), "fails"),
        ("", (0, "", REPORT), "fails"),
        ("TestAllowWarnings", (0, "WARNING: odd\n No Errors\n", ""), "passes"),
        ("TestStatus", (1, "anything", REPORT), "passes"),
        ("TestStatus", (0, " No Errors\n", REPORT), "fails"),
        ("TestStatus", (124, "", REPORT), "fails"),  # it took too long
        ("TestErrFatal", (124, "", REPORT), "fails"),
        ("TestErrFatal", (None, "", ""), "fails"),  # and had to be killed
        ("TestErrFatal", (16, "", REPORT + ABORTED), "passes"),
        ("TestErrFatal", (127, "", "orrery: error: ./errfatal: no such program\n"), "fails"),
        ("TestStatus", (1, "", REPORT + DEADLOCK), "fails"),
        ("TestStatus", (1, "", REPORT + NOT_MPI), "fails"),
        ("TestStatusNoErrors", (1, " No Errors\n", REPORT), "passes"),
        ("TestStatusNoErrors", (0, " No Errors\n", REPORT), "fails"),
    ],
)
def test_a_run_is_judged_by_the_rule_of_its_test(
    suite: ModuleType, rule: str, run: tuple[int, str, str], verdict: str
) -> None:
    test = suite.Test("folder", "program", 1, rule=rule)
    assert ("fails" if suite.complaint(test, *run) else "passes") == verdict


@pytest.mark.parametrize(("status", "verdict"), [(124, "passes"), (0, "fails"), (1, "fails"), (None, "fails")])
def test_a_line_that_wants_a_failure_and_has_a_limit_is_to_be_stopped_at_it(
    suite: ModuleType, status: int | None, verdict: str
) -> None:
    test = suite.test_of("init/timeout", ["2", "resultTest=TestErrFatal", "timeLimit=10"])
    assert ("fails" if suite.complaint(test, status, "", REPORT) else "passes") == verdict


def test_the_summary_of_a_run_counts_a_test_that_hangs_as_failed(tmp_path: Path) -> None:
    (tmp_path / "init").mkdir()
    (tmp_path / "init" / "testlist").write_text("hangs 2 resultTest=TestStatus\nends 2 resultTest=TestStatus\n")
    (tmp_path / "Makefile").write_text(f"abs_top_srcdir = {tmp_path}\n")
    for program in ("hangs", "ends"):
        (tmp_path / "init" / program).touch()
    orrery = tmp_path / "orrery"  # stands in for the program: stopped at its limit, or a failure of the test's own
    orrery.write_text(
        "#!/bin/sh\nprintf 'simulated time  1 us\\n' >&2\ncase \"$*\" in *hangs*) exit 124;; *) exit 1;; esac\n"
    )
    orrery.chmod(0o755)
    command = [sys.executable, str(SCRIPT), str(tmp_path), "init", "--orrery", str(orrery)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HUNG_S)
    assert ended.returncode == 1
    assert "FAIL init/hangs 2" in ended.stdout
    assert "ok   init/ends 2" in ended.stdout
