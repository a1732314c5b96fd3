#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's own test suite, compiled elsewhere with Orrery's wrappers, run under Orrery: verdicts, and a table per folder.

The suite is no part of this repository. Its build directory is given; where its sources are is read from the `Makefile` in
it. Every line of a `testlist` is a test: program, number of ranks, arguments. It passes when standard output is
` No Errors` and nothing else, nothing but Orrery's report is on standard error, and the exit status is 0; `resultTest=` gives
a test another rule. What never starts, waits for ever or takes longer than its limit has not passed, whatever the rule;
only a line that wants a failure and has a limit of its own is about being stopped at it.

Lines with `env=` choose among MPICH's algorithms, by variables that mean nothing here: they are left out, and so are those
of `testlist.dtp`, unless asked for. Lines with `strict=false` want what only MPICH has, those with `xfail=` what it has not:
left out as well. A list that is given names what is run, these too. Lines that say `mem=` with more than `--memory` GB want a
larger machine; those of a list that are left out for that are told.

A test that leaves a process or a temporary file behind fails. What is new in /dev/shm at the end is told.

    bench/mpich_suite.py BUILD pt2pt coll                 # two folders
    bench/mpich_suite.py BUILD pt2pt/sendrecv1            # one program, with all of its lines
    bench/mpich_suite.py BUILD --list open.txt            # the lines of a list: `folder/program ranks arguments`
    bench/mpich_suite.py BUILD coll --ranks 64            # all of them on 64 ranks, whatever their lines say
    bench/mpich_suite.py BUILD attr --library build/asan/prefix/lib --preload "$(gcc -print-file-name=libasan.so)"
    bench/mpich_suite.py BUILD errors --orrery ./venv/bin/orrery --json errors.json
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

# Lines that an abort prints although the test is as it should be (rule TestAllowWarnings).
WARNING = re.compile(r"MPICH: |WARNING: |(Abort.*)?application called MPI_Abort")
NO_ERRORS = re.compile(r"\s*No [Ee]rrors\s*")
# What `orrery run` exits with when it has taken too long.
TIMED_OUT = 124
# What Orrery's report begins with, that of a run without a result too; the program's own standard error stands before it.
REPORT = re.compile(r"^(?:simulated time |orrery: the run failed: )", re.MULTILINE)
# What it says of a run in which all ranks waited for each other, and of a program that is none of Orrery's.
NO_RESULT = re.compile(r"no rank can go on|without calling MPI_Init|before it called MPI_Init")
WANT_FAILURE = frozenset({"TestStatus", "TestErrFatal", "TestStatusNoErrors"})
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  looked at, not used
# Folders that need what Orrery does not say it has (checkpoints, fault tolerance), or test MPICH itself.
LEFT_OUT = frozenset({"ckpoint", "ft", "impls", "manual", "perf", "bench"})


@dataclass(frozen=True)
class Test:
    """One line of a testlist."""

    folder: str
    program: str
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    rule: str = ""
    loose: bool = False
    memory_gb: float = 0
    time_limit_s: float = 0

    @property
    def name(self) -> str:
        """As lists name it: `folder/program ranks arguments`."""
        return " ".join([f"{self.folder}/{self.program}", str(self.ranks), *self.arguments])

    @property
    def wants_to_be_stopped(self) -> bool:
        """Whether it is about what becomes of a run that takes longer than its limit."""
        return self.rule in WANT_FAILURE and self.time_limit_s > 0


@dataclass
class Verdict:
    """What came of a test. `cause` is empty if it passed."""

    name: str
    folder: str
    cause: str
    seconds: float
    output: str = field(repr=False, default="")

    @property
    def passed(self) -> bool:
        """Whether it did what its rule asks for."""
        return not self.cause


def source_of(build: Path) -> Path:
    """Where the sources of the suite are that was compiled in `build`."""
    found = re.search(r"^abs_top_srcdir = (.+)$", (build / "Makefile").read_text(), re.MULTILINE)
    return Path(found[1]) if found else build


