# SPDX-License-Identifier: BSD-3-Clause
"""`bench/mpich_suite.py`: how it reads testlists and judges what tests wrote. The suite itself is not here."""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "mpich_suite.py"
REPORT = "simulated time  1 us\nwall time       1 ms\n"


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mpich_suite", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_line_of_a_testlist_gives_program_ranks_arguments_rule_and_limit(suite: ModuleType) -> None:
    test = suite.test_of(
        "coll/allred", ["4", "arg=-count=10", "arg=x", "env=A=b=c", "timeLimit=600", "resultTest=TestStatus"]
    )
    assert test.name == "coll/allred 4 -count=10 x"
    assert test.environment == ("A=b=c",)
    assert (test.rule, test.time_limit_s) == ("TestStatus", 600)


@pytest.mark.parametrize(
    ("words", "seconds"), [(["2"], 60), (["2", "timeLimit=600"], 600), (["2", "timeLimit=10"], 60)]
)
def test_a_line_that_asks_for_more_time_gets_it(suite: ModuleType, words: list[str], seconds: float) -> None:
    asked = argparse.Namespace(orrery="orrery", option=[], timeout=60, library=None, preload="")
    assert suite.Runner(Path(), asked).limit_s(suite.test_of("coll/allred", words)) == seconds


def test_folders_named_in_a_testlist_are_read_too_and_lines_come_once(suite: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "errors" / "pt2pt").mkdir(parents=True)
    (tmp_path / "errors" / "testlist").write_text("# what is here\npt2pt\nown 3\n")
    (tmp_path / "errors" / "pt2pt" / "testlist").write_text(
        "proberank 1\nproberank 1\nproberank 1 env=CVAR=1\nloose 1 strict=FALSE\nhuge 1 mem=17.2\n"
    )
    tests = suite.tests_of(tmp_path, tmp_path, "errors", ("testlist",))
    asked = argparse.Namespace(env=False, loose=False, memory=4)
    names = [test.name for test in suite.chosen(tests, set(), asked)]
    assert names == ["errors/pt2pt/proberank 1", "errors/own 3"]


def test_processes_of_a_test_are_known_by_its_mark(suite: ModuleType) -> None:
    mark = f"MPICH_SUITE_TEST={os.getpid()}"
    assert list(suite.processes_with(mark)) == []
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "MPICH_SUITE_TEST": str(os.getpid())}) as process:
        try:
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
        ("TestStatus", (1, "anything", ""), "passes"),
        ("TestStatus", (0, " No Errors\n", ""), "fails"),
        ("TestStatusNoErrors", (1, " No Errors\n", ""), "passes"),
        ("TestStatusNoErrors", (0, " No Errors\n", ""), "fails"),
    ],
)
def test_a_run_is_judged_by_the_rule_of_its_test(
    suite: ModuleType, rule: str, run: tuple[int, str, str], verdict: str
) -> None:
    test = suite.Test("folder", "program", 1, rule=rule)
    assert ("fails" if suite.complaint(test, *run) else "passes") == verdict