def tests_of(build: Path, source: Path, folder: str, lists: tuple[str, ...]) -> Iterator[Test]:
    """All tests of a folder and of the folders that its testlist names, each once, in the testlist's order."""
    for name in lists:
        path = next((p for p in (build / folder / name, source / folder / name) if p.is_file()), None)
        for line in path.read_text().splitlines() if path else ():
            words = line.partition("#")[0].split()
            if not words or words[0].startswith("!"):
                continue
            inner = os.path.normpath(f"{folder}/{words[0]}")
            if (source / inner).is_dir():
                if inner.split("/")[0] not in LEFT_OUT:
                    yield from tests_of(build, source, inner, lists)
            else:
                yield test_of(inner, words[1:])


def test_of(program: str, words: list[str]) -> Test:
    """A line of a testlist, after the program's name: number of ranks, then key=value."""
    options = defaultdict[str, list[str]](list)
    for word in words[1:]:
        key, _, value = word.partition("=")
        options[key].append(value)
    folder, _, name = program.rpartition("/")
    limit = options.get("timeLimit", [""])[0]
    return Test(
        folder=folder,
        program=name,
        ranks=int(words[0]) if words else 2,
        arguments=tuple(options.get("arg", ())),
        environment=tuple(options.get("env", ())),
        rule=options.get("resultTest", [""])[0],
        loose=options.get("strict", [""])[0].lower() == "false" or "xfail" in options,
        memory_gb=float(options.get("mem", ["0"])[0]),
        time_limit_s=float(limit) if limit.isdigit() else 0,
    )


def chosen(tests: Iterable[Test], listed: set[str], asked: argparse.Namespace) -> list[Test]:
    """The tests to run: each once, of a list if there is one, on as many ranks as asked for."""
    once = dict[tuple[str, tuple[str, ...]], Test]()
    for test in tests:
        if test.memory_gb > asked.memory or (listed and test.name not in listed):
            continue
        if not listed and ((test.environment and not asked.env) or (test.loose and not asked.loose)):
            continue
        asked_for = replace(test, ranks=asked.ranks or test.ranks)
        once.setdefault((asked_for.name, asked_for.environment), asked_for)
    if asked.env:
        return list(once.values())
    # A list does not say the environment: of lines that differ in nothing else the plainest stands for all.
    plainest = dict[str, Test]()
    for test in once.values():
        if test.name not in plainest or len(test.environment) < len(plainest[test.name].environment):
            plainest[test.name] = test
    return list(plainest.values())


def complaint(test: Test, status: int | None, output: str, errors: str) -> str:
    """Why a run is not as the rule of its test wants it; nothing if it is. `status` is none if it had to be killed."""
    if status in (None, TIMED_OUT):
        return "" if test.wants_to_be_stopped and status == TIMED_OUT else "timeout"
    if test.wants_to_be_stopped:
        return "it ended before its limit"
    if test.rule in WANT_FAILURE and not REPORT.search(errors):
        return f"it did not start, exit status {status}"
    if test.rule in WANT_FAILURE and (why := NO_RESULT.search(errors)):
        return why[0]
    lines = [line for line in (output + REPORT.split(errors)[0]).splitlines() if line.strip()]
    no_errors = sum(bool(NO_ERRORS.fullmatch(line)) for line in lines)
    warnings = sum(bool(WARNING.match(line)) for line in lines)
    stray = len(lines) - no_errors - warnings + max(0, no_errors - 1)
    if test.rule in ("TestStatus", "TestErrFatal"):
        return "" if status else "exit status 0"
    if test.rule == "TestStatusNoErrors":
        return "" if status and no_errors and not stray else "no failure, or stray output"
    if test.rule == "TestBench":
        return "" if status == 0 else f"exit status {status}"
    if not no_errors:
        return f"no `No Errors`, exit status {status}"
    if stray or (warnings and test.rule != "TestAllowWarnings"):
        return "stray output"
    return f"exit status {status}" if status else ""


def processes_with(mark: str) -> Iterator[str]:
    """Programs of the processes that have this entry in their environment."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                yield str((process / "exe").readlink())
        except OSError:  # it has just ended, or belongs to somebody else
            continue


class Runner:
    """Runs tests, each in a folder of its own, so that files that tests write do not meet."""

    def __init__(self, build: Path, asked: argparse.Namespace) -> None:
        self.build = build
        self.command = [str(Path(shutil.which(asked.orrery) or asked.orrery).absolute()), "run", *asked.option]
        self.timeout_s = float(asked.timeout)
        # What `orrery run` preloads gives way to a library of the same name that is preloaded already.
        names = ("liborrery_rank.so", "libmpi_abi.so.1")
        given = [] if asked.library is None else [str(asked.library.resolve() / name) for name in names]
        self.preload = ":".join([*filter(None, [str(asked.preload)]), *given])

    def limit_s(self, test: Test) -> float:
        """How long it may take: what its line gives it, or else what is asked for."""
        return test.time_limit_s or self.timeout_s

    def __call__(self, test: Test) -> Verdict:
        """Run one test and judge it."""
        home = self.build / test.folder
        if not (home / test.program).exists():
            subprocess.run(["nice", "make", "-C", home, test.program], check=False, capture_output=True)
        if not (home / test.program).exists():
            return Verdict(test.name, test.folder, "does not compile", 0)
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="suite-") as place:
            for file in home.iterdir():
                if file.is_file() and file.suffix not in (".o", ".c"):
                    (Path(place) / file.name).symlink_to(file)
            temporary = Path(place) / "temporary"
            temporary.mkdir()
            mark = f"MPICH_SUITE_TEST={uuid.uuid4().hex}"
            status, output, errors = self.run(test, place, mark)
            left = [*processes_with(mark), *(file.name for file in temporary.iterdir())]
        cause = complaint(test, status, output, errors)
        if left:
            cause = ", ".join([*filter(None, [cause]), f"left behind: {' '.join(left)}"])
        return Verdict(test.name, test.folder, cause, time.monotonic() - start, (output + errors)[-20000:])

    def run(self, test: Test, place: str, mark: str) -> tuple[int | None, str, str]:
        """Exit status (none if it took too long), standard output and standard error of a run.

        `mark`, an entry of the environment, tells its processes from others.
        """
        limit = self.limit_s(test)
        # Orrery ends the run itself, as any mpiexec that knows this variable; the rest is for when it does not.
        environment = os.environ | {"MPIEXEC_TIMEOUT": str(math.ceil(limit))}
        environment |= dict(item.split("=", 1) for item in (*test.environment, mark))
        environment["TMPDIR"] = f"{place}/temporary"
        if self.preload:
            environment["LD_PRELOAD"] = self.preload
            # Programs of the suite, and the interpreter that starts them, leave memory behind. And the allocator must
            # not look at the clock, which is the library's own, while it holds its locks.
            environment["ASAN_OPTIONS"] = "detect_leaks=0:allocator_release_to_os_interval_ms=-1"
        command = [*self.command, "-n", str(test.ranks), f"./{test.program}", *test.arguments]
        process = subprocess.Popen(
            command,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=limit + 15)
        except subprocess.TimeoutExpired:
            # Orrery ends its ranks itself when it is interrupted.
            process.send_signal(signal.SIGINT)
            try:
                output, errors = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, errors = process.communicate()
            return None, output, errors
        return process.returncode, output, errors


def summary(verdicts: list[Verdict]) -> str:
    """The table: for each folder, how many tests there were and how many passed."""
    folders = defaultdict[str, list[Verdict]](list)
    for verdict in verdicts:
        parts = verdict.folder.split("/")
        folders[parts[0] if parts[0] != "errors" else "/".join(parts[:2])].append(verdict)
    rows = [f"{'folder':<18}{'tests':>6}{'passed':>8}{'%':>7}"]
    for folder, its in [*sorted(folders.items()), ("all", verdicts)]:
        passed = sum(v.passed for v in its)
        rows.append(f"{folder:<18}{len(its):>6}{passed:>8}{100 * passed / max(1, len(its)):>7.1f}")
    return "\n".join(rows)


def tell(what: str, lines: set[str]) -> None:
    """Lines of the list that were not run, if there are any."""
    if lines:
        print(f"{len(lines)} lines of the list {what}:", *sorted(lines), sep="\n  ")


def positive(text: str) -> int:
    """A number of ranks."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="where the suite was compiled")
    parser.add_argument("what", nargs="*", help="folders or folder/program; everything if none is given")
    parser.add_argument("--orrery", default=shutil.which("orrery") or "orrery", help="the program that runs the tests")
    parser.add_argument("--list", type=Path, help="run the lines of this list only")
    parser.add_argument("--dtp", action="store_true", help="run testlist.dtp too")
    parser.add_argument("--env", action="store_true", help="run lines with env= too")
    parser.add_argument("--memory", type=float, default=4, help="leave out tests that want more GB than this")
    parser.add_argument("--loose", action="store_true", help="run lines with strict=false or xfail= too")
    parser.add_argument("--jobs", type=int, default=1, help="tests at a time")
    parser.add_argument("--ranks", type=positive, help="ranks of every test, in place of what its line says")
    parser.add_argument(
        "--timeout",
        type=float,
        default=180,
        help="seconds for a test whose line gives no limit of its own (timeLimit=)",
    )
    parser.add_argument(
        "--option", action="append", default=[], help="an option for `orrery run`, as --option=--launch=exec"
    )
    parser.add_argument("--library", type=Path, help="the folder of the MPI library, if it is not that of --orrery")
    parser.add_argument("--preload", default="", help="LD_PRELOAD of the tests")
    parser.add_argument("--json", type=Path, help="write the verdicts, with what the tests wrote, to this file")
    parser.add_argument("--verbose", action="store_true", help="show what failing tests wrote")
    return parser.parse_intermixed_args()


def main() -> int:
    """Run what was asked for; 0 if everything passed."""
    asked = arguments()
    build: Path = asked.build.resolve()
    source = source_of(build)
    listed = {" ".join(line.split()) for line in asked.list.read_text().splitlines()} if asked.list else set[str]()
    folders = asked.what or sorted({line.split("/")[0] for line in listed}) or [
        "attr", "coll", "comm", "datatype", "errhan", "errors", "group", "info", "init", "io", "mpi_t", "part", "pt2pt",
        "rma", "session", "spawn", "threads", "topo",
    ]  # fmt: skip
    lists = ("testlist", "testlist.dtp") if asked.dtp or listed else ("testlist",)
    lines = list[Test]()
    for folder in (name.rstrip("/") for name in folders):
        if (source / folder).is_dir():
            lines += tests_of(build, source, folder, lists)
        else:
            home, _, program = folder.rpartition("/")
            its = [t for t in tests_of(build, source, home, lists) if t.folder == home and t.program == program]
            lines += its or [Test(home, program, 2)]
    tests = chosen(lines, listed, asked)
    runner = Runner(build, asked)
    shared = set(SHARED_MEMORY.iterdir())
    verdicts = list[Verdict]()
    with ThreadPoolExecutor(asked.jobs) as pool:
        for verdict in pool.map(runner, tests):
            verdicts.append(verdict)
            print(
                f"{'ok  ' if verdict.passed else 'FAIL'} {verdict.name}  {verdict.seconds:.1f}s  {verdict.cause}",
                flush=True,
            )
            if asked.verbose and not verdict.passed:
                print(verdict.output)
    print(summary(verdicts))
    if new := sorted(path.name for path in set(SHARED_MEMORY.iterdir()) - shared):
        print(f"new in {SHARED_MEMORY}:", *new)
    if not asked.what:
        tell("are in no testlist", listed - {test.name for test in lines})
        tell("want more memory (--memory)", {t.name for t in lines if t.memory_gb > asked.memory} & listed)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(v) for v in verdicts], indent=1))
    return 0 if all(v.passed for v in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
